#pragma once

#include <cstdint>

namespace mees {

/// Where rank 0's time went, in seconds, and how much it had to say. What is in none of them is the
/// search's own: ranks, novelty, optimiser, map.
struct MasterTiming {
    double sending{0};      ///< writing batches and sending them to the nodes
    double dispatching{0};  ///< handing out episodes
    double receiving{0};    ///< taking replies in
    double storing{0};      ///< putting what they say into the result
    double waiting{0};      ///< nothing to do
    double summing{0};      ///< sums of noise, from the request to the result
    std::int64_t messages{0};

    MasterTiming& operator-=(MasterTiming const& other)
    {
        sending -= other.sending;
        dispatching -= other.dispatching;
        receiving -= other.receiving;
        storing -= other.storing;
        waiting -= other.waiting;
        summing -= other.summing;
        messages -= other.messages;
        return *this;
    }
};

}  // namespace mees
