#!/usr/bin/env bash
# until-finished.sh COMMAND...: runs a command in a batch job until it has finished, across any number of
# requeues. Before the time limit or a preemption, SLURM's warning is forwarded to the command as SIGUSR1; the
# command saves everything and exits with 75, and the job is requeued. After scancel the job is not requeued,
# nor if the run folder MEES_OUT contains a file STOP.
set -u
term=
end=$(date +%s -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" 2>/dev/null || echo 0) # 0: no limit
trap 'kill -USR1 "$pid" 2>/dev/null' USR1
# TERM is never forwarded as TERM: mpirun would kill its ranks. Before the time limit it means that SLURM
# ends the job (scancel, requeue, preemption) and decides what happens next.
trap '[ "$end" -gt 0 ] && [ "$(date +%s)" -ge "$end" ] || term=1; kill -USR1 "$pid" 2>/dev/null' TERM
# The launcher runs in the background, because bash handles signals only while it waits.
"$@" &
pid=$!
# An mpirun that lost a rank during start-up may hang after all other ranks have ended: if it has no child
# process for a minute, it is killed.
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
# A signal may have interrupted the last wait at the moment when the command ended.
wait "$pid" 2>/dev/null
last=$?
[ "$last" = 127 ] || rc=$last
case $rc in
    75 | 137 | 143 | 205) most=100 ;; # stopped early with everything saved; rank killed; node lost
    1 | 134 | 139) most=3 ;;          # a failure (a rank lost during start-up can look like one), or a crash
    *) most=0 ;;                      # finished, or an error that a retry cannot fix
esac
if [ -z "$term" ] && [ ! -e "${MEES_OUT:-.}/STOP" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$most" ]; then
    scontrol requeue "$SLURM_JOB_ID" && exit 0
fi
exit "$rc"
