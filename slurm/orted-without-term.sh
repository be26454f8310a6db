#!/usr/bin/env bash
# Starts Open MPI's daemon on the other nodes with SIGTERM blocked: when SLURM ends a job, the ranks on these
# nodes are not killed at once but receive the same warning as all others, and time to save.
exec env --block-signal=TERM orted "$@"
