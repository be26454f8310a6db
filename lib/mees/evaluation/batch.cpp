#include "mees/evaluation/batch.hpp"

#include "mees/core/eigen_span.hpp"
#include "mees/core/error.hpp"

#include <utility>

namespace mees {
namespace {

struct Purposes {
    Purpose reset;
    Purpose action;
    Purpose sample;
};

Purposes purposes_of(EpisodeKind kind)
{
    switch (kind) {
        case EpisodeKind::training:
            return {Purpose::training_reset, Purpose::training_action, Purpose::observation_sample};
        case EpisodeKind::evaluation:
            break;
        case EpisodeKind::trial:
            return {Purpose::adaptation_trial, Purpose::evaluation_action,
                    Purpose::evaluation_sample};
        case EpisodeKind::score:
            return {Purpose::adaptation_score, Purpose::evaluation_action,
                    Purpose::evaluation_sample};
        case EpisodeKind::replay:
            return {Purpose::replay, Purpose::evaluation_action, Purpose::evaluation_sample};
    }
    return {Purpose::evaluation_reset, Purpose::evaluation_action, Purpose::evaluation_sample};
}

/// Episodes with the same index start from the same state.
std::int64_t reset_stream_index(Group const& group, std::int64_t within)
{
    auto const repeat = within % group.repeats;
    switch (group.seeds) {
        case SharedSeeds::own:
            return group.first_stream + within;
        case SharedSeeds::pair: {
            auto const member = within / group.repeats;
            auto const pair = group.mirrored ? member / 2 : member;
            return group.first_stream + pair * group.repeats + repeat;
        }
        case SharedSeeds::generation:
            return repeat;
    }
    contract_violated("a known rule for seeds");
}

}  // namespace

std::int64_t Group::members() const
{
    if (!offsets.empty()) {
        return static_cast<std::int64_t>(offsets.size()) * (mirrored ? 2 : 1);
    }
    return basis.empty() ? 1 : std::ssize(coefficients) / std::ssize(basis);
}

Group replay_group(ControllerPtr controller, std::int32_t episodes)
{
    Group group;
    group.centre = std::move(controller);
    group.kind = EpisodeKind::replay;
    group.repeats = episodes;
    return group;
}

std::int64_t Batch::episodes() const
{
    std::int64_t count = 0;
    for (auto const& group : groups) {
        count += group.episodes();
    }
    return count;
}

EpisodeSpec episode_of(Batch const& batch, std::int64_t index)
{
    std::int64_t within = index;
    for (std::size_t g = 0; g < batch.groups.size(); ++g) {
        auto const& group = batch.groups[g];
        if (within >= group.episodes()) {
            within -= group.episodes();
            continue;
        }
        auto const purposes = purposes_of(group.kind);
        auto const stream_index = group.first_stream + within;
        auto const reset_index = reset_stream_index(group, within);
        auto const generation = group.generation;
        auto const seed = batch.seed;
        auto sample = Stream{seed, purposes.sample, generation, stream_index};
        return {
            .group = &group,
            .centre = group.centre ? span_of(group.centre->parameters) : std::span<float const>{},
            .group_index = static_cast<std::int64_t>(g),
            .member = within / group.repeats,
            .repeat = within % group.repeats,
            .reset = Stream{seed, purposes.reset, generation, reset_index},
            .action = Stream{seed, purposes.action, generation, stream_index},
            .records_observations = sample.uniform() < group.observation_fraction,
        };
    }
    contract_violated("episode index within the batch");
}

}  // namespace mees
