#pragma once

#include "mees/storage/hdf5/file.hpp"
#include "mees/storage/map/document.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mees {

/// An intact file that this program cannot use: not a map, or of another format version.
class ForeignFile : public FileError {
  public:
    using FileError::FileError;
};

/// Writes a new file (never overwrites one), which is on disk when this returns. Throws WriteError,
/// before a file is created for numbers that are not finite; otherwise the caller removes what was
/// written (see AtomicFile). Ends early, with a WriteError, when `cancelled` becomes true.
void write_map(std::filesystem::path const& path, MapDocument const& document,
               std::atomic<bool> const* cancelled = nullptr);

/// What becomes of the controllers and optimiser states of elites after they were read and checked:
/// without them a document needs little memory, but nobody can continue its search.
enum class Controllers { kept, dropped };

/// Bytes of the values in a map file of this document. Throws WriteError like write_map.
[[nodiscard]] std::int64_t raw_bytes(MapDocument const& document);

/// What a file contains: a complete map, or the changes since another one (see changes.hpp).
enum class MapContent { complete, changes };

/// A map file opened for inspection: parameters are read one elite at a time, so that a map of
/// many gigabytes opens instantly. Values are checked like read_map's, digests are not.
class MapReader {
  public:
    /// A file of changes has all but the controllers of the elites that did not change, and no
    /// domain: row r of its controllers is that of the r-th elite that did.
    explicit MapReader(std::filesystem::path const& path,
                       MapContent content = MapContent::complete);

    [[nodiscard]] FormatVersion format_version() const { return format_version_; }
    [[nodiscard]] RunInfo const& run() const { return run_; }
    /// The last generation that is recorded, and the episodes and steps up to it.
    [[nodiscard]] Generation generation() const { return generation_; }
    [[nodiscard]] std::int64_t episodes() const { return episodes_; }
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    [[nodiscard]] std::vector<std::string> const& bc_names() const { return bc_names_; }
    [[nodiscard]] NetworkShape const& network() const { return network_; }
    [[nodiscard]] BehaviourSpace const& space() const { return space_; }
    [[nodiscard]] double qd_offset() const { return qd_offset_; }

    /// Row r of /map is elites()[r], ascending by cell; without the controllers.
    [[nodiscard]] std::vector<std::pair<CellId, Elite>> elites() const;
    [[nodiscard]] ControllerPtr controller(std::int64_t row) const;
    /// The same without earlier links of its chain.
    [[nodiscard]] Controller last_link(std::int64_t row) const;
    /// How many links the chain of each elite has.
    [[nodiscard]] std::vector<std::int32_t> links() const;
    /// Entries of the novelty archive, row-major.
    [[nodiscard]] std::vector<double> archive() const;
    [[nodiscard]] std::vector<GenerationRecord> history() const;
    [[nodiscard]] std::vector<GenerationTiming> timing() const;
    /// Of a map that mees_evaluate has written.
    [[nodiscard]] std::optional<Reevaluation> reevaluation() const;
    /// Of a map that mees_refine has written.
    [[nodiscard]] std::optional<Refinement> refinement() const;

    /// The robot and its task; null in files of format 1.0 and where the domain is not data.
    [[nodiscard]] std::shared_ptr<DomainDocument const> domain() const;
    /// What the file says of an environment in another process.
    [[nodiscard]] std::optional<ProgramStatement> program() const;

    [[nodiscard]] hdf5::Reader const& file() const { return file_; }

  private:
    hdf5::Reader file_;
    FormatVersion format_version_;
    RunInfo run_;
    Generation generation_;
    std::int64_t episodes_{0};
    std::int64_t steps_{0};
    std::vector<std::string> bc_names_;
    NetworkShape network_;
    BehaviourSpace space_;
    double qd_offset_{0};
};

/// Reads everything and checks everything: types, shapes, ranges, finite numbers, checksums and
/// digests, and that the parts fit each other. The map has the store, if there is one. Throws
/// FileError naming what is wrong.
[[nodiscard]] MapDocument read_map(MapReader const& map,
                                   Controllers controllers = Controllers::kept,
                                   ParameterStorePtr const& store = nullptr);
[[nodiscard]] MapDocument read_map(std::filesystem::path const& path,
                                   Controllers controllers = Controllers::kept);

}  // namespace mees
