#!/bin/bash
# launcher_killed.sh MPIEXEC PROGRAM: kills mpiexec -9; its ranks must be gone within a second, also
# those that have a shell in between.
# shellcheck disable=SC2046 # mpi_options prints words
. "$(dirname "$0")/mpi_options.sh"
mpiexec=$1 program=$2
for wrapper in "" "sh -c "; do
    mark="long-$$-${#wrapper}"
    if [ -n "$wrapper" ]; then
        "$mpiexec" $(mpi_options "$mpiexec") -n 3 sh -c "\"\$0\" long $mark; true" "$program" 2>/dev/null &
    else
        "$mpiexec" $(mpi_options "$mpiexec") -n 3 "$program" long "$mark" 2>/dev/null &
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
    sleep 1
    if left=$(pgrep -fa "cluster_scenarios long $mark\$"); then
        echo "left behind: $left"
        pgrep -f "cluster_scenarios long $mark\$" | xargs -r kill -9
        exit 1
    fi
done
echo "no rank outlived its launcher by a second"
