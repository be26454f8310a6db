#!/usr/bin/env bash
# smoke_test.sh [BIN]: whether installed programs work, in seconds. BIN: their folder; default: bin of the prefix in which
# this script is installed (share/mees), else the PATH. Spack, conda and EasyBuild run it after installation.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
bin=${1:-$here/../../bin}
[[ ! -x $bin/mees_master ]] || PATH=$(readlink -f "$bin"):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >small.toml <<'END'
run.generations = 4
domain.name = "point_maze"
policy.hidden = [8]
noise.table_size = 10_000
es.population = 8
algorithm.n_eval = 2
algorithm.n_optim_gens = 2
END

quietly() { # quietly COMMAND: shows its output only if it fails
    "$@" >output 2>&1 || { local status=$?; cat output; printf 'smoke_test: error: %s ended with %s.\n' "$*" "$status"; exit 1; }
}

mees_master --version | head -n 1
quietly mees_master small.toml --threads 1 --out first
quietly mees_master small.toml --threads 2 --generations 2 --out second
quietly mees_master small.toml --threads 2 --out second # resumes
quietly mees_inspect diff first/map.h5 second/map.h5
if command -v mpirun >/dev/null && [[ ${MEES_SMOKE_MPI:-1} == 1 ]]; then
    # These options work on any machine and in containers, also as root.
    options=()
    if [[ $(mpirun --version 2>/dev/null) == *'Open MPI'* ]]; then
        options=(--oversubscribe --bind-to none --mca btl_vader_single_copy_mechanism none)
        [[ $EUID != 0 ]] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    quietly mpirun -n 3 "${options[@]}" mees_master small.toml --out third
    quietly mees_inspect diff first/map.h5 third/map.h5
else
    echo 'not tested: MPI (no mpirun, or MEES_SMOKE_MPI=0)'
fi
quietly mees_inspect verify first/map.h5
quietly mees_replay first/map.h5 --cell best --episodes 1
quietly mees_evaluate first/map.h5 --episodes 2 --out corrected.h5
quietly mees_inspect export first/map.h5 --cell best --out best.onnx
echo 'smoke test passed'
