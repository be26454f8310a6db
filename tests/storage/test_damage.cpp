#include "catch.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/damage.hpp"
#include "storage/samples.hpp"

using namespace mees;
using namespace mees::test;

// HDF5 itself loses memory when a damaged file cannot be opened; that is not what is tested here.
extern "C" char const* __lsan_default_suppressions();
extern "C" char const* __lsan_default_suppressions()
{
    return "leak:libhdf5";
}

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
