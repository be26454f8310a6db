#!/usr/bin/env bash
#SBATCH --job-name=mees
#SBATCH --array=1-5
#SBATCH --nodes=1-4
#SBATCH --ntasks-per-node=16
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --open-mode=append
#SBATCH --output=%x-%A-%a.out

# Five seeds, as in the paper; the index in the array is the seed:
#   sbatch slurm/array.sh configs/ant_mees_explore_exploit.toml runs/ant
config=${1:?configuration}
export MEES_OUT=${2:?name of the run folders}-seed$SLURM_ARRAY_TASK_ID
here=${MEES_SLURM:-$PWD/slurm}
export PATH=${MEES_BIN:-$PWD/build/release/bin}:$PATH

# shellcheck source=slurm/mpirun-options.sh
. "$here/mpirun-options.sh"
mpirun_options "$here"
exec "$here/until-finished.sh" mpirun "${options[@]}" \
    mees_master "$config" --seed "$SLURM_ARRAY_TASK_ID" --out "$MEES_OUT" "${@:3}"
