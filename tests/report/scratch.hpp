#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

/// A folder that is removed at the end.
struct ScratchFolder {
    std::filesystem::path path;

    ScratchFolder()
        : path{std::filesystem::temp_directory_path() / ("mees_report_" + std::to_string(getpid()))}
    {
        std::filesystem::create_directories(path);
    }
    ScratchFolder(ScratchFolder const&) = delete;
    ScratchFolder& operator=(ScratchFolder const&) = delete;
    ~ScratchFolder() { std::filesystem::remove_all(path); }
};

inline std::string text_of(std::filesystem::path const& file)
{
    std::ifstream stream{file};
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

inline std::size_t count_of(std::string const& text, std::string const& word)
{
    std::size_t count = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}
