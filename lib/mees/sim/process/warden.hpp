#pragma once

#include <cstdint>

#include <sys/types.h>

namespace mees::process {

/// What the warden reports.
struct WardenNews {
    enum class Kind : std::int32_t {
        started,      ///< value: process id of the program
        not_started,  ///< value: errno of exec
        ended,        ///< value: status of the program, as waitpid gives it
    };
    Kind kind{Kind::started};
    std::int32_t value{0};
};

/// What the warden is given: the ends of pipes, and the program.
struct WardenTask {
    int lifeline;  ///< read end: the warden's parent has ended when it is closed
    int news;      ///< write end, for WardenNews
    int channel;   ///< the program's end of the protocol's socket
    int output;    ///< write end for the program's stdout and stderr
    char* const* arguments;
    char* const* environment;
};

/// The life of the two processes between this one and a program. The outer warden starts the inner
/// one, which starts the program in a process group of its own. They wait until it ends or the
/// lifeline is closed, then kill it and every process that it started, also those that left its
/// group or session. If one of the two is killed, the other does so at once; if both are, the
/// program is killed by the kernel, and Child kills what it started (see orphans.hpp).
///
/// Runs in a forked copy of a process that may have had several threads: calls only functions that
/// are allowed after such a fork.
[[noreturn]] void guard(WardenTask const& task);

}  // namespace mees::process
