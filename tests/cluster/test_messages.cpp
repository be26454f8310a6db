#include "catch.hpp"

#include "mees/cluster/detail/messages.hpp"

using namespace mees;

TEST_CASE("a RankInfo is decoded as it was encoded")
{
    RankInfo info;
    decode(encode(RankInfo{"mees 9", 511, "node-4", "a processor", "boot", 4711, true, 128}), info);
    CHECK(info.build == "mees 9");
    CHECK(info.rank == 511);
    CHECK(info.host == "node-4");
    CHECK(info.processor == "a processor");
    CHECK(info.kernel == "boot");
    CHECK(info.process == 4711);
    CHECK(info.leads_node);
    CHECK(info.node_size == 128);
}

TEST_CASE("a Failure is decoded as it was encoded")
{
    std::string const text{"a \"line\"\nand one\0more", 22};
    Failure failure;
    decode(encode(Failure{3, "node-1", " in episode 17", text}), failure);
    CHECK(failure.rank == 3);
    CHECK(failure.host == "node-1");
    CHECK(failure.where == " in episode 17");
    CHECK(failure.text == text);
}

TEST_CASE("a Suspect is decoded as it was encoded")
{
    Suspect suspect;
    decode(encode(Suspect{3, 1, 2.5, {5, 70'000'000'000}}), suspect);
    CHECK(suspect.rank == 3);
    CHECK(suspect.ended == 1);
    CHECK(suspect.silent_seconds == 2.5);
    CHECK(suspect.episodes == std::vector<std::int64_t>{5, 70'000'000'000});
}
