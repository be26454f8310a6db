#!/usr/bin/env bash
# until-finished.sh COMMAND...: runs a command in a batch job until it has finished, over any number of
# requeues. SLURM's warning before the time limit or a preemption reaches the command as SIGUSR1: it saves
# everything and exits with 75, and the job is requeued. scancel stays final, and so does a file STOP in
# the run folder that MEES_OUT names.
set -u
term=
end=$(date +%s -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" 2>/dev/null || echo 0) # 0: no limit
trap 'kill -USR1 "$pid" 2>/dev/null' USR1
# TERM is never passed on as such: mpirun would kill its ranks. Before the time limit it means that SLURM
# wants the job gone (scancel, requeue, preemption) and decides what comes next.
trap '[ "$end" -gt 0 ] && [ "$(date +%s)" -ge "$end" ] || term=1; kill -USR1 "$pid" 2>/dev/null' TERM
# The launcher runs in the background: bash looks after signals only while it waits.
"$@" &
pid=$!
while wait "$pid"; rc=$?; kill -0 "$pid" 2>/dev/null; do :; done
case $rc in
    75 | 137 | 205) # stopped early with everything saved; a rank was killed; a node was lost
        if [ -z "$term" ] && [ ! -e "${MEES_OUT:-.}/STOP" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
            scontrol requeue "$SLURM_JOB_ID" && exit 0
        fi ;;
esac
exit "$rc"
