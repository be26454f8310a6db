#include "mees/sim/detail/recorded_domain.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

FileError unusable(std::string const& why)
{
    return FileError{"cannot set up the domain of the recording", why, recording_remedy};
}

DomainSettings settings_of(Recording const& recording, std::vector<KnownName> const& domains)
{
    auto const known = names_of(domains);
    if (std::ranges::find(known, recording.domain) == known.end()) {
        throw unusable(fmt::format("unknown domain \"{}\"; there are {}", recording.domain,
                                   fmt::join(known, ", ")));
    }
    if (!recording.config.empty()) {
        auto settings = parse_settings(recording.config, "its configuration", {}, {domains}).domain;
        if (settings.name != recording.domain) {
            throw unusable(fmt::format("its domain is {}, that of its configuration {}",
                                       recording.domain, settings.name));
        }
        return settings;
    }
    if (recording.domain == "mjcf") {
        throw unusable(
            "it is of a custom model (mjcf) and contains no configuration that describes it");
    }
    DomainSettings settings;
    settings.name = recording.domain;
    return settings;
}

}  // namespace

DomainPtr recorded_domain(Recording const& recording, DomainRegistry const& domains)
{
    try {
        return domains.make(settings_of(recording, domains.known()));
    } catch (ConfigError const& error) {
        throw unusable(error.what());
    }
}

}  // namespace mees
