#pragma once

#include "mees/viewer/library.hpp"

#include <functional>
#include <string>

namespace mees::viewer {

/// Where the page is served.
struct Address {
    int port{0};
    std::string token;  ///< what a browser must know to be answered

    [[nodiscard]] std::string url() const;
};

/// Serves the page and the maps of a library on 127.0.0.1 until SIGINT or SIGTERM.
///
/// Answers GET on fixed routes, with the token in the URL or in the cookie that the page then gets,
/// and only if the request names this host (so that no foreign page can reach it by a DNS name of
/// its own). Port 0: a free one. `ready` is called once requests are answered. Throws ConfigError
/// if the port is in use, or if the program was built without cpp-httplib.
void serve(Library& library, std::string const& page, int port,
           std::function<void(Address const&)> const& ready);

}  // namespace mees::viewer
