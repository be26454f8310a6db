#include "catch.hpp"

#include "mees/cluster/messages.hpp"
#include "mees/cluster/runtime.hpp"

#include <cstdlib>

using namespace mees;

TEST_CASE("who a rank is and what went wrong survive the journey")
{
    auto const who = decode_introduction(
        encode(Introduction{511, "node-4", "a processor", "boot", 4711, true, 128}));
    CHECK(who.rank == 511);
    CHECK(who.host == "node-4");
    CHECK(who.processor == "a processor");
    CHECK(who.kernel == "boot");
    CHECK(who.process == 4711);
    CHECK(who.leads_node);
    CHECK(who.node_size == 128);

    auto const failure = decode_failure(encode(
        Failure{3, "node-1", " in episode 17", std::string("a \"line\"\nand one\0more", 22)}));
    CHECK(failure.rank == 3);
    CHECK(failure.host == "node-1");
    CHECK(failure.where == " in episode 17");
    CHECK(failure.text == std::string("a \"line\"\nand one\0more", 22));
}

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
    runtime.meet();
}

TEST_CASE("the rank that the launcher gave is known before MPI starts")
{
    setenv("PMIX_RANK", "12", 1);
    CHECK(rank_from_environment() == 12);
    unsetenv("PMIX_RANK");
    CHECK(rank_from_environment() == 0);
}
