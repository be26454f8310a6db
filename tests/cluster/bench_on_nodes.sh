#!/bin/bash
# bench_on_nodes.sh NODESxEACH PROGRAM ARGUMENT...: runs PROGRAM on virtual nodes of this machine, to measure the
# cost of several nodes without having them: bench_on_nodes.sh 4x128 build/release/bin/mees_bench protocol
# shellcheck disable=SC2046 # mpi_options prints words
. "$(dirname "$0")/mpi_options.sh"
ranks=$1 mpiexec=${MPIEXEC:-mpirun}
shift
skip_without_nodes "$ranks"
exec "$mpiexec" $(mpi_options "$mpiexec" "$ranks") "$@"
