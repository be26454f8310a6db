#!/usr/bin/env bash
# guard-job.sh HOST: runs on another node of the job than its batch script, whose node is HOST, and requeues the job when
# SLURM has taken HOST away. SLURM itself does not: with --no-kill it keeps the other nodes, without a script, until the
# time limit.
set -u
trap '' HUP PIPE USR1 USR2
# shellcheck source=slurm/nodes-of-job.sh
. "$(dirname "$0")/nodes-of-job.sh"
while sleep 5; do
    held=$(nodes_held)
    if [ -n "$held" ] && ! grep -qxF "$1" <<<"$held"; then
        timeout -k 1 30 scontrol requeue "$SLURM_JOB_ID" && exit
    fi
done
