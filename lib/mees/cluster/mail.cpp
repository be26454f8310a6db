#include "mees/cluster/mail.hpp"

namespace mees {

std::string receive_bytes(int source, Tag tag)
{
    MPI_Status status;
    int count = 0;
    check_mpi(MPI_Probe(source, static_cast<int>(tag), MPI_COMM_WORLD, &status), "receiving");
    MPI_Get_count(&status, MPI_BYTE, &count);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    check_mpi(MPI_Recv(bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, static_cast<int>(tag),
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              "receiving");
    return bytes;
}

bool has_mail(Tag tag, int source)
{
    int there = 0;
    check_mpi(MPI_Iprobe(source, static_cast<int>(tag), MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE),
              "looking for messages");
    return there != 0;
}

}  // namespace mees
