#include "mees/cluster/detail/mpi.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <string_view>

namespace mees {
namespace {

std::atomic<bool> failed{false};
std::atomic<std::uint64_t> calls_begun{0};
std::atomic<std::uint64_t> calls_ended{0};
std::atomic<int> peer_of_call{-1};

int length_of(std::span<std::byte const> bytes)
{
    return static_cast<int>(bytes.size());
}

}  // namespace

void check_mpi(int code, char const* doing)
{
    if (code == MPI_SUCCESS) {
        return;
    }
    failed = true;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw ClusterError{fmt::format("MPI failed while {}", doing),
                       std::string_view{text.data(), static_cast<std::size_t>(length)},
                       "See the MPI library's own messages, and check whether mees_bench protocol "
                       "works on these nodes."};
}

bool mpi_failed()
{
    return failed;
}

MpiCall::MpiCall(int peer)
{
    peer_of_call.store(peer, std::memory_order_relaxed);
    calls_begun.fetch_add(1, std::memory_order_relaxed);
}

MpiCall::~MpiCall()
{
    calls_ended.fetch_add(1, std::memory_order_relaxed);
}

PresentCall present_mpi_call()
{
    auto const ended = calls_ended.load();
    auto const begun = calls_begun.load();
    return begun == ended ? PresentCall{} : PresentCall{begun, peer_of_call.load()};
}

void await(MPI_Request& request, WaitPolicy policy, char const* doing, Poll const& poll)
{
    Backoff backoff{policy};
    for (int done = 0;;) {
        {
            MpiCall const call;
            check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), doing);
        }
        if (done != 0) {
            return;
        }
        if (poll) {
            poll();
        }
        backoff.pause();
    }
}

bool probe(Tag tag, int source)
{
    int arrived = 0;
    MpiCall const call{source};
    check_mpi(
        MPI_Iprobe(source, static_cast<int>(tag), MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE),
        "probing for messages");
    return arrived != 0;
}

void send_bytes(int rank, Tag tag, std::span<std::byte const> bytes)
{
    MpiCall const call{rank};
    check_mpi(MPI_Send(bytes.data(), length_of(bytes), MPI_BYTE, rank, static_cast<int>(tag),
                       MPI_COMM_WORLD),
              "sending");
}

void send_large(int rank, Tag tag, std::span<std::byte const> bytes, WaitPolicy policy,
                Poll const& poll)
{
    MPI_Request request = MPI_REQUEST_NULL;
    {
        MpiCall const call{rank};
        check_mpi(MPI_Isend(bytes.data(), length_of(bytes), MPI_BYTE, rank, static_cast<int>(tag),
                            MPI_COMM_WORLD, &request),
                  "sending");
    }
    await(request, policy, "sending", poll);
}

MPI_Request start_receive(int source, Tag tag, std::span<std::byte> bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MpiCall const call{source};
    check_mpi(MPI_Irecv(bytes.data(), length_of(bytes), MPI_BYTE, source, static_cast<int>(tag),
                        MPI_COMM_WORLD, &request),
              "receiving");
    return request;
}

void receive_exactly(int source, Tag tag, std::span<std::byte> bytes, Poll const& poll)
{
    MPI_Request request = start_receive(source, tag, bytes);
    MPI_Status status;
    Backoff backoff{{}};
    for (int done = 0;;) {
        {
            MpiCall const call{source};
            check_mpi(MPI_Test(&request, &done, &status), "receiving");
        }
        if (done != 0) {
            break;
        }
        if (poll) {
            poll();
        }
        backoff.pause();
    }
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    expects(count == length_of(bytes), "a message of the expected size");
}

}  // namespace mees
