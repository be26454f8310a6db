#include "mees/sim/process/trust.hpp"

#include "mees/core/regular_file.hpp"
#include "mees/core/sha256.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>

namespace mees {
namespace {

std::filesystem::path list_of_commands()
{
    auto const folder = [](char const* variable) -> std::filesystem::path {
        auto const* const value = std::getenv(variable);
        return value == nullptr ? "" : value;
    };
    if (auto const state = folder("XDG_STATE_HOME"); state.is_absolute()) {
        return state / "mees" / "commands";
    }
    auto const home = folder("HOME");
    return home.is_absolute() ? home / ".local" / "state" / "mees" / "commands" : home;
}

std::string digest_of(std::vector<std::string> const& command)
{
    std::string words;
    for (auto const& word : command) {
        words += fmt::format("{}:{},", word.size(), word);
    }
    return sha256(std::as_bytes(std::span{words}));
}

}  // namespace

bool is_trusted(std::vector<std::string> const& command)
{
    auto const path = list_of_commands();
    if (path.empty() || !unreadable(path).empty()) {
        return false;
    }
    auto const digest = digest_of(command);
    std::ifstream list{path};
    for (std::string line; std::getline(list, line);) {
        if (line == digest) {
            return true;
        }
    }
    return false;
}

void trust(std::vector<std::string> const& command)
{
    auto const path = list_of_commands();
    if (path.empty() || is_trusted(command)) {
        return;
    }
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    int const list = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
                            S_IRUSR | S_IWUSR);
    if (list >= 0) {
        auto const line = digest_of(command) + "\n";
        static_cast<void>(!::write(list, line.data(), line.size()));
        ::close(list);
    }
}

}  // namespace mees
