#include "mees/storage/verify.hpp"

#include "mees/core/text.hpp"
#include "mees/inspection/commands.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

namespace mees::inspect {

ExitCode verify(std::filesystem::path const& file, std::ostream& out)
{
    auto const problems = mees::verify(file);
    for (auto const& problem : problems) {
        out << escaped(problem) << '\n';
    }
    if (!problems.empty()) {
        out << fmt::format("{} is damaged: {} of its parts are unusable\n", file.string(),
                           problems.size());
        return ExitCode::unusable_file;
    }
    auto const generation = hdf5::Reader{file}.integer("/", "generation");
    out << fmt::format("{} is intact: generation {}, {} bytes, all checksums correct\n",
                       file.string(), generation, std::filesystem::file_size(file));
    return ExitCode::success;
}

}  // namespace mees::inspect
