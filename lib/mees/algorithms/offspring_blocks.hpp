#pragma once

#include "mees/algorithms/offspring.hpp"
#include "mees/algorithms/state.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/noise_source.hpp"
#include "mees/evaluation/result.hpp"
#include "mees/policy/controller.hpp"

#include <cstdint>
#include <vector>

namespace mees {

/// The offspring of a generation in progress, in blocks that were evaluated one after the other.
/// Each block has a group for each move of the strategy; a move's members are counted through all
/// blocks.
class OffspringBlocks {
  public:
    [[nodiscard]] std::int64_t size() const { return std::ssize(blocks_); }
    void clear() { blocks_.clear(); }
    /// Adds the groups of `batch` from `first_group` on.
    void add(Batch const& batch, BatchResult const& result, std::size_t first_group);

    /// Control steps of all offspring; an episode counts as at least one.
    [[nodiscard]] std::int64_t steps() const;
    [[nodiscard]] OffspringValues values(std::size_t move) const;
    [[nodiscard]] std::vector<NoiseOffset> offsets(std::size_t move) const;
    [[nodiscard]] ControllerPtr controller(std::size_t move, std::int64_t member,
                                           NoiseSource const& noise) const;
    /// Counts the episodes of all blocks and merges their observations.
    void absorb_into(State& state) const;

  private:
    struct Block {
        std::vector<Group> groups;
        BatchResult result;
    };

    std::vector<Block> blocks_;
};

}  // namespace mees
