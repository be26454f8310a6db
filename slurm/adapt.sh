#!/usr/bin/env bash
#SBATCH --job-name=mees-adapt
#SBATCH --ntasks=64
#SBATCH --time=01:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.out

# Damage recovery from a map, after the job that trains it:
#   job=$(sbatch --parsable slurm/mpirun.sh configs/ant_mees_explore_exploit.toml runs/ant-1)
#   sbatch --dependency=afterok:"$job" slurm/adapt.sh runs/ant-1
out=${1:?run folder}
export MEES_MARK=$out/adapt.h5.finished
here=${MEES_SLURM:-$PWD/slurm}
export PATH=${MEES_BIN:-$PWD/build/release/bin}:$PATH

exec "$here/until-finished.sh" \
    mpirun --mca odls_base_sigkill_timeout 3 --mca orte_launch_agent "$here/orted-without-term.sh" \
    mees_adapt "$out/map.h5" --damage paper --seeds 5 --out "$out/adapt.h5"
