#!/bin/bash
# little_shared_memory.sh MPIEXEC PROGRAM: on a node with 32 MB of shared memory a noise table of 64 MB
# is refused with a message that names the space it needs. Needs root to mount its own /dev/shm.
# shellcheck disable=SC2046 # mpi_options prints words
. "$(dirname "$0")/mpi_options.sh"
mpiexec=$1 program=$2
unshare -m true 2>/dev/null || { echo "skipped: no mount namespaces here"; exit 77; }
errors=$(unshare -m sh -c 'mount -t tmpfs -o size=32m tmpfs /dev/shm && exec "$@"' sh \
    timeout 30 "$mpiexec" $(mpi_options "$mpiexec" 3) "$program" large_table 2>&1 >/dev/null)
code=$?
echo "$errors"
[ $code = 1 ] || { echo "ended with $code"; exit 1; }
echo "$errors" | grep -q "the noise table does not fit .*0.0[67] GB needed, 0.0[23] GB free in /dev/shm"
