#!/bin/bash
# run_mpi.sh MPIEXEC RANKS EXIT SECONDS SAYS COMMAND...: runs COMMAND on RANKS ranks (NODESxEACH: on
# virtual nodes); succeeds if it exits with EXIT (or "any-failure", or "any") within SECONDS and writes a line that
# matches SAYS to stderr (MPICH's mpiexec writes its own messages to stdout).
# MEES_MPIRUN_OPTIONS are further options for Open MPI's mpirun; the test is skipped elsewhere.
# shellcheck disable=SC2046,SC2086 # mpi_options prints words
. "$(dirname "$0")/mpi_options.sh"
mpiexec=$1 ranks=$2 expect=$3 within=$4 says=$5
shift 5
skip_without_nodes "$ranks"
own=${MEES_MPIRUN_OPTIONS-}
[ -z "$own" ] || is_open_mpi "$mpiexec" || exit 77
errors=$(mktemp)
trap 'rm -f "$errors" "$errors.out"' EXIT
begin=$(date +%s)
timeout -k 2 "$within" "$mpiexec" $(mpi_options "$mpiexec" "$ranks") $own "$@" 2>"$errors" >"$errors.out"
code=$?
passed=$(($(date +%s) - begin))
cat "$errors.out" "$errors"
if is_open_mpi "$mpiexec"; then : >"$errors.out"; fi
if [ "$code" = 124 ] || [ "$passed" -ge "$within" ]; then # 137: timeout had to kill it, or a rank was killed
    echo "still running after $within s"
    exit 1
fi
if [ "$expect" = any ]; then
    :
elif [ "$expect" = any-failure ]; then
    [ "$code" != 0 ] || { echo "exited with 0, expected a failure"; exit 1; }
elif [ "$code" != "$expect" ]; then
    echo "exited with $code, expected $expect"
    exit 1
fi
if [ -n "$says" ] && [ "$(cat "$errors" "$errors.out" | grep -cE "$says")" = 0 ]; then
    echo "missing message: $says"
    exit 1
fi
echo "exited with $code after $passed s, as expected"
