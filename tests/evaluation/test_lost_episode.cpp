#include "catch.hpp"

#include "mees/evaluation/lost_episode.hpp"

#include <numeric>
#include <vector>

using namespace mees;

TEST_CASE("episodes are named one by one, with their generations")
{
    CHECK(name_episodes(std::vector<std::int64_t>{7}) == "episode 7");
    CHECK(name_episodes(std::vector<std::int64_t>{4, 5}) == "one of the episodes 4, 5");
    std::vector<LostEpisode> lost{{.generation = Generation{3}, .index = 7}};
    CHECK(name_episodes(lost) == "episode 7 of generation 3");
    lost.push_back({.generation = Generation{3}, .index = 8});
    CHECK(name_episodes(lost) == "one of the episodes 7, 8 of generation 3");
    lost.push_back({.generation = Generation{4}, .index = 9});
    CHECK(name_episodes(lost) == "one of the episodes 7, 8 of generation 3 and 9 of generation 4");
    std::vector<std::int64_t> many(25);
    std::iota(many.begin(), many.end(), 0);
    CHECK(name_episodes(many)
          == "one of the episodes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, "
             "18, 19 and 5 others");
}
