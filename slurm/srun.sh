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

# One run with srun, requeued until it has finished. srun must start the ranks with the protocol of their MPI
# library (`srun --mpi=list` shows the known ones): PMIx for Open MPI, usually PMI-2 for MPICH. Otherwise every rank
# would be a separate MPI world, which mees rejects. Without --kill-on-bad-exit the other ranks would wait forever
# for a rank that is lost during start-up.
#   sbatch slurm/srun.sh configs/ant_mees_explore_exploit.toml runs/ant-1
#   SLURM_MPI_TYPE=pmi2 sbatch slurm/srun.sh configs/ant_mees_explore_exploit.toml runs/ant-1
config=${1:?configuration}
export MEES_OUT=${2:?run folder}
here=${MEES_SLURM:-$PWD/slurm}
export PATH=${MEES_BIN:-$PWD/build/release/bin}:$PATH

exec "$here/until-finished.sh" srun "--mpi=${SLURM_MPI_TYPE:-pmix}" --kill-on-bad-exit=1 mees_master "$config" --out "$MEES_OUT" "${@:3}"
