#include "physics.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

using namespace mees;
using namespace mees::test;

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Count every allocation of this program; those of the engine use the hook below. Not inlined: a
// compiler that sees only one function of a pair reports a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size)
{
    ++allocations;
    if (void* memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc{};
}

[[gnu::noinline]] void* operator new(std::size_t size, std::nothrow_t const&) noexcept
{
    ++allocations;
    return std::malloc(size);
}

[[gnu::noinline]] void operator delete(void* memory) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

TEST_CASE("an episode allocates nothing", "[cost]")
{
    mju_user_malloc = [](std::size_t size) {
        ++allocations;
        return std::aligned_alloc(64, (size + 63) / 64 * 64);
    };
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze", "mjcf"}) {
        INFO(name);
        World world{example_of(name)};
        std::vector<double> observation(static_cast<std::size_t>(world.spec().observation_size));
        std::vector<double> bc(world.spec().bc_names.size());
        auto const action = world.actions(0.4);
        auto stream = stream_of(1);
        auto const before = allocations.load();
        world.task->reset(stream);
        for (int step = 0; step < 50; ++step) {
            world.task->observe(observation);
            world.task->step(action);
        }
        world.task->behaviour(bc);
        CHECK(allocations.load() == before);
    }
    mju_user_malloc = nullptr;
    auto const before = allocations.load();
    ::operator delete(::operator new(sizeof(int)));
    CHECK(allocations.load() == before + 1);
}
