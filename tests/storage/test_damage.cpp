#include "catch.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map_file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/damage.hpp"
#include "storage/samples.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

using namespace mees;
using namespace mees::test;

namespace {

/// HDF5 itself loses memory when a damaged file cannot be opened; that is not what is tested here.
struct LeaksOfHdf5 {
#ifdef __SANITIZE_ADDRESS__
    __lsan::ScopedDisabler disabled;
#endif
};

}  // namespace

// What reading a damaged file may do: name the damage, or (bytes that nothing uses) give back
// exactly what was written. Never crash, never anything else.
TEST_CASE("a thousand damaged maps are refused or read to the bit")
{
    ScratchFolder const folder;
    write_map(folder / "whole.h5", sample_document(1));
    auto const whole = read_bytes(folder / "whole.h5");
    int refused = 0;
    for (std::int64_t trial = 0; trial < 1000; ++trial) {
        Stream stream{2020, Purpose::test, Generation{1}, trial};
        auto bytes = whole;
        auto const what = damage(bytes, stream);
        if (bytes == whole) {
            continue;
        }
        INFO("trial " << trial << ": " << what);
        write_bytes(folder / "damaged.h5", bytes);
        [[maybe_unused]] LeaksOfHdf5 const ignored;
        auto const problems = verify(folder / "damaged.h5");
        std::optional<MapDocument> document;
        try {
            document = read_map(folder / "damaged.h5");
        } catch (FileError const& error) {
            ++refused;
            CHECK(std::string{error.what()}.find("damaged.h5") != std::string::npos);
            CHECK(!problems.empty());
            continue;
        }
        CHECK(problems.empty());
        std::filesystem::remove(folder / "again.h5");
        write_map(folder / "again.h5", *document);
        CHECK(diff(folder / "whole.h5", folder / "again.h5").empty());
        CHECK(document->run.created.size() == 20);
    }
    CHECK(refused > 900);
}
