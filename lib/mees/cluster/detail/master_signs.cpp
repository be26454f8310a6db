#include "mees/cluster/detail/master_signs.hpp"

#include "mees/core/stopwatch.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <thread>

namespace mees {
namespace {

constexpr double seconds_between_signs = 2;
constexpr double seconds_to_announce = 1;
/// Launchers need up to ten seconds to end a run whose rank 0 has died, and know best why.
constexpr double seconds_for_launcher = 10;

constexpr MasterSign lives{0};
constexpr MasterSign has_ended{1};

/// The ranks of a communicator, as MPI_COMM_WORLD counts them.
std::vector<int> world_ranks(MPI_Comm comm)
{
    int size = 0;
    MPI_Comm_size(comm, &size);
    std::vector<int> own(static_cast<std::size_t>(size));
    std::iota(own.begin(), own.end(), 0);
    std::vector<int> world(own.size());
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(group, size, own.data(), all, world.data());
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    return world;
}

bool send_sign(int rank, MasterSign const& sign, MPI_Request& request)
{
    MpiCall const call{rank};
    return MPI_Isend(&sign, sizeof sign, MPI_BYTE, rank, static_cast<int>(Tag::sign),
                     MPI_COMM_WORLD, &request)
           == MPI_SUCCESS;
}

bool sent(MPI_Request& request)
{
    int done = 0;
    MpiCall const call;
    return MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
}

}  // namespace

MasterContact contact_master(MPI_Comm node, MPI_Comm leaders, bool first_node,
                             std::string const& own_host)
{
    constexpr char const* doing = "finding the ranks of the first node";
    MasterContact contact;
    auto const here = world_ranks(node);
    bool const has_deputy = first_node && here.size() > 1;
    int own = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (leaders != MPI_COMM_NULL) {
        std::array<char, 256> host{};
        own_host.copy(host.data(), host.size() - 1);
        contact.sender = has_deputy ? here[1] : 0;
        contact.leaders = world_ranks(leaders);
        check_mpi(MPI_Bcast(host.data(), host.size(), MPI_CHAR, 0, leaders), doing);
        check_mpi(MPI_Bcast(&contact.sender, 1, MPI_INT, 0, leaders), doing);
        contact.host = host.data();
    }
    if (has_deputy) {
        int count = static_cast<int>(contact.leaders.size());
        check_mpi(MPI_Bcast(&count, 1, MPI_INT, 0, node), doing);
        contact.leaders.resize(static_cast<std::size_t>(count));
        check_mpi(MPI_Bcast(contact.leaders.data(), count, MPI_INT, 0, node), doing);
        contact.sender = here[1];
    }
    contact.sends = first_node && own == contact.sender && contact.leaders.size() > 1;
    return contact;
}

MasterSigns::MasterSigns(std::vector<int> const& leaders)
{
    for (int const rank : leaders) {
        if (rank != 0) {
            leaders_.push_back({rank});
        }
    }
}

void MasterSigns::tend(double now)
{
    if (now < next_) {
        return;
    }
    next_ = now + seconds_between_signs;
    for (auto& leader : leaders_) {
        if (leader.request == MPI_REQUEST_NULL || sent(leader.request)) {
            send_sign(leader.rank, lives, leader.request);
        }
    }
}

void MasterSigns::announce_end()
{
    std::vector<MPI_Request> requests;
    for (auto const& leader : leaders_) {
        send_sign(leader.rank, has_ended, requests.emplace_back(MPI_REQUEST_NULL));
    }
    Stopwatch const watch;
    while (!std::ranges::all_of(requests, sent) && watch.seconds() < seconds_to_announce) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
}

void MasterWatch::heard(MasterSign const& sign)
{
    silent_seconds_ = 0;
    ended_ = ended_ || sign.ended != 0;
}

MasterWatch::Verdict MasterWatch::look(double seconds, bool due, double patience)
{
    silent_seconds_ = due ? silent_seconds_ + seconds : 0;
    if (ended_) {
        seconds_since_end_ += seconds;
        return seconds_since_end_ >= seconds_for_launcher ? Verdict::ended : Verdict::lives;
    }
    return patience > 0 && silent_seconds_ >= patience ? Verdict::silent : Verdict::lives;
}

void receive_signs(int sender, MasterWatch& watch)
{
    for (;;) {
        int arrived = 0;
        MPI_Status status;
        if (MPI_Iprobe(sender, static_cast<int>(Tag::sign), MPI_COMM_WORLD, &arrived, &status)
                != MPI_SUCCESS
            || arrived == 0) {
            return;
        }
        MasterSign sign;
        if (MPI_Recv(&sign, sizeof sign, MPI_BYTE, sender, static_cast<int>(Tag::sign),
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE)
            != MPI_SUCCESS) {
            return;
        }
        watch.heard(sign);
    }
}

}  // namespace mees
