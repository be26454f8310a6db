#pragma once

#include "mees/core/log_level.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>

namespace mees::log {

/// Writes what is logged from now on to stderr (warnings and errors only) and, once a file is
/// named, everything at or above `level` to that file. Without either call, warnings go to stderr.
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
