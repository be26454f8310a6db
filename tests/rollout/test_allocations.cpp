#include "catch.hpp"
#include "rollout/fake_domain.hpp"

#include "mees/es/noise_table.hpp"

#include <array>
#include <cstddef>

// Counts every allocation of this program, Eigen's too. The sanitisers bring their own malloc.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
thread_local std::int64_t allocations = 0;
}

extern "C" {
void* __libc_malloc(std::size_t size);
void* malloc(std::size_t size)
{
    ++allocations;
    return __libc_malloc(size);
}
}

using namespace mees;
using namespace mees::test;

TEST_CASE("nothing is allocated while an episode runs")
{
    auto const noise = make_noise_table(4096, 42, 1);
    auto const batch = fake_batch(20, 4096);
    EpisodeRunner runner{fake_setup(), noise};
    AbortCheck const never = [] { return false; };
    std::array<double, 2> bc{};
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        auto const spec = episode_of(batch, i);
        auto const before = allocations;
        auto const outcome = runner.run(spec, bc, never);
        REQUIRE(allocations == before);
        REQUIRE(outcome.has_value());
    }
    CHECK(allocations > 0);
}

#endif
