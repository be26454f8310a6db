#include "mees/storage/verify.hpp"

#include "mees/core/text.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

namespace mees::inspect {
namespace {

void print(std::vector<std::string> const& problems, std::ostream& out)
{
    for (auto const& problem : problems) {
        out << escaped(problem) << '\n';
    }
}

ExitCode verify_changes(std::filesystem::path const& folder, std::ostream& out)
{
    auto const found = check_changes_of_map(folder);
    print(found.problems, out);
    if (!found.problems.empty()) {
        out << fmt::format("{} is damaged: its change files lead to generation {} only\n",
                           folder.string(), found.generation.value());
        return ExitCode::unusable_file;
    }
    if (found.files > 0) {
        out << fmt::format("its {} change file{} intact: generation {}\n", found.files,
                           found.files == 1 ? " is" : "s are", found.generation.value());
    }
    return ExitCode::success;
}

}  // namespace

ExitCode verify(std::filesystem::path const& file, std::filesystem::path const& folder,
                std::ostream& out)
{
    auto const problems = mees::verify(file);
    print(problems, out);
    if (!problems.empty()) {
        out << fmt::format("{} is damaged: {} of its parts are unusable\n", file.string(),
                           problems.size());
        return ExitCode::unusable_file;
    }
    auto const generation = hdf5::Reader{file}.integer("/", "generation");
    out << fmt::format("{} is intact: generation {}, {} bytes, all checksums correct\n",
                       file.string(), generation, std::filesystem::file_size(file));
    return folder.empty() ? ExitCode::success : verify_changes(folder, out);
}

}  // namespace mees::inspect
