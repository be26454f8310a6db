#pragma once

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"
#include "mees/report/terminal.hpp"
#include "mees/storage/map/file.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

/// The subcommands of mees_inspect: a function and a file for each. They print to `out` and return
/// the exit code, and throw FileError for an unusable file, ConfigError for invalid options.
namespace mees::inspect {

/// A summary of the run and its map; reads no parameters, so it is fast for files of any size.
/// `qd_offset` replaces the run's offset of the QD score. Mentions the change files of `folder`
/// that continue the map, if it is not empty.
ExitCode summary(std::filesystem::path const& file, std::filesystem::path const& folder,
                 std::optional<double> qd_offset, Terminal const& terminal, std::ostream& out);

/// Reads every byte: success if the file is intact, otherwise unusable_file and the damage. Of a
/// run folder: map.h5, map.prev.h5 if it exists, and the change files that continue each of them;
/// after damage, or without map.h5, also what a run would resume from. Throws FileError if that is
/// nothing.
ExitCode verify(std::filesystem::path const& path, std::ostream& out);

/// Success if two maps are bit-identical, except for times; otherwise failure and the differences.
ExitCode diff(std::filesystem::path const& left, std::filesystem::path const& right,
              std::ostream& out);

/// Writes the newest state of a run folder, change files included, as one complete map: a new file,
/// also of a run that is running, or, if `to` is empty, as map.h5 of the folder, which must not be
/// in use. Throws FileError for an existing file that is to be kept.
ExitCode merge(std::filesystem::path const& folder, std::filesystem::path const& to,
               Existing existing, std::ostream& out);

enum class TableFormat { text, csv, json };

struct CellsOptions {
    /// "column", "column:asc", "column:desc" or "-column" (descending); empty: by cell
    std::string sort;
    std::vector<std::string> filters;  ///< "fitness>100"; all must be true
    std::vector<std::string> columns;  ///< empty: all (in text, all but the bins)
    std::int64_t limit{0};             ///< rows at most; 0: all
    TableFormat format{TableFormat::text};
};

/// A row per elite.
ExitCode cells(std::filesystem::path const& file, CellsOptions const& options,
               Terminal const& terminal, std::ostream& out);

/// How the axes that a heatmap does not show are reduced: the best or the mean over them, or two of
/// them form a coarse grid of heatmaps.
enum class OtherAxes { best, mean, nested };

struct HeatmapOptions {
    std::vector<std::string> axes;  ///< names or numbers of two; empty: the first two
    OtherAxes others{OtherAxes::best};
    std::string value{"fitness"};  ///< fitness, fitness_std or novelty
};

ExitCode heatmap(std::filesystem::path const& file, HeatmapOptions const& options,
                 Terminal const& terminal, std::ostream& out);

struct HistoryOptions {
    std::vector<std::string> columns;  ///< curves to draw; empty: best, coverage and QD score
    std::string against{"generation"};
    bool csv{false};                  ///< print all columns instead
    std::optional<double> qd_offset;  ///< instead of the run's
};

ExitCode history(std::filesystem::path const& file, HistoryOptions const& options,
                 Terminal const& terminal, std::ostream& out);

struct ExportOptions {
    std::string cell{"best"};  ///< see choose_elite, or "all"
    std::filesystem::path to;  ///< NAME.npz, NAME.onnx, or a folder for both of each elite
    /// Instead of `to`: a folder for the controller, a description of its inputs and outputs, and
    /// an example that runs it on a robot.
    std::filesystem::path deploy;
    Existing existing{Existing::keep};
};

/// Writes controllers for use elsewhere. Throws FileError for an existing file that is to be kept.
ExitCode export_controllers(std::filesystem::path const& file, ExportOptions const& options,
                            std::ostream& out);

/// Writes the controller of a filled cell as ONNX, replacing older files. Returns what was written:
/// `path`, or a file per link of a chain.
std::vector<std::filesystem::path> export_onnx(MapReader const& map, CellId cell,
                                               std::filesystem::path const& path);

}  // namespace mees::inspect
