#!/bin/bash
# little_shared_memory.sh MPIEXEC PROGRAM: on a node with 32 MB of shared memory a noise table of 64 MB is refused
# with a message that says how much is needed; so is start-up where too little is free for messages. Where MPI itself
# cannot start, a warning says why. Needs root to mount a /dev/shm.
# shellcheck disable=SC2046,SC2016 # mpi_options prints words; the inner shell expands
. "$(dirname "$0")/mpi_options.sh"
mpiexec=$1 program=$2
unshare -m true 2>/dev/null || { echo "skipped: no mount namespaces here"; exit 77; }

# refuses FREE-KB SCENARIO TEXT: of 32 MB only so much is free.
refuses() {
    errors=$(unshare -m sh -c 'mount -t tmpfs -o size=32m tmpfs /dev/shm &&
        { dd if=/dev/zero of=/dev/shm/stale bs=1k count=$((32768 - $0)) 2>/dev/null; exec "$@"; }' "$1" \
        timeout 30 "$mpiexec" $(mpi_options "$mpiexec" 3) "$program" "$2" 2>&1 >/dev/null)
    code=$?
    echo "$errors"
    [ $code = 1 ] || { echo "exited with $code"; exit 1; }
    echo "$errors" | grep -qE "$3" || { echo "missing: $3"; exit 1; }
}

refuses 32768 large_table "the noise table does not fit .*[67][0-9.]* MB needed, [23][0-9.]* MB free in /dev/shm"
refuses 5000 same_bits "^[a-z_]*: error: the memory for messages does not fit .* MB needed, [45][0-9.]* MB free in /dev/shm"
for free in 50 1000; do
    refuses $free same_bits "warning: host .* has [0-9.]* [kM]B of shared memory free in /dev/shm"
done
