#include "mees/experiment/variants.hpp"

#include "mees/core/error.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/sim/damage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

DomainSettings damaged(DomainSettings settings, std::string const& damage)
{
    settings.damage.push_back(damage);
    return settings;
}

}  // namespace

std::vector<std::string> expand_damages(std::vector<std::string> const& given,
                                        std::string const& domain)
{
    std::vector<std::string> damages;
    auto const add = [&](std::string const& damage) {
        if (std::ranges::find(damages, damage) == damages.end()) {
            damages.push_back(damage);
        }
    };
    for (auto const& entry : given) {
        if (entry != "paper") {
            add(fmt::format("{}", fmt::join(split_damage(entry), ",")));
            continue;
        }
        if (domain != "ant" && domain != "ant_maze") {
            throw ConfigError{
                "--damage paper does not fit this map",
                fmt::format("the paper's damages are the Ant's, this is a map of {}", domain),
                "name joints of this domain"};
        }
        for (auto const& damage : paper_damages()) {
            add(damage.name);
        }
    }
    return damages;
}

RolloutSetup make_variants(Settings const& settings, std::vector<std::string> const& damages)
{
    auto setup = make_rollout(settings, make_domain(settings.domain));
    for (auto const& damage : damages) {
        setup.domains.push_back(make_domain(damaged(settings.domain, damage)));
    }
    return setup;
}

}  // namespace mees
