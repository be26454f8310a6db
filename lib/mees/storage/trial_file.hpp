#pragma once

#include "mees/adaptation/ensemble_optimiser.hpp"
#include "mees/storage/map/document.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mees {

inline constexpr char const* trial_filetype = "mees-trials";
inline constexpr FormatVersion trial_format_version{1, 0};

/// The state of an adaptation whose trials are made elsewhere (mees_adapt --ask, --tell).
struct TrialDocument {
    RunInfo run;            ///< of the first map's run, but versions are the adaptation's
    Generation generation;  ///< of the first map
    std::vector<std::string> map_sha256;  ///< of each map
    MapOptimiserSettings settings;
    std::vector<EnsembleTrial> trials;
    std::optional<Proposal> asked{};  ///< the trial that has been asked for and not been told
};

/// Replaces the file in one step (see AtomicFile). Throws WriteError, leaving the old file
/// unchanged.
void write_trials(std::filesystem::path const& path, TrialDocument const& document);

/// Reads and checks everything, digests too. Throws FileError naming what is wrong.
[[nodiscard]] TrialDocument read_trials(std::filesystem::path const& path);

}  // namespace mees
