#pragma once

#include "mees/core/log_level.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>

namespace mees::log {

/// Messages at or above `level` go to the log file, once one is open; warnings and errors also go
/// to stderr. The default level is info, without a file.
void set_level(Level level);
void open_file(std::filesystem::path const& path);
void close_file();

void write(Level level, std::string_view message);

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args)
{
    write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args)
{
    write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args)
{
    write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args)
{
    write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace mees::log
