#include "mees/report/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace mees {
namespace {

std::string environment(char const* name)
{
    char const* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The first of the three variables that is set decides (POSIX).
bool locale_is_utf8()
{
    for (auto const* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        auto value = environment(name);
        if (!value.empty()) {
            std::transform(value.begin(), value.end(), value.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            return value.find("utf-8") != std::string::npos
                   || value.find("utf8") != std::string::npos;
        }
    }
    return false;
}

}  // namespace

Terminal detect_terminal(int descriptor)
{
    Terminal terminal;
    winsize size{};
    bool const has_size =
        isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    auto const kind = environment("TERM");
    terminal.interactive = has_size && !kind.empty() && kind != "dumb";
    terminal.utf8 = terminal.interactive && locale_is_utf8();
    terminal.colour = terminal.interactive && environment("NO_COLOR").empty();
    if (has_size) {
        terminal.columns = size.ws_col;
        terminal.rows = size.ws_row;
    }
    return terminal;
}

}  // namespace mees
