#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mees {

/// Kinds of messages between rank 0 and one other rank.
enum class Tag : int {
    introduction = 1,  ///< a worker: who it is
    assignment,        ///< rank 0: these items next
    reply,             ///< a worker: what came of them
    failure,           ///< a worker: it threw
    signal,            ///< a worker: it got a signal
    abort,             ///< rank 0 to node leaders: drop this round's items
    ready,             ///< a worker: it has come to the meeting point
    part,              ///< a node leader: its node's part of a sum
};

/// Items begin .. end - 1 of a round of work are this worker's next; nothing follows if `last`.
struct Assignment {
    std::uint32_t round{0};
    std::uint32_t last{0};
    std::int64_t begin{0};
    std::int64_t end{0};
};

/// Goes before the bytes that the items gave. A dropped assignment gives none.
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

/// Who a rank is.
struct Introduction {
    int rank{0};
    std::string host;
    std::string processor;  ///< its kind: two kinds may round differently
    std::string kernel;     ///< equal on ranks that see each other's processes
    std::int64_t process{0};
    bool leads_node{false};
    int node_size{1};
};

/// What went wrong on a rank.
struct Failure {
    int rank{0};
    std::string host;
    std::string where;  ///< " in episode 17", or nothing
    std::string text;
};

[[nodiscard]] std::string encode(Introduction const& introduction);
[[nodiscard]] std::string encode(Failure const& failure);
[[nodiscard]] Introduction decode_introduction(std::string const& bytes);
[[nodiscard]] Failure decode_failure(std::string const& bytes);

}  // namespace mees
