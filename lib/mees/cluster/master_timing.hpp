#pragma once

#include <cstdint>

namespace mees {

/// Where rank 0's time went, in seconds, and how much it had to say.
struct MasterTiming {
    double sending{0};   ///< writing batches and sending them to the nodes
    double handling{0};  ///< reading replies and answering them
    double idle{0};      ///< nothing to do
    double summing{0};   ///< sums of noise, from the request to the result
    std::int64_t messages{0};
};

}  // namespace mees
