#include "catch.hpp"
#include "mees/storage/hdf5/file.hpp"
#include "mees/storage/map/file.hpp"
#include "storage/samples.hpp"

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <thread>

using namespace mees;
using test::sample_document;
using test::ScratchFolder;

namespace {

std::int64_t open_files()
{
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
}

/// Limits the size of files while it lives, to simulate a full disk.
class SmallDisk {
  public:
    explicit SmallDisk(rlim_t bytes) : handler_{std::signal(SIGXFSZ, SIG_IGN)}
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit const small{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    SmallDisk(SmallDisk const&) = delete;
    SmallDisk& operator=(SmallDisk const&) = delete;
    ~SmallDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

  private:
    void (*handler_)(int);
    rlimit before_{};
};

}  // namespace

TEST_CASE("values and attributes are read back; mismatches are named")
{
    ScratchFolder const folder;
    auto const path = folder / "file.h5";
    {
        hdf5::Writer file{path};
        file.group("/group");
        file.dataset("/group/integers", std::vector<std::int32_t>{1, -2, 3});
        file.dataset("/group/nothing", std::vector<double>{});
        std::vector<double> const reals{1.5, 2.5, 3.5, 4.5, 5.5, 6.5};
        file.dataset("/reals", std::span<double const>{reals}, {3, 2});
        file.attribute("/group", "text", std::string_view{"grün"});
        file.attribute("/group", "empty", std::string_view{""});
        file.attribute("/reals", "names", std::vector<std::string>{"a", "long name", ""});
        file.attribute("/", "number", std::int64_t{-7});
        file.attribute("/", "limits", std::span<double const>{reals});
        file.finish();
    }
    hdf5::Reader const file{path};
    CHECK(file.values<std::int32_t>("/group/integers") == std::vector<std::int32_t>{1, -2, 3});
    CHECK(file.values<double>("/group/nothing").empty());
    std::vector<double> row(2);
    file.row("/reals", 1, std::span{row});
    CHECK(row == std::vector{3.5, 4.5});
    CHECK(file.text("/group", "text") == "grün");
    CHECK(file.text("/group", "empty").empty());
    CHECK(file.texts("/reals", "names") == std::vector<std::string>{"a", "long name", ""});
    CHECK(file.integer("/", "number") == -7);
    CHECK(file.reals("/", "limits").size() == 6);
    CHECK(file.datasets()
          == std::vector<std::string>{"/group/integers", "/group/nothing", "/reals"});
    CHECK(file.groups() == std::vector<std::string>{"/group"});
    CHECK(!file.has("/no/such/thing"));

    CHECK_THROWS_WITH(
        file.values<float>("/reals"),
        Catch::Contains("/reals is float64 of shape 3 x 2, not float32 of shape 3 x 2"));
    CHECK_THROWS_WITH(file.values<double>("/reals", {6}),
                      Catch::Contains("not float64 of shape 6"));
    CHECK_THROWS_WITH(file.values<double>("/group/missing"),
                      Catch::Contains("/group/missing is missing"));
    CHECK_THROWS_WITH(file.values<double>("/group"), Catch::Contains("/group"));
    CHECK_THROWS_WITH(file.row("/reals", 3, std::span{row}), Catch::Contains("no row 3"));
    CHECK_THROWS_WITH(file.text("/", "number"), Catch::Contains("/@number is not a string"));
    CHECK_THROWS_WITH(file.integer("/", "limits"), Catch::Contains("is not an integer"));
    CHECK_THROWS_WITH(file.real("/", "limits"), Catch::Contains("holds 6 values, not one"));
    CHECK_THROWS_WITH(file.text("/", "colour"), Catch::Contains("/@colour is missing"));
}

TEST_CASE("files that are not HDF5 files are rejected")
{
    ScratchFolder const folder;
    std::ofstream{folder / "text.h5"} << "not at all";
    std::ofstream{folder / "empty.h5"};
    CHECK_THROWS_WITH(hdf5::Reader{folder / "text.h5"}, Catch::Contains("not an intact HDF5 file"));
    CHECK_THROWS_WITH(hdf5::Reader{folder / "empty.h5"},
                      Catch::Contains("not an intact HDF5 file"));
    CHECK_THROWS_WITH(hdf5::Reader{folder / "none.h5"}, Catch::Contains("No such file"));
    CHECK_THROWS_WITH(hdf5::Reader{folder.path()}, Catch::Contains("it is a folder"));
}

TEST_CASE("a file is never overwritten")
{
    ScratchFolder const folder;
    std::ofstream{folder / "file.h5"} << "precious";
    CHECK_THROWS_AS(hdf5::Writer{folder / "file.h5"}, WriteError);
    std::string content;
    std::ifstream{folder / "file.h5"} >> content;
    CHECK(content == "precious");
}

TEST_CASE("a full disk is reported, before or during writing, and no descriptor is leaked")
{
    ScratchFolder const folder;
    auto const document = sample_document(1, {.layers = {20, 30, 10}});
    write_map(folder / "whole.h5", document);
    auto const files = open_files();
    auto const size = static_cast<std::int64_t>(std::filesystem::file_size(folder / "whole.h5"));
    for (auto const limit : {std::int64_t{100}, raw_bytes(document) / 2, raw_bytes(document) + 1,
                             size - 4000, size - 1}) {
        INFO("a disk of " << limit << " bytes for a file of " << size);
        {
            SmallDisk const disk{static_cast<rlim_t>(limit)};
            CHECK_THROWS_WITH(write_map(folder / "map.h5", document),
                              Catch::Contains("File too large"));
        }
        CHECK(open_files() == files);
        std::filesystem::remove(folder / "map.h5");
    }
    write_map(folder / "map.h5", document);
    CHECK(read_map(folder / "map.h5").state.map.filled() == document.state.map.filled());
}

TEST_CASE("two threads write and read different files", "[threads]")
{
    ScratchFolder const folder;
    auto const work = [&](std::uint64_t seed) {
        for (int i = 0; i < 5; ++i) {
            auto const path = folder / (std::to_string(seed) + "-" + std::to_string(i));
            write_map(path, sample_document(seed));
            auto const read = read_map(path);
            if (read.run.seed != static_cast<std::int64_t>(seed)) {
                throw std::runtime_error{"another thread's map"};
            }
        }
    };
    std::jthread const other{work, 2};
    work(1);
}
