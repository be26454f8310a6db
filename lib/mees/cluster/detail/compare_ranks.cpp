#include "mees/cluster/detail/compare_ranks.hpp"

#include "mees/cluster/detail/ranks.hpp"
#include "mees/core/error.hpp"
#include "mees/rollout/fingerprint.hpp"

#include <fmt/format.h>

#include <vector>

namespace mees {
namespace {

/// Throws unless all ranks compute the same as rank 0. `found` are their fingerprints, by rank.
void require_equal_ranks(Ranks const& ranks, std::vector<Fingerprint> const& found)
{
    auto const& own = found.front();
    for (std::size_t i = 1; i < found.size(); ++i) {
        auto const name = ranks.name_of(static_cast<int>(i));
        if (found[i].models != own.models) {
            throw FileError{
                fmt::format("{} has another model than rank 0", name),
                fmt::format(
                    "the compiled model's SHA-256, or what an environment states of itself, "
                    "is {} there and {} on host {}",
                    found[i].models, own.models, ranks.host()),
                "Use one copy of the model file and of its assets, or of the environment, on all "
                "nodes."};
        }
        if (found[i].trial != own.trial) {
            throw ClusterError{
                fmt::format("{} computes other numbers than rank 0", name),
                fmt::format("mathematical functions or a trial episode differ in the last digits "
                            "between it and host {}",
                            ranks.host()),
                "Use nodes with the same kind of CPU and the same system libraries "
                "(sbatch --constraint)."};
        }
    }
}

}  // namespace

void compare_ranks(ClusterRuntime& runtime, RolloutSetup const& setup)
{
    std::vector<Fingerprint> found;
    for (auto const& text : runtime.gather(to_text(fingerprint(setup)))) {
        found.push_back(fingerprint_from(text));
    }
    if (runtime.is_master()) {
        require_equal_ranks(runtime.ranks(), found);
    }
}

}  // namespace mees
