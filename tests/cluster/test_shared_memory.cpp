#include "catch.hpp"

#include "mees/cluster/detail/shared_memory.hpp"
#include "mees/core/error.hpp"

using namespace mees;

TEST_CASE("more shared memory than the node has is refused with how much is needed and free")
{
    require_shared_memory(0, "nothing");
    constexpr std::int64_t exabyte = 1'000'000'000'000'000'000;
    auto const message =
        message_of<ClusterError>([] { require_shared_memory(exabyte, "the noise table"); });
    CHECK_THAT(message, Catch::Matchers::ContainsSubstring(
                            "the noise table does not fit into this node's shared memory "
                            "(1e+06 TB needed, "));
    CHECK_THAT(message, Catch::Matchers::ContainsSubstring("GB free in /dev/shm). Make it larger"));
}
