#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/lost_episodes.hpp"
#include "scratch_folder.hpp"

#include <filesystem>
#include <fstream>

using namespace mees;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("an episode that ends a second worker is named")
{
    test::ScratchFolder const scratch;
    LostEpisode episode{5, Generation{40}, 17, "rank 3 on host a"};
    record_lost_episode(scratch.path(), episode);
    for (auto const& other :
         {LostEpisode{6, Generation{40}, 17, "x"}, LostEpisode{5, Generation{41}, 17, "x"},
          LostEpisode{5, Generation{40}, 1, "x"}}) {
        CHECK_NOTHROW(record_lost_episode(scratch.path(), other));
    }
    episode.worker = "rank 8 on host b";
    auto const message = message_of<Error>([&] { record_lost_episode(scratch.path(), episode); });
    CHECK_THAT(message, ContainsSubstring("episode 17 of generation 40 (seed 5) has ended two "
                                          "workers (rank 3 on host a, and now rank 8 on host b)"));
    std::filesystem::remove(scratch / "lost_episodes.csv");
    CHECK_NOTHROW(record_lost_episode(scratch.path(), episode));
}
