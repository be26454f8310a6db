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
# An mpirun that lost a rank during start-up may hang when all others have ended too: without a child for a
# minute, it is killed.
watch_mpirun() {
    local without=0
    while [ "$without" -lt 6 ]; do
        sleep 10
        kill -0 "$pid" 2>/dev/null || return
        if pgrep -P "$pid" >/dev/null; then without=0; else without=$((without + 1)); fi
    done
    kill -9 "$pid"
}
if [ "${1##*/}" = mpirun ] && command -v pgrep >/dev/null; then watch_mpirun & fi
while wait "$pid"; rc=$?; kill -0 "$pid" 2>/dev/null; do :; done
# A signal may have ended the last wait just when the command ended.
wait "$pid" 2>/dev/null
last=$?
[ "$last" = 127 ] || rc=$last
case $rc in
    75 | 137 | 143 | 205) most=100 ;; # stopped early with everything saved; a rank was killed; a node was lost
    1 | 134 | 139) most=3 ;;          # a failure, which a rank lost during start-up may look like, or a crash
    *) most=0 ;;                      # finished, or something that has to be changed first
esac
if [ -z "$term" ] && [ ! -e "${MEES_OUT:-.}/STOP" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$most" ]; then
    scontrol requeue "$SLURM_JOB_ID" && exit 0
fi
exit "$rc"
