#include "catch.hpp"

#include "mees/cluster/runtime.hpp"

using namespace mees;

TEST_CASE("without a launcher a process is rank 0 of 1")
{
    int argc = 0;
    char** argv = nullptr;
    ClusterRuntime runtime{argc, argv};
    CHECK(runtime.rank() == 0);
    CHECK(runtime.size() == 1);
    CHECK(runtime.nodes() == 1);
    CHECK(runtime.is_master());
    CHECK(runtime.broadcast("text") == "text");
    CHECK(runtime.gather("text") == std::vector<std::string>{"text"});
    runtime.barrier();
}
