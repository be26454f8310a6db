#pragma once

#include "mees/core/error.hpp"
#include "mees/report/terminal.hpp"

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

/// What `mees_inspect` can do: a function and a file per subcommand. Each prints to `out` and
/// returns the exit code; a file that cannot be used is a FileError, a wish that cannot be
/// fulfilled a ConfigError.
namespace mees::inspect {

/// A page about the run and its map; reads no parameters, so it is quick on files of any size.
ExitCode summary(std::filesystem::path const& file, std::ostream& out);

/// Reads every byte: success if the file is whole, unusable_file with what is damaged if not.
ExitCode verify(std::filesystem::path const& file, std::ostream& out);

/// Success if two maps are the same to the bit, clock aside; failure with what differs if not.
ExitCode diff(std::filesystem::path const& left, std::filesystem::path const& right,
              std::ostream& out);

enum class TableFormat { text, csv, json };

struct CellsOptions {
    std::string sort;                  ///< "column", "column:asc" or "column:desc"; empty: by cell
    std::vector<std::string> filters;  ///< "fitness>100"; all must hold
    std::vector<std::string> columns;  ///< empty: all (in text, all but the bins)
    std::int64_t limit{0};             ///< rows at most; 0: all
    TableFormat format{TableFormat::text};
};

/// A row per elite.
ExitCode cells(std::filesystem::path const& file, CellsOptions const& options, std::ostream& out);

/// What becomes of the axes that a picture does not show: the best or the mean over them stands, or
/// two of them become a coarse grid of pictures.
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
    bool csv{false};  ///< all columns as text instead
};

ExitCode history(std::filesystem::path const& file, HistoryOptions const& options,
                 Terminal const& terminal, std::ostream& out);

struct ExportOptions {
    std::string cell{"best"};  ///< as choose_elite has it, or "all"
    std::filesystem::path to;  ///< NAME.npz, NAME.onnx, or a folder to hold both for each elite
};

/// Writes controllers for use elsewhere; never over a file that exists.
ExitCode export_controllers(std::filesystem::path const& file, ExportOptions const& options,
                            std::ostream& out);

}  // namespace mees::inspect
