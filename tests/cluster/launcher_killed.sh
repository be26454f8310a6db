#!/bin/bash
# launcher_killed.sh MPIEXEC RANKS PROGRAM: kills mpiexec with SIGKILL; its ranks must end within a second, also
# with a shell between launcher and rank. On other nodes the launcher's daemons must notice first: 5 seconds.
# shellcheck disable=SC2046 # mpi_options prints words
. "$(dirname "$0")/mpi_options.sh"
mpiexec=$1 ranks=$2 program=$3
skip_without_nodes "$ranks"
case $ranks in *x*) within=5 ;; *) within=1 ;; esac
for wrapper in "" "sh -c "; do
    mark="long-$$-${#wrapper}"
    if [ -n "$wrapper" ]; then
        "$mpiexec" $(mpi_options "$mpiexec" "$ranks") sh -c "\"\$0\" long $mark; true" "$program" 2>/dev/null &
    else
        "$mpiexec" $(mpi_options "$mpiexec" "$ranks") "$program" long "$mark" 2>/dev/null &
    fi
    launcher=$!
    for _ in $(seq 100); do
        [ "$(pgrep -fc "cluster_scenarios long $mark\$")" -ge 3 ] && break
        sleep 0.1
    done
    sleep 1
    [ "$(pgrep -fc "cluster_scenarios long $mark\$")" -ge 3 ] || { echo "the ranks did not start"; exit 1; }
    kill -9 $launcher
    wait $launcher 2>/dev/null
    for _ in $(seq $((within * 10))); do
        pgrep -f "cluster_scenarios long $mark\$" >/dev/null || break
        sleep 0.1
    done
    if left=$(pgrep -fa "cluster_scenarios long $mark\$"); then
        echo "left behind: $left"
        pgrep -f "cluster_scenarios long $mark\$" | xargs -r kill -9
        exit 1
    fi
done
echo "no rank outlived its launcher by $within s"
