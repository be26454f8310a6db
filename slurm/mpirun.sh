#!/usr/bin/env bash
#SBATCH --job-name=mees
#SBATCH --nodes=1-4
#SBATCH --ntasks-per-node=16
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.out

# One run with mpirun, requeued until it has finished:
#   sbatch slurm/mpirun.sh configs/ant_mees_explore_exploit.toml runs/ant-1
# One of the ranks is the master. mpirun takes the number of ranks from SLURM.
config=${1:?configuration}
export MEES_OUT=${2:?run folder}
here=${MEES_SLURM:-$PWD/slurm}   # not the folder of this script: batch jobs run a copy of it
export PATH=${MEES_BIN:-$PWD/build/release/bin}:$PATH

# shellcheck source=slurm/mpirun-options.sh
. "$here/mpirun-options.sh"
mpirun_options "$here"
exec "$here/until-finished.sh" mpirun "${options[@]}" \
    mees_master "$config" --out "$MEES_OUT" "${@:3}"
