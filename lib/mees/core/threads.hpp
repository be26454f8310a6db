#pragma once

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace mees {

/// Adds a thread to a pool whose size the user chose. Throws Error if the system has no more.
template <class Work>
void start_thread(std::vector<std::jthread>& pool, Work work)
{
    try {
        pool.emplace_back(std::move(work));
    } catch (std::system_error const& error) {
        throw Error{ExitCode::failure,
                    fmt::format("cannot start more than {} threads", pool.size()), error.what(),
                    "Use fewer with --threads, or raise the limits on processes and memory "
                    "(ulimit -u, ulimit -v)."};
    }
}

}  // namespace mees
