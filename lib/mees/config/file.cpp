#include "mees/config/config.hpp"
#include "mees/config/detail/read_text.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace mees {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = 1 << 20;

/// Appends what the file has, up to a limit; the reason if it cannot be read. A pipe is read too,
/// but not waited for longer than a few seconds.
std::string read_up_to(std::size_t limit, int file, std::string& text)
{
    constexpr int patience_ms = 5000;
    std::array<char, 65536> buffer{};
    while (text.size() < limit) {
        pollfd ready{file, POLLIN, 0};
        int const events = ::poll(&ready, 1, patience_ms);
        auto const count = events > 0 ? ::read(file, buffer.data(), buffer.size()) : events;
        if (events == 0) {
            return "it is a pipe to which nothing is written";
        }
        if (count == 0) {
            break;
        }
        if (count > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        } else if (errno != EINTR && errno != EAGAIN) {
            return std::strerror(errno);
        }
    }
    return {};
}

}  // namespace

std::string read_text(fs::path const& file)
{
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) {
        throw ConfigError{fmt::format("cannot read {}", file.string()), "it is a folder",
                          "Give a TOML file."};
    }
    std::string text;
    int const descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    auto const problem = descriptor < 0 ? std::string{std::strerror(errno)}
                                        : read_up_to(largest_file + 1, descriptor, text);
    ::close(descriptor);
    if (!problem.empty()) {
        throw ConfigError{fmt::format("cannot read {}", file.string()), problem,
                          "Give a TOML file; configs/ contains examples."};
    }
    if (text.size() > largest_file) {
        throw ConfigError{fmt::format("invalid configuration {}", file.string()),
                          "it is larger than 1 MiB", "Give a TOML file."};
    }
    if (text.find('\0') != std::string::npos) {
        throw ConfigError{fmt::format("invalid configuration {}", file.string()),
                          "it contains binary data", "Give a TOML file."};
    }
    return text;
}

namespace {

enum class Links { follow, keep };

/// A name found next to the configuration file or in the working directory becomes absolute; others
/// stay as they are, for callers that know more places to look.
std::string resolved(std::string const& name, fs::path const& folder, Links links = Links::follow)
{
    if (name.empty()) {
        return name;
    }
    for (auto const& candidate : {folder / name, fs::path{name}}) {
        std::error_code error;
        if (fs::is_regular_file(candidate, error)) {
            auto const path = links == Links::follow ? fs::canonical(candidate, error)
                                                     : fs::absolute(candidate, error);
            return error ? name : path.lexically_normal().string();
        }
    }
    return name;
}

/// The files that a command names: its program only if that is a path, not to be looked up in PATH.
/// Links stay: the Python of a virtual environment is one, and finds its packages by its own name.
void resolve_command(std::vector<std::string>& command, fs::path const& folder)
{
    for (auto& word : command) {
        bool const is_program = &word == &command.front();
        if (!is_program || word.find('/') != std::string::npos) {
            word = resolved(word, folder, Links::keep);
        }
    }
}

}  // namespace

Configuration read_configuration(fs::path const& file, std::vector<std::string> const& overrides,
                                 KnownNames const& known)
{
    auto configuration = parse_configuration(read_text(file), file.string(), overrides, known);
    for (auto const& key : schema()) {
        if (key.is_path) {
            auto const name = std::get<std::string>(key.get(configuration.settings));
            key.set(configuration.settings, resolved(name, file.parent_path()));
        }
    }
    resolve_command(configuration.settings.domain.process.command, file.parent_path());
    return configuration;
}

Settings read_settings(fs::path const& file, std::vector<std::string> const& overrides,
                       KnownNames const& known)
{
    return read_configuration(file, overrides, known).settings;
}

}  // namespace mees
