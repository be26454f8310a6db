#pragma once

#include "mees/storage/map/changes.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace mees {

/// Writes the change files of one process: each continues the one before it, the first the map.h5
/// that this process has written last.
class ChangeChain {
  public:
    /// For maps that are larger than this; 0: for none.
    ChangeChain(std::filesystem::path folder, double above_megabytes);

    /// To be called with a new map, whatever its name is as yet, before it becomes map.h5.
    void prepare(std::filesystem::path const& map, MapDocument const& document);
    /// It has become map.h5: the next change file continues it.
    void begin();

    /// Whether a change file is worth writing.
    [[nodiscard]] bool is_useful_for(MapDocument const& document) const
    {
        return last_.has_value() && allows_changes(document.state);
    }
    /// Whether the change files have become so large that a new map.h5 is to replace them.
    [[nodiscard]] bool is_long() const { return bytes_ > map_bytes_ / 2; }

    /// Writes the next one. False if it was cancelled. Throws WriteError.
    [[nodiscard]] bool write(MapDocument const& document, std::atomic<bool> const& cancelled);

  private:
    std::filesystem::path folder_;
    double least_bytes_;
    std::optional<ChangeOrigin> prepared_;
    std::int64_t prepared_bytes_{0};
    std::optional<ChangeOrigin> last_;
    /// What the last change file continues, in case another one of its generation replaces it.
    std::optional<ChangeOrigin> before_last_;
    std::int64_t map_bytes_{0};
    std::int64_t bytes_{0};  ///< of the change files
    std::int64_t last_bytes_{0};
    bool verified_{false};
};

}  // namespace mees
