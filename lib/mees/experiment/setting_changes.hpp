#pragma once

#include "mees/core/error.hpp"
#include "mees/core/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mees {

/// What differs between a file of results and the command that would continue it. Stored strings
/// may come from a stranger's file: control characters in them are escaped.
class SettingChanges {
  public:
    template <class Value>
    void compare(char const* name, Value const& before, Value const& now)
    {
        if (!(before == now)) {
            add(escaped(fmt::format("{} was {} and is {}", name, before, now)));
        }
    }
    void add(std::string change) { changes_.push_back(std::move(change)); }

    /// Throws FileError if there are any; `problem` follows the name of the file.
    void refuse_any(std::filesystem::path const& file, char const* problem,
                    char const* remedy) const
    {
        if (!changes_.empty()) {
            throw FileError{fmt::format("{} {}", file.string(), problem),
                            fmt::format("{}", fmt::join(changes_, "; ")), remedy};
        }
    }

  private:
    std::vector<std::string> changes_;
};

}  // namespace mees
