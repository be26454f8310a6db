#!/bin/bash
# singletons.sh PROGRAM: if a launcher starts many processes that MPI does not connect, each must refuse to run,
# and only the first may print the reason.
program=$1
errors=$(env -i PATH="$PATH" SLURM_STEP_NUM_TASKS=512 SLURM_PROCID=0 "$program" same_bits 2>&1 >/dev/null)
[ $? = 1 ] || { echo "did not refuse: $errors"; exit 1; }
echo "$errors"
echo "$errors" | grep -q "one of 512 processes that do not see each other.*srun --mpi=pmix" || exit 1
errors=$(env -i PATH="$PATH" SLURM_STEP_NUM_TASKS=512 SLURM_PROCID=7 "$program" same_bits 2>&1 >/dev/null)
[ $? = 1 ] || { echo "did not refuse"; exit 1; }
[ -z "$errors" ] || { echo "512 processes would print: $errors"; exit 1; }
