#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/run_folder.hpp"
#include "mees/storage/map/file.hpp"
#include "scratch_folder.hpp"
#include "storage/samples.hpp"

#include <fstream>

using namespace mees;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the default run folder is named after configuration and seed")
{
    CHECK(default_folder("configs/ant.toml", 7) == "runs/ant-seed7");
}

TEST_CASE("a new run folder is created, without a checkpoint")
{
    test::ScratchFolder const scratch;
    RunFolder folder{scratch / "a/b", Resume::automatic};
    CHECK(std::filesystem::is_directory(scratch / "a/b"));
    CHECK_FALSE(folder.take_checkpoint());
    folder.write_config("[run]\n");
    std::ifstream config{scratch / "a/b/config.toml"};
    CHECK(std::string{std::istreambuf_iterator<char>{config}, {}} == "[run]\n");
}

TEST_CASE("a run folder gives its checkpoint once and removes a stop file")
{
    test::ScratchFolder const scratch;
    write_map(scratch / "map.h5", test::sample_document(1));
    std::ofstream{scratch / "STOP"} << "";
    RunFolder folder{scratch.path(), Resume::require};
    CHECK_FALSE(std::filesystem::exists(folder.stop_file()));
    CHECK(folder.take_checkpoint());
}

TEST_CASE("--resume require fails without a checkpoint")
{
    test::ScratchFolder const scratch;
    auto const message = message_of<FileError>([&] { RunFolder{scratch.path(), Resume::require}; });
    CHECK_THAT(message, ContainsSubstring("cannot resume " + scratch.path().string()));
    CHECK_THROWS_AS((RunFolder{scratch / "none", Resume::require}), FileError);
    CHECK_FALSE(std::filesystem::exists(scratch / "none"));
}

TEST_CASE("--resume never moves the files of earlier runs aside")
{
    test::ScratchFolder const scratch;
    for (auto const* old : {"old-1", "old-2"}) {
        std::ofstream{scratch / "metrics.csv"} << old;
        std::ofstream{scratch / "notes.txt"} << "";
        RunFolder folder{scratch.path(), Resume::never};
        CHECK_FALSE(folder.take_checkpoint());
        CHECK_FALSE(std::filesystem::exists(scratch / "metrics.csv"));
        CHECK(std::filesystem::exists(scratch.path() / old / "metrics.csv"));
        CHECK(std::filesystem::exists(scratch / "notes.txt"));
    }
}

TEST_CASE("a path that is not a folder is refused")
{
    test::ScratchFolder const scratch;
    std::ofstream{scratch / "file"} << "";
    CHECK_THROWS_AS((RunFolder{scratch / "file", Resume::automatic}), FileError);
}

TEST_CASE("a run folder is marked as finished, or not")
{
    test::ScratchFolder const scratch;
    auto const mark = scratch / "FINISHED";
    {
        RunFolder const folder{scratch.path(), Resume::automatic};
        folder.mark_finished(false);
        CHECK_FALSE(std::filesystem::exists(mark));
        folder.mark_finished(true);
        CHECK(std::filesystem::exists(mark));
    }
    {
        RunFolder const again{scratch.path(), Resume::automatic};
        CHECK(std::filesystem::exists(mark));
        again.mark_finished(false);
        CHECK_FALSE(std::filesystem::exists(mark));
        again.mark_finished(true);
    }
    RunFolder const anew{scratch.path(), Resume::never};
    CHECK_FALSE(std::filesystem::exists(mark));
    CHECK(std::filesystem::exists(scratch / "old-1/FINISHED"));
}

TEST_CASE("a run with differences is refused, and nothing is changed")
{
    test::ScratchFolder const scratch;
    auto const different = [](MapDocument const&) {
        return std::vector<std::string>{"another seed"};
    };
    write_map(scratch / "map.prev.h5", test::sample_document(1));
    std::ofstream{scratch / "map.h5"} << "damaged";
    std::ofstream{scratch / "STOP"} << "";
    CHECK_THROWS_AS((RunFolder{scratch.path(), Resume::automatic, different}), FileError);
    CHECK(std::filesystem::exists(scratch / "map.h5"));
    CHECK(std::filesystem::exists(scratch / "STOP"));
    RunFolder folder{scratch.path(), Resume::automatic};
    CHECK(folder.take_checkpoint());
    CHECK(folder.messages().size() == 3);
    CHECK_FALSE(std::filesystem::exists(scratch / "map.h5"));
    CHECK(std::filesystem::exists(scratch / "map.damaged.h5"));
}

TEST_CASE("--resume never keeps a complete temporary file of a killed run")
{
    test::ScratchFolder const scratch;
    write_map(scratch / ".map-host-1-2-0.tmp", test::sample_document(1));
    RunFolder const folder{scratch.path(), Resume::never};
    CHECK(std::filesystem::exists(scratch / "old-1/.map-host-1-2-0.tmp"));
}
