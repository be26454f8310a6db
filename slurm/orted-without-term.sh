#!/usr/bin/env bash
# Open MPI's daemon on the other nodes, deaf to SIGTERM: when SLURM ends a job the ranks there are not
# killed at once but get the same warning as all others, and the time to save.
exec env --block-signal=TERM orted "$@"
