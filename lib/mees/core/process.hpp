#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace mees {

/// This machine's name, as other machines of its network know it.
[[nodiscard]] std::string host_name();

/// The name, and a number for the processes that this one can see: those of a container have their
/// own ids. No two living processes with equal origins have the same id.
[[nodiscard]] std::string process_origin();

/// What work in a subprocess may use.
struct SubprocessLimits {
    unsigned seconds{0};
    std::uint64_t more_bytes{0};  ///< of memory than this process has; 0: no limit
};

/// Runs `work` in a forked copy of this process; true if it ends within the limits, normally or by
/// an Error. Deterministic work then does the same in this process, so that input which would crash
/// or hang it can be rejected first. For processes whose other threads hold no locks. True, without
/// a test, if no process can be started.
[[nodiscard]] bool completes_in_subprocess(std::function<void()> const& work,
                                           SubprocessLimits const& limits);

}  // namespace mees
