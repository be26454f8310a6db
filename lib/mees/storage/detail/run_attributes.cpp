#include "mees/storage/detail/run_attributes.hpp"

#include "mees/storage/map/file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace mees {

std::string time_stamp()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

FormatVersion read_format_version(hdf5::Reader const& file, FileKind const& kind)
{
    if (!file.has_attribute("/", "filetype") || file.text("/", "filetype") != kind.filetype) {
        throw ForeignFile{fmt::format("cannot use {}", file.path().string()),
                          fmt::format("its attribute filetype is not {}", kind.filetype),
                          fmt::format("Use {}.", kind.example)};
    }
    auto const version = file.integers("/", "format_version");
    require(file, version.size() == 2, "/@format_version does not hold two numbers");
    if (version[0] != kind.version.major) {
        throw ForeignFile{fmt::format("cannot use {}", file.path().string()),
                          fmt::format("its format version is {}.{}, this program reads {}.x",
                                      version[0], version[1], kind.version.major),
                          "Use the version of mees that wrote it, or a newer one."};
    }
    return {version[0], version[1]};
}

RunInfo read_run_attributes(hdf5::Reader const& file)
{
    RunInfo run;
    layout::run_attributes(layout::AttributeReader{file, "/"}, run);
    if (file.has_attribute("/", "start_from")) {
        run.start_from = file.text("/", "start_from");
    }
    require(file, run.wall_seconds >= 0, "/@wall_seconds is negative");
    return run;
}

RunProgress read_progress(hdf5::Reader const& file)
{
    RunProgress progress;
    layout::progress_attributes(layout::AttributeReader{file, "/"}, progress);
    return progress;
}

}  // namespace mees
