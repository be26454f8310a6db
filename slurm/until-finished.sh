#!/usr/bin/env bash
# until-finished.sh COMMAND...: runs a command in a batch job until it has finished. COMMAND begins with mpirun,
# mpiexec or srun.
# - Before the time limit or a preemption, SLURM's warning is forwarded to the command as SIGUSR1; the command
#   saves everything and exits with 75, and the job is requeued. After scancel the job is not requeued, nor if the
#   run folder MEES_OUT contains a file STOP.
# - When a rank or a node is lost, the command is started again on the nodes of this job that still answer (sbatch
#   --no-kill keeps them), without the queue; the job is requeued if fewer than MEES_MIN_NODES are left (default:
#   half of them), or after 20 restarts. It ends after ten losses in a row without a new checkpoint in between.
# - The command has finished when it has written the file MEES_MARK (default: FINISHED in MEES_OUT) since this job
#   began, not when its launcher says so: mpirun of Open MPI 5 exits with 0 when a node is lost.
set -u
here=$(dirname "$0")
# shellcheck source=slurm/nodes-of-job.sh
. "$here/nodes-of-job.sh"
term='' warned='' pid=''
mark=${MEES_MARK:-${MEES_OUT:+$MEES_OUT/FINISHED}}
failures=${MEES_OUT:-.}/.failures-$SLURM_JOB_ID # consecutive failures, and losses
most_failures=3 most_losses=10
say() { echo "until-finished.sh: $*" >&2; }

end=$(end_of_job)
summary=${MEES_OUT:+$MEES_OUT/summary.json} # of mees_master: why it stopped
age_of() { stat -c '%i %y' "${1:-/none}" 2>/dev/null; }
former_mark=$(age_of "$mark")
former_summary=
forward() { [ -z "$pid" ] || kill -USR1 "$pid" 2>/dev/null; }
trap 'warned=1; forward' USR1
# TERM is never forwarded as TERM: mpirun would kill its ranks. Before the time limit it means that SLURM
# ends the job (scancel, requeue, preemption) and decides what happens next.
trap '[ "$end" -gt 0 ] && [ "$(date +%s)" -ge "$end" ] || term=1; warned=1; forward' TERM

# run COMMAND...: sets rc.
run() {
    former_summary=$(age_of "$summary")
    # The launcher runs in the background, because bash handles signals only while it waits.
    "$@" &
    pid=$!
    [ -z "$warned" ] || forward
    watch_launcher "${1##*/}" "$pid" "$in_use" >/dev/null 2>&1 &
    local watcher=$! last
    while wait "$pid"; rc=$?; kill -0 "$pid" 2>/dev/null; do :; done
    # A signal may have interrupted the last wait at the moment when the command ended.
    wait "$pid" 2>/dev/null
    last=$?
    [ "$last" = 127 ] || rc=$last
    pid=
    kill "$watcher" 2>/dev/null
    [ -n "$mark" ] || return
    # A mark that was there before proves nothing. A command that has nothing to do writes it anew.
    if [ -e "$mark" ] && [ "$(age_of "$mark")" != "$former_mark" ]; then
        rc=0
    elif [ "$rc" = 0 ]; then
        rc=205
    fi
}

ends_soon() { [ "$end" -gt 0 ] && [ $((end - $(date +%s))) -lt 600 ]; }

may_continue() { [ -z "$term" ] && [ ! -e "${MEES_OUT:-.}/STOP" ]; }

requeue() {
    [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ] || return
    for pause in 0 5 20; do
        sleep "$pause"
        timeout -k 1 30 scontrol requeue "$SLURM_JOB_ID" && exit 0
    done
}

# Launchers send SIGTERM to the ranks that survive a loss. Any other reason that the run gives (its own time limit,
# another signal from the user) is none.
stopped_on_purpose() {
    [ "$(age_of "$summary")" != "$former_summary" ] && grep -q '"stopped_by": "' "$summary" \
        && ! grep -q '"stopped_by": "signal SIGTERM"' "$summary"
}

# A rank that outlived its launcher may hold the folder for a while.
pauses=(2 4 8 16 32)
wait_for_folder() {
    [ "${#pauses[@]}" -gt 0 ] || return
    say "the command ended with 3; next try in ${pauses[0]} s, because a lost rank may still use the folder"
    sleep "${pauses[0]}" &
    wait "$!" # ends at a signal
    pauses=("${pauses[@]:1}")
}

# Checkpoints, or the file with the results of other programs, whose mark is FILE.finished.
saved_state() {
    stat -c '%i %y' "${MEES_OUT:-/none}"/map.h5 "${MEES_OUT:-/none}"/map.changes-*.h5 "${mark%.finished}" 2>/dev/null
}

read -r failed losses < <(cat "$failures" 2>/dev/null) || failed=0
losses=${losses:-0}
restarts=0
had_loss=$([ "${SLURM_RESTART_COUNT:-0}" = 0 ] || echo 1)
in_use=$(nodes_of_job)
command=("$@")
trap end_guard EXIT
while :; do
    guard_job "$here/guard-job.sh" "$in_use"
    before=$(saved_state)
    run "${command[@]}"
    [ "$(saved_state)" = "$before" ] || failed=0 losses=0 # there was progress
    again=
    case $rc in
        75) # stopped early with everything saved; by the launcher, because of a lost rank, if no other reason is known
            failed=0 again=later
            ends_soon || stopped_on_purpose || again=loss ;;
        137 | 143 | 205) # a rank was killed; a node was lost
            again=loss ;;
        # a failure (a rank that is lost or silent can look like one), or a crash; MPICH's mpiexec exits with 255 after
        # a loss, and may exit with the number of the signal; srun with 14, as rank 0 of Open MPI 5 then does
        1 | 14 | 132 | 134 | 135 | 136 | 139 | 9 | 15 | 255)
            failed=$((failed + 1))
            [ "$failed" -gt "$most_failures" ] || again=now ;;
        3)
            if [ -n "$had_loss" ] && wait_for_folder && may_continue && [ -z "$warned" ]; then continue; fi ;;
    esac
    if [ "$again" = loss ]; then
        losses=$((losses + 1))
        again=now
        if [ "$losses" -gt "$most_losses" ]; then
            say "the command ended with $rc; $losses losses without a checkpoint in between"
            break
        fi
    fi
    if [ -z "$again" ] || ! may_continue; then break; fi
    had_loss=1
    mkdir -p "${failures%/*}" && echo "$failed $losses" >"$failures"
    if [ "$again" = now ] && [ -z "$warned" ] && [ "$restarts" -lt 20 ]; then
        restarts=$((restarts + 1))
        in_use=$(nodes_that_answer)
        if enough_nodes "$in_use"; then
            say "the command ended with $rc; restart $restarts on" "${in_use//$'\n'/ }"
            on_nodes "$in_use" "$@"
            may_continue && [ -z "$warned" ] && continue
        else
            say "the command ended with $rc; too few nodes answer:" "${in_use//$'\n'/ }"
        fi
    fi
    may_continue || break
    requeue
    break
done
rm -f "$failures"
exit "$rc"
