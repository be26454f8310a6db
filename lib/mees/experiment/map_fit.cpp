#include "mees/experiment/map_fit.hpp"

#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/core/text.hpp"
#include "mees/core/version.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mees {

Settings settings_to_run(RunInfo const& run, DomainRegistry const& domains)
{
    auto settings = stored_settings(run);
    if (run.config.find("\naction = ") == std::string::npos) {
        settings.domain.mjcf.action = ActionMapping::raw;  // a run of 0.1
    }
    auto const known = names_of(domains.known());
    if (std::ranges::find(known, settings.domain.name) == known.end()) {
        throw FileError{"cannot run the map's episodes",
                        fmt::format("unknown domain {}; known: {}", settings.domain.name,
                                    fmt::join(known, ", ")),
                        "Use mees_inspect to examine the map and to export its controllers."};
    }
    return settings;
}

DomainRegistry domains_of(MapReader const& map, Settings const& settings,
                          DomainRegistry const& domains, std::filesystem::path const& model,
                          bool allow_command)
{
    if (allow_command) {
        return domains_of(map, settings, domains.allowing_commands(), model);
    }
    if (!model.empty()) {
        return domains.carrying(document_of_file(model), std::nullopt);
    }
    if (auto document = map.domain()) {
        return domains.carrying(std::move(document), settings.domain);
    }
    return domains.without_files();
}

std::vector<std::string> changes_since(ProgramStatement const& stored, TaskSpec const& now)
{
    std::vector<std::string> changes;
    auto const compare = [&](char const* what, std::string const& before,
                             std::string const& after) {
        if (before != after) {
            changes.push_back(
                fmt::format("{} of the environment was {} and is now {}", what, before, after));
        }
    };
    auto const steps = [](std::int64_t count) { return fmt::format("{} control steps", count); };
    auto const terms = [](std::vector<std::string> const& names) {
        return fmt::format("{}", fmt::join(names, ", "));
    };
    compare("the reward", escaped(terms(stored.reward_terms)), escaped(terms(now.reward_terms)));
    compare("the fitness", fmt::format("the {} of its rewards", name_of(stored.fitness)),
            fmt::format("the {} of its rewards", name_of(now.fitness)));
    compare("an episode", steps(stored.episode_steps), steps(now.episode_steps));
    return changes;
}

void require_map_fits(MapReader const& map, Settings const& settings, TaskSpec const& spec,
                      bool other_model)
{
    std::vector<std::string> reasons;
    if (map.run().domain != settings.domain.name) {
        reasons.push_back(fmt::format("its domain is {} but its configuration has {}",
                                      map.run().domain, settings.domain.name));
    }
    if (map.network() != make_network(settings.policy, spec)) {
        reasons.push_back(
            fmt::format("its controllers have layers {}, the domain {} requires {}",
                        fmt::join(map.network().layers(), " x "), spec.name,
                        fmt::join(make_network(settings.policy, spec).layers(), " x ")));
    }
    if (map.bc_names() != spec.bc_names) {
        reasons.push_back(fmt::format("its BC is {}, the BC of the domain {} is {}",
                                      fmt::join(map.bc_names(), ", "), spec.name,
                                      fmt::join(spec.bc_names, ", ")));
    }
    auto const program = map.program();
    if (program) {
        // An environment in another process does not use this program's physics engine.
    } else if (map.run().mujoco_version != engine_version()) {
        log::warning(
            "this map was made with MuJoCo {}, this build uses {}: its controllers may behave "
            "differently",
            map.run().mujoco_version, engine_version());
    } else if (map.run().model_sha256 != spec.model_sha256 && other_model) {
        log::warning(
            "this is not the model that the map was made with: its controllers may behave "
            "differently");
    } else if (map.run().model_sha256 != spec.model_sha256) {
        reasons.emplace_back("the domain's model has changed since the map was made");
    }
    if (!reasons.empty()) {
        throw FileError{fmt::format("cannot use {} with its domain", map.file().path().string()),
                        fmt::format("{}", fmt::join(reasons, "; ")), "Choose another map."};
    }
    if (program) {
        for (auto const& change : changes_since(*program, spec)) {
            log::warning("{}: fitness may differ from the map's", change);
        }
    }
}

void set_versions(RunInfo& run)
{
    run.mees_version = version();
    run.git_commit = git_commit();
    run.mujoco_version = engine_version();
}

}  // namespace mees
