#include "catch.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"
#include "mees/core/scratch_file.hpp"
#include "scratch_folder.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <thread>
#include <vector>

using namespace mees;
using test::ScratchFolder;

namespace {

using Block = std::shared_ptr<std::byte const>;

std::vector<std::byte> bytes(std::size_t size, unsigned seed)
{
    std::mt19937 source{seed};
    std::vector<std::byte> result(size);
    std::ranges::generate(result, [&] { return static_cast<std::byte>(source() & 0xffU); });
    return result;
}

bool holds(Block const& block, std::vector<std::byte> const& expected)
{
    return std::equal(expected.begin(), expected.end(), block.get());
}

/// No file of this process may have a byte beyond this offset, as on a disk that is full there.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t limit)
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit const now{limit, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    FileSizeLimit(FileSizeLimit const&) = delete;
    FileSizeLimit& operator=(FileSizeLimit const&) = delete;
    ~FileSizeLimit()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }

  private:
    rlimit before_{};
    void (*signal_)(int){std::signal(SIGXFSZ, SIG_IGN)};
};

}  // namespace

TEST_CASE("blocks of a scratch file have the bytes that were added, and the folder stays empty")
{
    ScratchFolder const folder;
    std::vector<Block> blocks;
    {
        ScratchFile file{folder.path(), 1'000};
        for (unsigned i = 0; i < 50; ++i) {
            blocks.push_back(file.add(bytes(i * 20, i)));
        }
        CHECK(file.blocks() == 50);
        CHECK(std::filesystem::is_empty(folder.path()));
    }
    for (unsigned i = 0; i < 50; ++i) {
        CHECK(holds(blocks[i], bytes(i * 20, i)));
    }
}

// A mapping has 64 MiB: three blocks of 20 MiB, the fourth is in the next one.
TEST_CASE("a scratch file grows beyond one mapping")
{
    ScratchFolder const folder;
    constexpr std::size_t size = std::size_t{20} << 20U;
    ScratchFile file{folder.path(), size};
    std::vector<Block> blocks;
    for (unsigned i = 0; i < 4; ++i) {
        blocks.push_back(file.add(std::vector(size, static_cast<std::byte>(i + 1))));
    }
    for (unsigned i = 0; i < 4; ++i) {
        auto const* const begin = blocks[i].get();
        CHECK(std::count(begin, begin + size, static_cast<std::byte>(i + 1))
              == static_cast<std::ptrdiff_t>(size));
    }
}

TEST_CASE("a block without an owner is used again")
{
    ScratchFolder const folder;
    ScratchFile file{folder.path(), 100};
    auto const first = file.add(bytes(100, 1));
    auto second = file.add(bytes(100, 2));
    auto copy = second;
    auto const* const place = second.get();
    second.reset();
    auto const third = file.add(bytes(100, 3));
    CHECK(file.blocks() == 3);  // `copy` still owns the second
    CHECK(holds(copy, bytes(100, 2)));
    copy.reset();
    auto const fourth = file.add(bytes(100, 4));
    CHECK(file.blocks() == 3);
    CHECK(fourth.get() == place);
    CHECK(holds(first, bytes(100, 1)));
    CHECK(holds(third, bytes(100, 3)));
    CHECK(holds(fourth, bytes(100, 4)));
    CHECK_THROWS_AS(file.add(bytes(file.block_bytes() + 1, 5)), ContractViolation);
}

TEST_CASE("a block that cannot be written changes nothing")
{
    ScratchFolder const folder;
    ScratchFile file{folder.path(), 4'096};
    std::vector<Block> blocks{file.add(bytes(4'096, 0)), file.add(bytes(4'096, 1))};
    {
        FileSizeLimit const full{2 * 4'096 + 1'000};
        CHECK_THROWS_AS(file.add(bytes(4'096, 2)), WriteError);
        blocks[0].reset();
        blocks[0] = file.add(bytes(4'096, 3));  // the space of the first
        CHECK_THROWS_AS(file.add(bytes(4'096, 4)), WriteError);
    }
    blocks.push_back(file.add(bytes(4'096, 5)));
    CHECK(file.blocks() == 3);
    CHECK(holds(blocks[0], bytes(4'096, 3)));
    CHECK(holds(blocks[1], bytes(4'096, 1)));
    CHECK(holds(blocks[2], bytes(4'096, 5)));
}

TEST_CASE("a scratch file in a folder that does not exist cannot be written")
{
    ScratchFolder const folder;
    ScratchFile file{folder / "none", 8};
    CHECK_THROWS_WITH(file.add(bytes(8, 1)), Catch::Contains("No such file or directory"));
}

TEST_CASE("threads may give up blocks while another one adds some", "[threads]")
{
    ScratchFolder const folder;
    ScratchFile file{folder.path(), 256};
    std::vector<Block> blocks;
    for (unsigned i = 0; i < 64; ++i) {
        blocks.push_back(file.add(bytes(256, i)));
    }
    std::vector<Block> added;
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < 4; ++t) {
            threads.emplace_back([&blocks, t] {
                for (unsigned i = t; i < 64; i += 4) {
                    blocks[i].reset();
                }
            });
        }
        for (unsigned i = 0; i < 64; ++i) {
            added.push_back(file.add(bytes(256, 100 + i)));
        }
    }
    CHECK(file.blocks() <= 128);
    for (unsigned i = 0; i < 64; ++i) {
        CHECK(holds(added[i], bytes(256, 100 + i)));
    }
}
