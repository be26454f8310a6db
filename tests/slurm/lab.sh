#!/bin/bash
# A real SLURM on this machine, for test_slurm.py.
#   lab.sh up DIR     three nodes of 8 claimed CPUs each; partition main has the first two, low and high
#                     share the third, where high preempts low
#   lab.sh kill DIR N     ends everything on node N (0, 1, 2) at once, as a power cut does
#   lab.sh revive DIR N   switches it on again
#   lab.sh down DIR   ends all jobs and daemons that `up` started
# DIR and all folders above it must be readable by all users: munged and slurmd refuse it otherwise. Needs root
# and the Debian packages slurmctld, slurmd, slurm-client and munge; needs neither systemd nor a database. Each
# node has its own host name (a UTS namespace), so that mpirun treats it as a separate machine.
set -euo pipefail
lab=$2
export SLURM_CONF=$lab/slurm.conf
# Names and ports that no other lab on this machine uses.
base_port=$(cat "$lab/port" 2>/dev/null || echo $((20000 + ($$ % 4000) * 10)))
nodes=("lab${base_port}a" "lab${base_port}b" "lab${base_port}c")

# proctrack/cgroup is what clusters use: signals reach the batch script and the tasks of srun only, and
# nothing outlives its job. Where cgroups are not writable, processes are tracked by their parents.
tracking() {
    local try=/sys/fs/cgroup/freezer/mees_lab_$$
    if mkdir "$try" 2>/dev/null; then rmdir "$try"; echo cgroup; else echo linuxproc; fi
}

write_configuration() {
    cat >"$SLURM_CONF" <<END
ClusterName=mees-lab
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$base_port
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
SlurmdTimeout=60
MinJobAge=3600
SchedulerParameters=bf_interval=2,batch_sched_delay=0,sched_interval=2
PartitionName=main Nodes=${nodes[0]},${nodes[1]} Default=YES MaxTime=INFINITE State=UP
PartitionName=low Nodes=${nodes[2]} MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=10
PartitionName=high Nodes=${nodes[2]} MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
END
    for i in "${!nodes[@]}"; do
        echo "NodeName=${nodes[i]} NodeAddr=127.0.0.1 Port=$((base_port + 1 + i)) CPUs=8 State=UNKNOWN"
    done >>"$SLURM_CONF"
    # slurmd always loads a cgroup plug-in, and cannot detect which one in a container.
    printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$lab/cgroup.conf"
}

all_nodes_idle() { [[ $(sinfo -h -N -o '%N %t' | sort -u | grep -c idle) == "${#nodes[@]}" ]]; }

wait_until() { # wait_until SECONDS COMMAND...
    for _ in $(seq $(($1 * 5))); do
        "${@:2}" >/dev/null 2>&1 && return
        sleep 0.2
    done
    return 1
}

start_node() { # start_node NODE
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare --uts sh -c 'hostname "$1" && exec slurmd -f "$2" -N "$1"' sh "$1" "$SLURM_CONF"
}

# All processes of a node share its UTS namespace.
kill_node() { # kill_node NODE
    local pid space process victims=()
    pid=$(cat "$lab/slurmd-$1.pid")
    space=$(readlink "/proc/$pid/ns/uts")
    [[ $space != "$(readlink /proc/self/ns/uts)" ]]
    for process in /proc/[0-9]*; do
        [[ $(readlink "$process/ns/uts" 2>/dev/null) != "$space" ]] || victims+=("${process#/proc/}")
    done
    kill -9 "${victims[@]}"
}

up() {
    mkdir -p "$lab/state"
    echo "$base_port" >"$lab/port"
    for node in "${nodes[@]}"; do
        mkdir -p "$lab/spool-$node" "$lab/tmp-$node"
        chmod 1777 "$lab/tmp-$node"
    done
    write_configuration
    (umask 077 && head -c 1024 /dev/urandom >"$lab/munge.key")
    munged --socket="$lab/munge.socket" --key-file="$lab/munge.key" --pid-file="$lab/munged.pid" \
        --log-file="$lab/munged.log" --seed-file="$lab/munge.seed"
    slurmctld -f "$SLURM_CONF"
    for node in "${nodes[@]}"; do start_node "$node"; done
    wait_until 30 all_nodes_idle || { sinfo; tail "$lab"/slurm*.log; exit 1; }
}

no_jobs() { [[ -z $(squeue -h) ]]; }

stop() { # stop PIDFILE
    local pid
    pid=$(cat "$1" 2>/dev/null) || return 0
    # The process with this number must still be a daemon of this lab.
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$lab" || return 0
    kill "$pid"
    wait_until 10 test ! -e "/proc/$pid" || kill -9 "$pid"
}

down() {
    squeue -h -o %A | sort -u | xargs -r scancel || true
    wait_until 30 no_jobs || true
    for file in "$lab"/slurmd-*.pid "$lab/slurmctld.pid" "$lab/munged.pid"; do stop "$file"; done
    for node in "${nodes[@]}"; do
        find /sys/fs/cgroup/*/"slurm_$node" -depth -type d -exec rmdir {} \; 2>/dev/null || true
        # Left behind by killed ranks.
        rm -rf /dev/shm/*".$node."* "/tmp/ompi.$node."*
    done
}

case $1 in
    up) up ;;
    kill) kill_node "${nodes[$3]}" ;;
    revive) start_node "${nodes[$3]}" ;;
    down) down ;;
    *) echo "usage: lab.sh up|kill|revive|down DIR [N]" >&2; exit 2 ;;
esac
