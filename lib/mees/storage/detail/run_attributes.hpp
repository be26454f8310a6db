#pragma once

// The root's attributes, which map and adaptation files share.

#include "mees/storage/detail/fields.hpp"
#include "mees/storage/map/document.hpp"

#include <array>
#include <cstdint>

namespace mees {

/// A type of file.
struct FileKind {
    char const* filetype;
    FormatVersion version;
    char const* example;  ///< where a user finds one
};

/// How far the run was when the file was written.
struct RunProgress {
    Generation generation;
    std::int64_t episodes{0};
    std::int64_t steps{0};
};

namespace layout {

template <class Attributes, class Run>
void run_attributes(Attributes const& attributes, Run& run)
{
    attributes("mees_version", run.mees_version);
    attributes("git_commit", run.git_commit);
    attributes("created", run.created);
    attributes("mujoco_version", run.mujoco_version);
    attributes("model_sha256", run.model_sha256);
    attributes("domain", run.domain);
    attributes("algorithm", run.algorithm);
    attributes("seed", run.seed, any_integer);
    attributes("wall_seconds", run.wall_seconds);
    attributes("restarts", run.restarts);
    attributes("config", run.config);
}

template <class Attributes, class Progress>
void progress_attributes(Attributes const& attributes, Progress& progress)
{
    attributes("generation", progress.generation);
    attributes("episodes", progress.episodes);
    attributes("steps", progress.steps);
}

}  // namespace layout

/// The present time, as files store it: "2026-01-31T12:00:00Z".
[[nodiscard]] std::string time_stamp();

/// `created` is the present time, whatever `run` says. `File` is hdf5::Writer or ByteCounter.
template <class File>
void write_run_attributes(File& file, FileKind const& kind, RunInfo run,
                          RunProgress const& progress)
{
    file.attribute("/", "filetype", std::string_view{kind.filetype});
    file.attribute(
        "/", "format_version",
        std::span<std::int64_t const>{std::array{kind.version.major, kind.version.minor}});
    run.created = time_stamp();
    layout::AttributeWriter const attributes{file, "/"};
    layout::run_attributes(attributes, std::as_const(run));
    if (!run.start_from.empty()) {
        attributes("start_from", run.start_from);
    }
    layout::progress_attributes(attributes, progress);
}

/// Throws ForeignFile for a file of another kind or another major version.
[[nodiscard]] FormatVersion read_format_version(hdf5::Reader const& file, FileKind const& kind);
[[nodiscard]] RunInfo read_run_attributes(hdf5::Reader const& file);
[[nodiscard]] RunProgress read_progress(hdf5::Reader const& file);

}  // namespace mees
