#include "mees/experiment/variants.hpp"

#include "mees/config/task_description.hpp"
#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/experiment/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {

namespace {

/// Whether the robot's motors are those of the paper's Ant, J0..J7, at its joints.
bool is_ant(Domain const& robot)
{
    auto const document = robot.document();
    if (!document) {
        return false;
    }
    auto words = parse_description(document->description, "the domain").damage_words;
    std::ranges::sort(words.lock);
    return words.motors == std::vector<std::string>{"J0", "J1", "J2", "J3", "J4", "J5", "J6", "J7"}
           && std::ranges::includes(
               words.lock, std::vector<std::string>{"ankle_1", "ankle_2", "ankle_3", "ankle_4",
                                                    "hip_1", "hip_2", "hip_3", "hip_4"});
}

}  // namespace

std::vector<Damage> expand_damages(std::vector<std::string> const& given, Domain const& robot)
{
    std::vector<Damage> damages;
    auto const add = [&](Damage const& damage) {
        if (std::ranges::find(damages, damage) == damages.end()) {
            damages.push_back(damage);
        }
    };
    for (auto const& entry : given) {
        if (entry != "paper") {
            add(Damage::parse(entry));
            continue;
        }
        if (!is_ant(robot)) {
            throw ConfigError{"invalid --damage paper for this map",
                              fmt::format("the paper's damages are the Ant's, this is a map of {}",
                                          robot.spec().name),
                              "Name joints of this domain."};
        }
        std::ranges::for_each(paper_damages(), add);
    }
    return damages;
}

RolloutSetup make_variants(Settings const& settings, std::vector<Damage> const& damages,
                           DomainPtr const& robot)
{
    auto setup = make_rollout(settings, robot);
    add_variants(setup, settings, damages);
    return setup;
}

void add_variants(RolloutSetup& setup, Settings const& settings, std::vector<Damage> const& damages)
{
    auto const robot = setup.domains.front();
    auto const own = Damage::parse(settings.domain.damage);
    for (auto const& damage : damages) {
        setup.domains.push_back(robot->with_damage(own + damage));
    }
}

ModelVariation allowed_variation(ModelVariation const& variation, Settings const& settings,
                                 Domain const& domain)
{
    if (!domain.full_model()) {
        throw ConfigError{
            "invalid --variants for this map",
            fmt::format("the domain {} has no model that could be varied", domain.spec().name),
            "Leave out --variants."};
    }
    auto const own = Damage::parse(settings.domain.damage);
    auto allowed = variation.allowed_by(
        [&](Damage const& damage) { return domain.with_damage(own + damage)->full_model(); });
    if (allowed.text() != variation.text()) {
        log::warning(
            "--variants uses the ranges \"{}\": those of mass are cut, so that a body keeps at "
            "least 5 % of its mass",
            allowed.text());
    }
    return allowed;
}

}  // namespace mees
