#!/usr/bin/env bash
# until-finished.sh COMMAND...: runs a command in a batch job until it has finished, over any number of
# requeues. SLURM's warning before the time limit or a preemption reaches the command as SIGUSR1: it saves
# everything and exits with 75, and the job is requeued. scancel stays final.
set -u
term=
trap 'kill -USR1 "$pid" 2>/dev/null' USR1
# TERM (scancel, requeue, preemption) is never passed on as such: mpirun would kill its ranks.
trap 'term=1; kill -USR1 "$pid" 2>/dev/null' TERM
# The launcher runs in the background: bash looks after signals only while it waits.
"$@" &
pid=$!
while wait "$pid"; rc=$?; kill -0 "$pid" 2>/dev/null; do :; done
case $rc in
    75 | 137 | 205) # stopped early with everything saved; a rank was killed; a node was lost
        if [ -z "$term" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
            scontrol requeue "$SLURM_JOB_ID" && exit 0
        fi ;;
esac
exit "$rc"
