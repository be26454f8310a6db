#!/bin/bash
# master_killed.sh MPIEXEC NODESxEACH SCENARIO RANKS WITHIN SAYS PROGRAM: with --enable-recovery, Open MPI 4.1 lets
# other ranks live when one is killed. Kills RANKS (such as "0 1": all of the first node) of a run of SCENARIO; all
# others must end within WITHIN seconds, and one of another node says SAYS.
# shellcheck disable=SC2046 # mpi_options prints words
. "$(dirname "$0")/mpi_options.sh"
mpiexec=$1 nodes=$2 scenario=$3 killed=$4 within=$5 says=$6 program=$7
skip_without_nodes "$nodes"
"$mpiexec" --version 2>&1 | grep -q "(Open.*) 4\." || { echo "skipped: not Open MPI 4"; exit 77; }
mark="$scenario-$$"
output=$(mktemp)
setsid "$mpiexec" $(mpi_options "$mpiexec" "$nodes") --enable-recovery "$program" "$scenario" "$mark" >"$output" 2>&1 &
launcher=$!
left() { pgrep -f "^[^ ]*cluster_scenarios $scenario $mark\$"; }
# The launcher and its daemons may hang after a loss, as they should not in job scripts.
end() {
    left | xargs -r kill -9
    pkill -9 -s $launcher
    wait $launcher
    rm -f "$output"
} 2>/dev/null
trap end EXIT
rank_of() { tr '\0' '\n' <"/proc/$1/environ" 2>/dev/null | sed -n 's/^OMPI_COMM_WORLD_RANK=//p'; }
for _ in $(seq 300); do
    grep -q "^begun" "$output" && break
    sleep 0.1
done
grep -q "^begun" "$output" || { cat "$output"; echo "the ranks did not start"; exit 1; }
for pid in $(left); do
    case " $killed " in *" $(rank_of "$pid") "*) kill -9 "$pid" ;; esac
done
begin=$(date +%s)
while [ -n "$(left)" ] && [ $(($(date +%s) - begin)) -le "$within" ]; do sleep 0.2; done
passed=$(($(date +%s) - begin))
cat "$output"
if [ -n "$(left)" ]; then
    echo "after $within s there is still" "$(left)"
    exit 1
fi
grep -qE "$says" "$output" || { echo "missing message: $says"; exit 1; }
echo "all ranks ended within $passed s"
