#!/usr/bin/env bash
#SBATCH --job-name=mees-adapt
#SBATCH --nodes=1-4
#SBATCH --ntasks-per-node=16
#SBATCH --time=01:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.out

# Damage recovery from a map, after the job that trains it:
#   job=$(sbatch --parsable slurm/mpirun.sh configs/ant_mees_explore_exploit.toml runs/ant-1)
#   sbatch --dependency=afterok:"$job" slurm/adapt.sh runs/ant-1
# Further arguments are those of mees_adapt, for example for a robot without the paper's damages:
#   sbatch slurm/adapt.sh runs/cheetah --damage hind_knee --damage friction=0.5 --seeds 3
out=${1:?run folder}
arguments=("${@:2}")
given() { [[ " ${arguments[*]} " == *" $1"[\ =]* ]]; }
given --damage || arguments+=(--damage paper)
given --seeds || arguments+=(--seeds 5)
given --out || arguments+=(--out "$out/adapt.h5")
results=$out/adapt.h5
for ((i = 0; i < ${#arguments[@]}; i++)); do
    case ${arguments[i]} in
        --out) results=${arguments[i + 1]-} ;;
        --out=*) results=${arguments[i]#--out=} ;;
    esac
done
export MEES_MARK=$results.finished
here=${MEES_SLURM:-$PWD/slurm}
export PATH=${MEES_BIN:-$PWD/build/release/bin}:$PATH

# shellcheck source=slurm/mpirun-options.sh
. "$here/mpirun-options.sh"
mpirun_options "$here"
exec "$here/until-finished.sh" mpirun "${options[@]}" \
    mees_adapt "$out/map.h5" "${arguments[@]}"
