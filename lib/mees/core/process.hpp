#pragma once

#include <functional>
#include <string>

namespace mees {

/// This machine's name, as other machines of its network know it.
[[nodiscard]] std::string host_name();

/// The name, and a number for the processes that this one can see: those of a container have their
/// own ids. No two living processes with equal origins have the same id.
[[nodiscard]] std::string process_origin();

/// Runs `work` in a forked copy of this process; true if it ends within `seconds`, normally or by a
/// FileError. Deterministic work then does the same in this process, so that input which would
/// crash or hang it can be rejected first. For single-threaded processes. True, without a test, if
/// no process can be started.
[[nodiscard]] bool completes_in_subprocess(std::function<void()> const& work, unsigned seconds);

}  // namespace mees
