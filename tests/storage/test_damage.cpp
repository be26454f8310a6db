#include "catch.hpp"
#include "mees/storage/diff.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/verify.hpp"
#include "storage/damage.hpp"
#include "storage/samples.hpp"

using namespace mees;
using namespace mees::test;

// HDF5 itself leaks memory when a damaged file cannot be opened; that is not tested here.
extern "C" char const* __lsan_default_suppressions();
extern "C" char const* __lsan_default_suppressions()
{
    return "leak:libhdf5";
}

// Reading a damaged file must name the damage or (if the damaged bytes are unused) give back
// exactly what was written. It must not crash.
TEST_CASE("a thousand damaged maps are rejected or read bit-identically")
{
    ScratchFolder const folder;
    write_map(folder / "intact.h5", sample_document(1));
    auto const intact = read_bytes(folder / "intact.h5");
    int refused = 0;
    for (std::int64_t trial = 0; trial < 1000; ++trial) {
        Stream stream{2020, Purpose::test, Generation{1}, trial};
        auto bytes = intact;
        auto const what = damage(bytes, stream);
        if (bytes == intact) {
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
            CHECK(error.what() == message_of<FileError>([&] {
                      static_cast<void>(read_map(folder / "damaged.h5", Controllers::dropped));
                  }));
            continue;
        }
        CHECK(problems.empty());
        std::filesystem::remove(folder / "again.h5");
        write_map(folder / "again.h5", *document);
        CHECK(diff(folder / "intact.h5", folder / "again.h5").empty());
        CHECK(document->run.created.size() == 20);
    }
    CHECK(refused > 900);
}
