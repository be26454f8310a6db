#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

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
