# Functions of until-finished.sh about the job and its nodes. SLURM may be slow or down: every question to it has a
# time limit, and no answer changes nothing.
# shellcheck shell=bash
# The step of a lost node still has its CPUs: new steps must not wait for them.
export SLURM_OVERLAP=1

# Prints the second at which SLURM ends this job; 0: never, or unknown.
end_of_job() {
    local text=${SLURM_JOB_END_TIME:-}
    if [ -n "$text" ]; then
        echo "$text"
        return
    fi
    text=$(timeout -k 1 10 squeue -h -j "$SLURM_JOB_ID" -o %e 2>/dev/null)
    case $text in
        [0-9]*) date +%s -d "$text" 2>/dev/null || echo 0 ;;
        *) echo 0 ;;
    esac
}

# expand LIST: prints the nodes that n[1-3] stands for.
expand() { timeout -k 1 10 scontrol show hostnames "$1" 2>/dev/null; }

# The nodes that this job began with.
nodes_of_job() { expand "${SLURM_JOB_NODELIST:-}"; }

# The nodes that SLURM has not taken away since; all of them if it does not say.
nodes_held() {
    local list
    list=$(timeout -k 1 10 squeue -h -j "$SLURM_JOB_ID" -o %N 2>/dev/null)
    case $list in
        "" | *[!][a-zA-Z0-9,._-]*) nodes_of_job ;;
        *) expand "$list" ;;
    esac
}

# Of these, the ones that can start a process.
nodes_that_answer() {
    local node
    for node in $(nodes_held); do
        (timeout -s KILL 8 srun --mpi=none -N1 -n1 -w "$node" true >/dev/null 2>&1 && echo "$node") &
    done | sort
}

# guard_job SCRIPT NODES: starts guard-job.sh on one of NODES that is not this one, in place of an earlier one.
guard=
guard_job() {
    local node
    end_guard
    [ -n "${SLURMD_NODENAME:-}" ] || return
    for node in $2; do
        if [ "$node" != "$SLURMD_NODENAME" ]; then
            srun --mpi=none -N1 -n1 -w "$node" "$1" "$SLURMD_NODENAME" </dev/null >/dev/null 2>&1 &
            guard=$!
            return
        fi
    done
}
end_guard() { [ -z "$guard" ] || kill "$guard" 2>/dev/null; }

# enough_nodes NODES: whether this job should go on with them.
enough_nodes() {
    local all
    all=$(nodes_of_job | wc -l)
    [ "$(wc -w <<<"$1")" -ge "${MEES_MIN_NODES:-$(((all + 1) / 2))}" ] && [ -n "$1" ]
}

# tasks_of NODE: how many tasks SLURM has given to it; SLURM_TASKS_PER_NODE is like "4(x2),1".
tasks_of() {
    local counts node part
    counts=$(tr , '\n' <<<"${SLURM_TASKS_PER_NODE:-1}" | while IFS='(x)' read -r count _ times; do
        for _ in $(seq "${times:-1}"); do echo "$count"; done
    done)
    nodes_of_job | paste - <(echo "$counts") | while read -r node part; do
        [ "$node" != "$1" ] || echo "${part:-1}"
    done
}

# on_nodes NODES COMMAND...: sets `command` so that it runs on these nodes.
# shellcheck disable=SC2034 # the caller's
on_nodes() {
    local node tasks total=0 count=0 hosts='' names='' launcher=$2
    for node in $1; do
        tasks=$(tasks_of "$node")
        total=$((total + tasks))
        count=$((count + 1))
        hosts=${hosts:+$hosts,}$node:$tasks
        names=${names:+$names,}$node
    done
    command=("${@:2}")
    case ${launcher##*/} in
        mpirun | mpiexec | mpiexec.hydra) command=("$launcher" --host "$hosts" "${@:3}") ;;
        srun) command=("$launcher" -N "$count" -n "$total" -w "$names" "${@:3}") ;;
    esac
}

# proxies_here PID: the processes of MPICH and Intel MPI whose children are the ranks. A launcher starts them itself, or
# through srun on its own node too: those belong to this job.
proxies_here() {
    local proxy
    pgrep -P "$1" '^hydra_'
    for proxy in $(pgrep -u "$EUID" '^hydra_pmi_proxy'); do
        ! grep -qzxF "SLURM_JOB_ID=$SLURM_JOB_ID" "/proc/$proxy/environ" 2>/dev/null || echo "$proxy"
    done
}

# ranks_here PID: the processes on this node that a launcher has started, apart from those that start ranks.
ranks_here() {
    local parent
    for parent in "$1" $(proxies_here "$1"); do
        pgrep -l -P "$parent" | grep -vE ' (srun|ssh|rsh|hydra_.*)$'
    done
}

# end_launcher PID: at once, with its proxies, which would otherwise wait for it.
end_launcher() {
    local proxies
    proxies=$(proxies_here "$1")
    # shellcheck disable=SC2086 # a list of numbers
    kill -9 "$1" $proxies
}

# watch_launcher NAME PID NODES: kills a launcher that will not end by itself. mpirun may hang after it has lost a rank
# during start-up, or a node: its ranks on this node are then gone, for ten seconds or never started within a minute.
# And no launcher notices that one of NODES was unplugged; SLURM does, and takes the node away.
watch_launcher() {
    local looks=0 without=0 patience=30 ranks held node
    while sleep 2 && kill -0 "$2" 2>/dev/null; do
        looks=$((looks + 1))
        if [[ $1 == mpirun || $1 == mpiexec* ]] && command -v pgrep >/dev/null; then
            ranks=$(ranks_here "$2")
            if [ -n "$ranks" ]; then
                patience=5 without=0
            elif [ "$patience" = 5 ] || ! pgrep -P "$2" >/dev/null; then
                without=$((without + 1))
            fi
        fi
        if [ $((looks % 5)) = 0 ]; then
            held=$(nodes_held)
            for node in $3; do
                [ -z "$held" ] || grep -qxF "$node" <<<"$held" || without=$patience
            done
        fi
        if [ "$without" -ge "$patience" ]; then
            end_launcher "$2"
            return
        fi
    done
}
