#!/bin/bash
# one_table_per_node.sh MPIEXEC NODESxEACH PROGRAM: every rank prints its host name and the memory of its noise
# table; there must be one table per node.
# shellcheck disable=SC2046 # mpi_options prints words
. "$(dirname "$0")/mpi_options.sh"
mpiexec=$1 ranks=$2 program=$3
skip_without_nodes "$ranks"
tables=$(timeout 60 "$mpiexec" $(mpi_options "$mpiexec" "$ranks") "$program" name_table) || exit 1
echo "$tables"
[ "$(echo "$tables" | grep -c '^table ')" = $((${ranks%x*} * ${ranks#*x})) ] || { echo "not every rank has one"; exit 1; }
[ "$(echo "$tables" | sort -u | wc -l)" = "${ranks%x*}" ] || { echo "ranks of a node have different tables"; exit 1; }
[ "$(echo "$tables" | cut -d' ' -f2 | sort -u | wc -l)" = "${ranks%x*}" ] || { echo "fewer host names than nodes"; exit 1; }
[ "$(echo "$tables" | cut -d' ' -f3 | sort -u | wc -l)" = "${ranks%x*}" ] || { echo "nodes share a table"; exit 1; }
