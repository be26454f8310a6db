#include "mees/sim/process/orphans.hpp"

#include <fmt/format.h>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace mees::process {
namespace {

constexpr int rounds_of_search = 100;
constexpr std::chrono::milliseconds between_rounds{10};

bool is_marked(std::filesystem::path const& process, std::string const& mark)
{
    std::ifstream file{process / "environ", std::ios::binary};
    for (std::string entry; std::getline(file, entry, '\0');) {
        if (entry == mark) {
            return true;
        }
    }
    return false;
}

std::vector<pid_t> marked(std::string const& mark)
{
    std::vector<pid_t> found;
    std::error_code error;
    std::filesystem::directory_iterator entry{"/proc", error};
    for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
        auto const name = entry->path().filename().string();
        bool const is_process =
            std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
        if (is_process && is_marked(entry->path(), mark)) {
            found.push_back(static_cast<pid_t>(std::stol(name)));
        }
    }
    return found;
}

}  // namespace

std::string new_mark()
{
    static std::atomic<int> count{0};
    return fmt::format("MEES_ENVIRONMENT={}.{}.{}", ::getpid(), ++count,
                       std::chrono::system_clock::now().time_since_epoch().count());
}

void kill_marked(std::string const& mark)
{
    for (int round = 0; round < rounds_of_search; ++round) {
        auto const found = marked(mark);
        if (found.empty()) {
            return;
        }
        for (pid_t const process : found) {
            ::kill(process, SIGKILL);
        }
        std::this_thread::sleep_for(between_rounds);
    }
}

}  // namespace mees::process
