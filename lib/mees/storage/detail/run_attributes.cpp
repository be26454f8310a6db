#include "mees/storage/detail/run_attributes.hpp"

#include "mees/storage/detail/checks.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <string_view>

namespace mees {
namespace {

std::string now()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

void write_run_attributes(hdf5::Writer& file, FileKind const& kind, RunInfo const& run,
                          RunProgress const& progress)
{
    file.attribute("/", "filetype", std::string_view{kind.filetype});
    file.attribute(
        "/", "format_version",
        std::span<std::int64_t const>{std::array{kind.version.major, kind.version.minor}});
    file.attribute("/", "mees_version", std::string_view{run.mees_version});
    file.attribute("/", "git_commit", std::string_view{run.git_commit});
    file.attribute("/", "created", std::string_view{now()});
    file.attribute("/", "mujoco_version", std::string_view{run.mujoco_version});
    file.attribute("/", "model_sha256", std::string_view{run.model_sha256});
    file.attribute("/", "domain", std::string_view{run.domain});
    file.attribute("/", "algorithm", std::string_view{run.algorithm});
    file.attribute("/", "seed", run.seed);
    file.attribute("/", "generation", progress.generation.value());
    file.attribute("/", "episodes", progress.episodes);
    file.attribute("/", "steps", progress.steps);
    file.attribute("/", "wall_seconds", run.wall_seconds);
    file.attribute("/", "restarts", run.restarts);
    file.attribute("/", "config", std::string_view{run.config});
}

FormatVersion read_format_version(hdf5::Reader const& file, FileKind const& kind)
{
    if (!file.has_attribute("/", "filetype") || file.text("/", "filetype") != kind.filetype) {
        throw ForeignFile{fmt::format("cannot use {}", file.path().string()),
                          fmt::format("its attribute filetype is not {}", kind.filetype),
                          fmt::format("give {}", kind.example)};
    }
    auto const version = file.integers("/", "format_version");
    require(file, version.size() == 2, "/@format_version does not hold two numbers");
    if (version[0] != kind.version.major) {
        throw ForeignFile{fmt::format("cannot use {}", file.path().string()),
                          fmt::format("its format version is {}.{}, this program reads {}.x",
                                      version[0], version[1], kind.version.major),
                          "use the version of mees that wrote it, or a newer one"};
    }
    return {version[0], version[1]};
}

RunInfo read_run_attributes(hdf5::Reader const& file)
{
    RunInfo run;
    run.mees_version = file.text("/", "mees_version");
    run.git_commit = file.text("/", "git_commit");
    run.created = file.text("/", "created");
    run.mujoco_version = file.text("/", "mujoco_version");
    run.model_sha256 = file.text("/", "model_sha256");
    run.domain = file.text("/", "domain");
    run.algorithm = file.text("/", "algorithm");
    run.seed = file.integer("/", "seed");
    run.wall_seconds = file.real("/", "wall_seconds");
    run.restarts = file.integer("/", "restarts");
    run.config = file.text("/", "config");
    require_finite(file, "/@wall_seconds", std::span{&run.wall_seconds, 1});
    require(file, run.wall_seconds >= 0 && run.restarts >= 0,
            "/@restarts or wall_seconds is negative");
    return run;
}

}  // namespace mees
