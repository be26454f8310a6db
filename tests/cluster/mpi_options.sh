is_open_mpi() { "$1" --version 2>&1 | grep -qE "Open ?(MPI|RTE)"; }

# mpi_options MPIEXEC RANKS: the options with which this MPIEXEC (Open MPI's or MPICH's) starts RANKS ranks that
# share a few cores. RANKS is a number, or NODESxEACH for several virtual nodes on this machine.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi_options() {
    local nodes=${2%x*} each=${2#*x} agent hosts transports=self,vader
    agent=$(dirname "${BASH_SOURCE[0]}")/virtual_node.sh
    if ! is_open_mpi "$1"; then
        case $2 in
            *x*) hosts=$(seq -f "127.0.1.%g:$each" -s, "$nodes")
                 echo "-launcher rsh -launcher-exec $agent -hosts $hosts -n $((nodes * each))" ;;
            *) echo "-n $2" ;;
        esac
        return
    fi
    case $2 in
        *x*) transports=$transports,tcp
             hosts=$(seq -f "127.0.1.%g:$each" -s, "$nodes")
             echo "--host $hosts --mca plm_rsh_agent $agent --mca plm_rsh_no_tree_spawn 1"
             echo "--mca oob_tcp_if_include lo --mca btl_tcp_if_include lo -n $((nodes * each))" ;;
        *) echo "--oversubscribe -n $2" ;;
    esac
    echo "--bind-to none --mca mpi_yield_when_idle 1 --mca btl $transports"
}

# Ends the test as skipped if RANKS asks for virtual nodes and this machine does not allow them.
skip_without_nodes() {
    case $1 in
        *x*) "$(dirname "${BASH_SOURCE[0]}")/virtual_node.sh" probe true 2>/dev/null && return
             echo "skipped: virtual nodes need root or user namespaces"
             exit 77 ;;
    esac
}
