#!/bin/bash
# train_on_nodes.sh MPIEXEC NODESxEACH FOLDER-OF-PROGRAMS: the maps of a search on several nodes and of the same
# search in one process are bit-identical. The network and the population are large enough for noise sums to be
# distributed over nodes (a million products).
# shellcheck disable=SC2046 # mpi_options prints words
. "$(dirname "$0")/mpi_options.sh"
mpiexec=$1 ranks=$2 bin=$3
skip_without_nodes "$ranks"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/search.toml" <<'END'
[run]
generations = 8
[domain]
name = "point_maze"
episode_steps = 50
[policy]
hidden = [64, 64]
[noise]
table_size = 300_000
[es]
population = 600
[algorithm]
n_optim_gens = 3
n_eval = 5
END
"$bin/mees_master" "$folder/search.toml" --out "$folder/alone" --threads 1 >/dev/null || exit 1
timeout 90 "$mpiexec" $(mpi_options "$mpiexec" "$ranks") \
    "$bin/mees_master" "$folder/search.toml" --out "$folder/nodes" >/dev/null || exit 1
"$bin/mees_inspect" diff "$folder/alone/map.h5" "$folder/nodes/map.h5" || exit 1
# The same check with HDF5's own tool; only the timing may differ.
if h5diff --exclude-path /timing "$folder/alone/map.h5" "$folder/nodes/map.h5" \
    | grep -E '^(dataset|attribute|group|link|datatype)' | grep -vE '^attribute: <(created|wall_seconds) of </>>'; then
    exit 1
fi
