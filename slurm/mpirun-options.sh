# mpirun_options FOLDER: sets `options` to what mpirun needs so that rank 0 can save after a loss: with Open MPI time
# between its signals, and daemons (orted-without-term.sh in FOLDER) that survive SIGTERM. mpirun of Open MPI 5
# ignores these options, that of other MPI libraries would refuse them.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the caller's
mpirun_options() {
    options=()
    case $(mpirun --version 2>&1) in
        *"Open MPI"* | *OpenRTE*)
            options=(--mca odls_base_sigkill_timeout 2 --mca orte_launch_agent "$1/orted-without-term.sh") ;;
    esac
}
