#include "mees/config/known_names.hpp"

#include <algorithm>

namespace mees {

bool KnownName::names(KeyGroup group) const
{
    return uses && std::ranges::find(*uses, group) != uses->end();
}

std::vector<KnownName> const& KnownNames::of_key(std::string_view full_name) const
{
    static std::vector<KnownName> const none;
    if (full_name == "domain.name") {
        return domains;
    }
    return full_name == "algorithm.name" ? algorithms : none;
}

std::vector<std::string> names_of(std::vector<KnownName> const& known)
{
    std::vector<std::string> names;
    for (auto const& entry : known) {
        names.push_back(entry.name);
    }
    return names;
}

}  // namespace mees
