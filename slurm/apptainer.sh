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

# Programs in a container (docker/mees.def), launcher of the host:
#   sbatch slurm/apptainer.sh configs/ant_mees_explore_exploit.toml runs/ant-1
config=${1:?configuration}
export MEES_OUT=${2:?run folder}
here=${MEES_SLURM:-$PWD/slurm}
image=${MEES_IMAGE:-$PWD/mees.sif}

exec "$here/until-finished.sh" \
    srun --mpi=pmix --kill-on-bad-exit=1 apptainer exec "$image" mees_master "$config" --out "$MEES_OUT" "${@:3}"
