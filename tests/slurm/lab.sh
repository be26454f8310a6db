#!/bin/bash
# A real SLURM on this machine, for the tests of this folder.
#   lab.sh up DIR PID         three nodes of 8 claimed CPUs each; partition main has the first two, low and high
#                             share the third, where high preempts low; all has the three of them. Goes down by
#                             itself when the process PID ends, however that ends.
#   lab.sh in DIR COMMAND...  runs a command where the commands of SLURM reach it
#   lab.sh kill DIR N         ends everything on node N (0, 1, 2) at once
#   lab.sh unplug DIR N       cuts its network, as a power cut does, while its processes live on
#   lab.sh revive DIR N       ends what is left on node N, and switches it on again
#   lab.sh down DIR           ends all jobs and daemons that `up` started
# DIR and all folders above it must be readable by all users: munged and slurmd refuse it otherwise. Needs root,
# ip (iproute2) and the Debian packages slurmctld, slurmd, slurm-client and munge; needs neither systemd nor a
# database. Each node has its own host name and network (a UTS and a network namespace), so that mpirun treats it
# as a separate machine. The nodes and SLURM's controller are connected by a bridge in one more network namespace;
# all of them vanish with the last of their processes.
set -euo pipefail
lab=$2
export SLURM_CONF=$lab/slurm.conf
# Names that no other lab on this machine uses: cgroups and shared memory have them too.
number=$(cat "$lab/number" 2>/dev/null || echo $$)
nodes=("lab${number}a" "lab${number}b" "lab${number}c")
controller=10.0.0.254 # node N is 10.0.0.(N+1)

# proctrack/cgroup is what clusters use: signals reach the batch script and the tasks of srun only, and
# nothing outlives its job. Where cgroups are not writable, processes are tracked by their parents.
tracking() {
    local try=/sys/fs/cgroup/freezer/mees_lab_$$
    if mkdir "$try" 2>/dev/null; then rmdir "$try"; echo cgroup; else echo linuxproc; fi
}

write_configuration() {
    cat >"$SLURM_CONF" <<END
ClusterName=mees-lab
SlurmctldHost=$(hostname)($controller)
SlurmctldPort=6817
AuthInfo=socket=$lab/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$lab/state
SlurmctldPidFile=$lab/slurmctld.pid
SlurmctldLogFile=$lab/slurmctld.log
SlurmdPidFile=$lab/slurmd-%n.pid
SlurmdLogFile=$lab/slurmd-%n.log
SlurmdSpoolDir=$lab/spool-%n
TmpFS=$lab/tmp-%n
ProctrackType=proctrack/$(tracking)
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=pmix
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
ReturnToService=2
KillWait=10
SlurmdTimeout=30
MinJobAge=3600
SchedulerParameters=bf_interval=2,batch_sched_delay=0,sched_interval=2
PartitionName=main Nodes=${nodes[0]},${nodes[1]} Default=YES MaxTime=INFINITE State=UP
PartitionName=low Nodes=${nodes[2]} MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=10
PartitionName=high Nodes=${nodes[2]} MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
PartitionName=all Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=OFF
END
    for i in "${!nodes[@]}"; do
        echo "NodeName=${nodes[i]} NodeAddr=10.0.0.$((i + 1)) Port=6818 CPUs=8 State=UNKNOWN"
    done >>"$SLURM_CONF"
    # slurmd always loads a cgroup plug-in, and cannot detect which one in a container.
    printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$lab/cgroup.conf"
}

all_nodes_idle() { [[ $(at_controller sinfo -h -N -o '%N %t' | sort -u | grep -c idle) == "${#nodes[@]}" ]]; }

wait_until() { # wait_until SECONDS COMMAND...
    for _ in $(seq $(($1 * 5))); do
        "${@:2}" >/dev/null 2>&1 && return
        sleep 0.2
    done
    return 1
}

at_controller() { nsenter --net="/proc/$(cat "$lab/munged.pid")/ns/net" "$@"; }

start_node() { # start_node N
    local node=${nodes[$1]} pid
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare --uts --net sh -c 'hostname "$1" && ip link set lo up
        until ip link set eth0 up 2>/dev/null; do sleep 0.05; done
        ip address add "$3/24" dev eth0 && exec slurmd -f "$2" -N "$1"' sh "$node" "$SLURM_CONF" "10.0.0.$(($1 + 1))" &
    pid=$!
    wait_until 10 in_other_namespaces "$pid"
    spaces_of "$pid" >"$lab/spaces-$node"
    # Unsent data may keep the former link of a node that was killed.
    at_controller ip link delete "port$1" 2>/dev/null || true
    at_controller ip link add name "port$1" type veth peer name eth0 netns "$pid"
    at_controller ip link set "port$1" master hub up
    wait "$pid" # until slurmd runs in the background
}

spaces_of() { readlink "/proc/$1/ns/uts" "/proc/$1/ns/net" 2>/dev/null; }

in_other_namespaces() { # in_other_namespaces PID
    local other own
    mapfile -t other < <(spaces_of "$1")
    mapfile -t own < <(spaces_of self)
    [[ ${#other[@]} == 2 && ${other[0]} != "${own[0]}" && ${other[1]} != "${own[1]}" ]]
}

# All processes of a node share its namespaces.
kill_node() { # kill_node NODE
    local process spaces victims=()
    spaces=$(cat "$lab/spaces-$1")
    for process in /proc/[0-9]*; do
        [[ $(spaces_of "${process#/proc/}") != "$spaces" ]] || victims+=("${process#/proc/}")
    done
    kill -9 "${victims[@]}" 2>/dev/null || true
}

# Ends the lab of a test that was killed.
down_after() { # down_after PID
    # shellcheck disable=SC2016 # the inner shell expands it
    setsid bash -c 'while [ -e "/proc/$2" ]; do sleep 1; done
        [ ! -e "$1/number" ] || exec "$0" down "$1"' "$0" "$lab" "$1" >/dev/null 2>&1 </dev/null &
}

up() { # up PID
    mkdir -p "$lab/state"
    echo "$number" >"$lab/number"
    down_after "$1"
    for node in "${nodes[@]}"; do
        mkdir -p "$lab/spool-$node" "$lab/tmp-$node"
        chmod 1777 "$lab/tmp-$node"
    done
    write_configuration
    (umask 077 && head -c 1024 /dev/urandom >"$lab/munge.key")
    unshare --net munged --socket="$lab/munge.socket" --key-file="$lab/munge.key" --pid-file="$lab/munged.pid" \
        --log-file="$lab/munged.log" --seed-file="$lab/munge.seed"
    at_controller ip link set lo up
    at_controller ip link add name hub type bridge
    at_controller ip address add "$controller/24" dev hub
    at_controller ip link set hub up
    at_controller slurmctld -f "$SLURM_CONF"
    for i in "${!nodes[@]}"; do start_node "$i"; done
    wait_until 60 all_nodes_idle || { at_controller sinfo; tail "$lab"/slurm*.log; exit 1; }
}

no_jobs() { [[ -z $(at_controller squeue -h) ]]; }

stop() { # stop PIDFILE
    local pid
    pid=$(cat "$1" 2>/dev/null) || return 0
    # The process with this number must still be a daemon of this lab.
    { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qF "$lab" || return 0
    kill "$pid"
    wait_until 10 test ! -e "/proc/$pid" || kill -9 "$pid"
}

down() {
    at_controller squeue -h -o %A | sort -u | xargs -r nsenter --net="/proc/$(cat "$lab/munged.pid")/ns/net" scancel || true
    wait_until 30 no_jobs || true
    for file in "$lab"/slurmd-*.pid "$lab/slurmctld.pid"; do stop "$file"; done
    for node in "${nodes[@]}"; do
        [[ ! -e $lab/spaces-$node ]] || kill_node "$node"
    done
    stop "$lab/munged.pid"
    sleep 0.2
    for node in "${nodes[@]}"; do
        find /sys/fs/cgroup/*/"slurm_$node" -depth -type d -exec rmdir {} \; 2>/dev/null || true
        # Left behind by killed ranks.
        rm -rf /dev/shm/*".$node."* "/tmp/ompi.$node."* "/tmp/prte.$node."*
    done
    rm -f "$lab/number"
}

case $1 in
    up) up "$3" ;;
    in) at_controller "${@:3}" ;;
    kill) kill_node "${nodes[$3]}" ;;
    unplug) at_controller ip link set "port$3" down ;;
    revive) kill_node "${nodes[$3]}"; start_node "$3" ;;
    down) down ;;
    *) echo "usage: lab.sh up|in|kill|unplug|revive|down DIR [PID | N | COMMAND]" >&2; exit 2 ;;
esac
