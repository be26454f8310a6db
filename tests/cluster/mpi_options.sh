# Options that let many ranks share a few cores, for whichever mpiexec it is.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi_options() {
    if "$1" --version 2>&1 | grep -qE "Open ?(MPI|RTE)"; then
        echo "--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl self,vader"
    fi
}
