#include "mees/experiment/lost_episodes.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/log.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace mees {

void record_lost_episode(std::filesystem::path const& folder, LostEpisode const& episode)
{
    auto const path = folder / "lost_episodes.csv";
    auto const key =
        fmt::format("{},{},{},", episode.seed, episode.generation.value(), episode.index);
    std::string content;
    std::string earlier_worker;
    {
        std::ifstream file{path};
        for (std::string line; std::getline(file, line);) {
            content += line + "\n";
            if (line.starts_with(key)) {
                earlier_worker = line.substr(key.size());
            }
        }
    }
    if (content.empty()) {
        content = "seed,generation,episode,worker\n";
    }
    content += fmt::format("{}{}\n", key, episode.worker);
    try {
        write_file(path, content);
    } catch (WriteError const& error) {
        log::warning("{}", error.what());
    }
    if (!earlier_worker.empty()) {
        throw Error{ExitCode::failure,
                    fmt::format("episode {} of generation {} (seed {}) has ended two workers",
                                episode.index, episode.generation.value(), episode.seed),
                    fmt::format("{}, and now {}", earlier_worker, episode.worker),
                    fmt::format("Find out why it ends the process (memory, a crash of the physics "
                                "engine); remove {} to try again.",
                                path.string())};
    }
}

}  // namespace mees
