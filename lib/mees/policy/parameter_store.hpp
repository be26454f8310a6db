#pragma once

#include "mees/core/scratch_file.hpp"
#include "mees/policy/controller.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace mees {

/// Keeps the parameters of controllers: in memory as long as those that it keeps there need no more
/// than a limit, else in a scratch file, with the same bits.
///
/// Counts what it keeps in memory until the last copy is gone, so that the elites which only an
/// unfinished checkpoint still has are within the limit. Does not count normalisers and earlier
/// links. Where the file cannot be written, parameters stay in memory beyond the limit; the first
/// time is a warning in the log. One thread may call it at a time; what it returns has no such
/// restriction and may live longer.
class ParameterStore {
  public:
    /// The limit is in bytes. `folder` is where the file will be, which has no name.
    ParameterStore(std::filesystem::path folder, std::int64_t memory_limit);

    /// The same controller, except for where its parameters are; what a store keeps stays as it is.
    [[nodiscard]] ControllerPtr keep(ControllerPtr controller);

    [[nodiscard]] std::int64_t bytes_in_memory() const { return *in_memory_; }

  private:
    [[nodiscard]] Parameters kept_in_memory(Parameters const& parameters) const;
    [[nodiscard]] Parameters kept_in_file(Parameters const& parameters);

    std::filesystem::path folder_;
    std::int64_t memory_limit_;
    std::shared_ptr<std::atomic<std::int64_t>> in_memory_;
    std::optional<ScratchFile> file_;
    bool has_warned_{false};
};

using ParameterStorePtr = std::shared_ptr<ParameterStore>;

}  // namespace mees
