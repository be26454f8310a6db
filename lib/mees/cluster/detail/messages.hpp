#pragma once

#include "mees/cluster/detail/share_planner.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mees {

/// Rank 0's answer to a node that asks for episodes; no share follows if `last`.
struct Answer {
    std::uint32_t round{0};
    std::uint32_t last{0};
    Share share;
};

/// What a rank sends to rank 0 for its node: this header, that many WorkerReports, outcomes of
/// episodes up to the end of the message.
struct NodeReport {
    std::uint32_t round{0};
    std::uint32_t asks{0};      ///< for the next share: the sender waits for an Answer
    std::uint32_t finished{0};  ///< no rank of the node has an episode of this round
    std::uint32_t failed{0};    ///< one of them has reported an exception
    std::int64_t workers{0};    ///< of the node
    std::int64_t running{0};    ///< episodes of the node
    std::int64_t messages{0};   ///< of this kind, from the node, in this round; if finished
    std::int64_t reports{0};
};

/// Identifies a rank.
struct RankInfo {
    std::string build;  ///< versions of mees and of the physics engine
    int rank{0};
    std::string host;
    std::string processor;  ///< its model: two models may round differently
    std::string kernel;     ///< equal on ranks that see each other's processes
    std::int64_t process{0};
    bool leads_node{false};
    int node_size{1};
};

/// An exception on a rank.
struct Failure {
    int rank{0};
    std::string host;
    std::string where;  ///< " in episode 17", or empty
    std::string text;
};

/// A rank that may be lost.
struct Suspect {
    std::int32_t rank{-1};   ///< -1: none
    std::uint32_t ended{0};  ///< its process does not exist any more
    double silent_seconds{0};
    std::vector<std::int64_t> episodes;  ///< that it ran when its process ended

    [[nodiscard]] bool less_alarming_than(Suspect const& other) const
    {
        return ended != other.ended ? ended < other.ended : silent_seconds < other.silent_seconds;
    }
};

/// For RankInfo, Failure and Suspect.
template <class Message>
[[nodiscard]] std::string encode(Message const& message);
template <class Message>
void decode(std::string const& bytes, Message& message);

}  // namespace mees
