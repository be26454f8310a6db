#include "mees/algorithms/offspring_blocks.hpp"

#include "mees/algorithms/archive_update.hpp"
#include "mees/algorithms/detail/groups.hpp"

#include <algorithm>

namespace mees {
namespace {

/// The groups from `first_group` on and their episodes, counted from 0.
BatchResult result_from(Batch const& batch, BatchResult const& result, std::size_t first_group)
{
    std::int64_t first = 0;
    for (std::size_t i = 0; i < first_group; ++i) {
        first += batch.groups[i].episodes();
    }
    BatchResult part{batch.episodes() - first, result.bc_size};
    std::copy(result.outcomes.begin() + first, result.outcomes.end(), part.outcomes.begin());
    std::copy(result.bcs.begin() + first * result.bc_size, result.bcs.end(), part.bcs.begin());
    for (auto const& sampled : result.observations) {
        if (sampled.episode >= first) {
            part.observations.push_back({sampled.episode - first, sampled.moments});
        }
    }
    return part;
}

}  // namespace

void OffspringBlocks::add(Batch const& batch, BatchResult const& result, std::size_t first_group)
{
    auto const first = batch.groups.begin() + static_cast<std::ptrdiff_t>(first_group);
    blocks_.push_back({{first, batch.groups.end()}, result_from(batch, result, first_group)});
}

std::int64_t OffspringBlocks::steps() const
{
    std::int64_t steps = 0;
    for (auto const& block : blocks_) {
        for (auto const& outcome : block.result.outcomes) {
            steps += std::max(outcome.steps, 1);
        }
    }
    return steps;
}

OffspringValues OffspringBlocks::values(std::size_t move) const
{
    OffspringValues values;
    for (auto const& [groups, result] : blocks_) {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < move; ++i) {
            first += groups[i].episodes();
        }
        append_offspring(values, result, {first, groups[move].episodes()}, groups[move].repeats);
    }
    return values;
}

std::vector<NoiseOffset> OffspringBlocks::offsets(std::size_t move) const
{
    std::vector<NoiseOffset> offsets;
    for (auto const& block : blocks_) {
        auto const& of_block = block.groups[move].offsets;
        offsets.insert(offsets.end(), of_block.begin(), of_block.end());
    }
    return offsets;
}

ControllerPtr OffspringBlocks::controller(std::size_t move, std::int64_t member,
                                          NoiseSource const& noise) const
{
    auto const members = blocks_.front().groups[move].members();
    auto const& group = blocks_[static_cast<std::size_t>(member / members)].groups[move];
    return controller_of_member(group, member % members, noise.values());
}

void OffspringBlocks::absorb_into(State& state) const
{
    for (auto const& block : blocks_) {
        EpisodeRange const all{0, std::ssize(block.result.outcomes)};
        count_episodes(state, block.result, all);
        merge_observations(state, block.result, all);
    }
}

}  // namespace mees
