#include "fuzz/target.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/recording/reference.hpp"
#include "mees/sim/registry.hpp"
#include "mees/storage/recording_file.hpp"

#include <cmath>

namespace mees::test {

/// As mees_replay --check-reference reads it.
void try_recording(std::filesystem::path const& path)
{
    try {
        auto const check = check_reference(read_recording(path), DomainRegistry{});
        for (auto const& deviation : check.trajectory) {
            must_hold(!std::isnan(deviation.all), "a deviation is a number");
        }
    } catch (FileError const&) {
    }
}

}  // namespace mees::test
