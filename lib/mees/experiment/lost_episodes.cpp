#include "mees/experiment/lost_episodes.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/core/log.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace mees {
namespace {

std::string key_of(LostEpisode const& episode)
{
    return fmt::format("{},{},{}", episode.seed, episode.generation.value(), episode.index);
}

}  // namespace

void record_lost_episodes(std::filesystem::path const& folder,
                          std::span<LostEpisode const> episodes)
{
    if (episodes.empty()) {
        return;
    }
    auto const path = folder / "lost_episodes.csv";
    std::string content;
    std::map<std::string, std::string> earlier_workers;  // by key
    {
        std::ifstream file{path};
        for (std::string line; std::getline(file, line);) {
            content += line + "\n";
            if (auto const worker = line.rfind(','); worker != std::string::npos) {
                earlier_workers[line.substr(0, worker)] = line.substr(worker + 1);
            }
        }
    }
    if (content.empty()) {
        content = "seed,generation,episode,worker\n";
    }
    std::vector<LostEpisode> again;
    for (auto const& episode : episodes) {
        content += fmt::format("{},{}\n", key_of(episode), episode.worker);
        if (earlier_workers.contains(key_of(episode))) {
            again.push_back(episode);
        }
    }
    try {
        write_file(path, content);
    } catch (WriteError const& error) {
        log::warning("{}", error.what());
    }
    if (!again.empty()) {
        auto const& one = again.front();
        throw Error{
            ExitCode::failure,
            fmt::format("{} (seed {}) has ended two workers", name_episodes(again), one.seed),
            fmt::format("{}, and now {}", earlier_workers.at(key_of(one)), one.worker),
            fmt::format("Find out why it ends the process (memory, a crash of the physics "
                        "engine); remove {} to try again.",
                        path.string())};
    }
}

}  // namespace mees
