#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/lost_episodes.hpp"
#include "scratch_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace mees;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("an episode that ends a second worker is named")
{
    test::ScratchFolder const scratch;
    auto const record = [&](LostEpisode const& lost) {
        record_lost_episodes(scratch.path(), std::vector{lost});
    };
    LostEpisode episode{5, Generation{40}, 17, "rank 3 on host a"};
    record(episode);
    for (auto const& other :
         {LostEpisode{6, Generation{40}, 17, "x"}, LostEpisode{5, Generation{41}, 17, "x"},
          LostEpisode{5, Generation{40}, 1, "x"}}) {
        CHECK_NOTHROW(record(other));
    }
    episode.worker = "rank 8 on host b";
    auto const message = message_of<Error>([&] { record(episode); });
    CHECK_THAT(message, ContainsSubstring("episode 17 of generation 40 (seed 5) has ended two "
                                          "workers (rank 3 on host a, and now rank 8 on host b)"));
    std::filesystem::remove(scratch / "lost_episodes.csv");
    CHECK_NOTHROW(record(episode));
}

TEST_CASE("of a worker that runs several episodes at once, those that ended a second one are named")
{
    test::ScratchFolder const scratch;
    auto const record = [&](std::vector<std::int64_t> const& indices, std::string const& worker) {
        std::vector<LostEpisode> lost;
        for (auto const index : indices) {
            lost.push_back({5, Generation{40}, index, worker});
        }
        record_lost_episodes(scratch.path(), lost);
    };
    CHECK_NOTHROW(record({}, "nobody"));
    CHECK_FALSE(std::filesystem::exists(scratch / "lost_episodes.csv"));
    CHECK_NOTHROW(record({1, 2, 3}, "rank 3 on host a"));
    auto const message = message_of<Error>([&] { record({2, 3, 4}, "rank 8 on host b"); });
    CHECK_THAT(message,
               ContainsSubstring("one of the episodes 2, 3 of generation 40 (seed 5) has ended two "
                                 "workers (rank 3 on host a, and now rank 8 on host b)"));
    std::ifstream file{scratch / "lost_episodes.csv"};
    std::string const content{std::istreambuf_iterator<char>{file}, {}};
    CHECK(content
          == "seed,generation,episode,worker\n"
             "5,40,1,rank 3 on host a\n5,40,2,rank 3 on host a\n5,40,3,rank 3 on host a\n"
             "5,40,2,rank 8 on host b\n5,40,3,rank 8 on host b\n5,40,4,rank 8 on host b\n");
}
