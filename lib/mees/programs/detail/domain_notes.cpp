#include "mees/programs/detail/domain_notes.hpp"

#include "mees/rollout/determinism.hpp"

#include <fmt/format.h>

namespace mees {

std::vector<std::string> notes_on(Domain const& domain, DomainRegistry const& domains,
                                  std::string_view name)
{
    auto notes = domain.spec().notes;
    if (!domains.starts_command(name)) {
        return notes;
    }
    try {
        auto const found = check_determinism(domain, {.episodes = 2, .steps = 25, .seconds = 2.0});
        if (!found.difference.empty()) {
            notes.push_back(fmt::format(
                "the environment is not deterministic ({}): results depend on the number of ranks, "
                "and a run that is repeated or resumed gives others",
                found.difference));
        }
    } catch (SimulationError const&) {
        // The run repeats the episode, or ends with the reason.
    }
    return notes;
}

}  // namespace mees
