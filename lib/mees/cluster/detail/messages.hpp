#pragma once

#include <cstdint>
#include <string>

namespace mees {

/// Episodes begin .. end - 1 of a round are this worker's next; no assignment follows if `last`.
struct Assignment {
    std::uint32_t round{0};
    std::uint32_t last{0};
    std::int64_t begin{0};
    std::int64_t end{0};
};

/// Precedes the outcomes of an assignment. A dropped assignment has none.
struct ReplyHeader {
    std::uint32_t round{0};
    std::uint32_t dropped{0};
    std::int64_t begin{0};
    std::int64_t end{0};
    double seconds{0};  ///< that this assignment took
    double physics{0};  ///< since the start, like the rest
    double policy{0};
    double waiting{0};
    std::int64_t episodes{0};
    std::int64_t steps{0};
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

/// For RankInfo and Failure.
template <class Message>
[[nodiscard]] std::string encode(Message const& message);
template <class Message>
void decode(std::string const& bytes, Message& message);

}  // namespace mees
