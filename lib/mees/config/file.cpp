#include "mees/config/config.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace mees {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = 1 << 20;

/// The contents of a file that can be a configuration; pipes are read too.
std::string read_text(fs::path const& file)
{
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) {
        throw ConfigError{fmt::format("cannot read {}", file.string()), "it is a folder",
                          "Give a TOML file."};
    }
    errno = 0;
    std::ifstream stream{file, std::ios::binary};
    std::string text(largest_file + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.is_open() || stream.bad()) {
        throw ConfigError{fmt::format("cannot read {}", file.string()),
                          errno != 0 ? std::strerror(errno) : "unknown reason",
                          "Give a TOML file; configs/ contains examples."};
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
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

/// A name found next to the configuration file or in the working directory becomes absolute; others
/// stay as they are, for callers that know more places to look.
std::string resolved(std::string const& name, fs::path const& folder)
{
    if (name.empty()) {
        return name;
    }
    for (auto const& candidate : {folder / name, fs::path{name}}) {
        std::error_code error;
        if (fs::is_regular_file(candidate, error)) {
            auto const path = fs::canonical(candidate, error);
            return error ? name : path.string();
        }
    }
    return name;
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
    return configuration;
}

Settings read_settings(fs::path const& file, std::vector<std::string> const& overrides,
                       KnownNames const& known)
{
    return read_configuration(file, overrides, known).settings;
}

}  // namespace mees
