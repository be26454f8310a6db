#!/bin/bash
# on_rank.sh RANK WORDS PROGRAM...: runs PROGRAM; on rank RANK after evaluating WORDS.
rank=$1 words=$2
shift 2
[ "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" = "$rank" ] && eval "$words"
exec "$@"
