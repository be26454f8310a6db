#!/usr/bin/env bash
#SBATCH --job-name=mees
#SBATCH --nodes=4-8
#SBATCH --ntasks-per-node=64
#SBATCH --cpus-per-task=1
#SBATCH --exclusive
#SBATCH --time=24:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.out

# 512 ranks on eight exclusive nodes, the paper's scale; the job also starts, and goes on after losses, with four.
# --ntasks-per-node distributes the ranks evenly; each node has one noise table (1 GB) in its shared memory:
#   sbatch slurm/nodes.sh configs/deceptive_humanoid_mees_explore_exploit.toml runs/humanoid-1
config=${1:?configuration}
export MEES_OUT=${2:?run folder}
here=${MEES_SLURM:-$PWD/slurm}
export PATH=${MEES_BIN:-$PWD/build/release/bin}:$PATH

# shellcheck source=slurm/mpirun-options.sh
. "$here/mpirun-options.sh"
mpirun_options "$here"
exec "$here/until-finished.sh" mpirun "${options[@]}" \
    mees_master "$config" --out "$MEES_OUT" "${@:3}"
