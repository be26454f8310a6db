#include "mees/cluster/crash.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include <unistd.h>

namespace mees {
namespace {

constexpr std::array crashes{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// Globals, because a signal handler can reach nothing else.
std::array<char, 512> announcement{};
std::array<struct sigaction, crashes.size()> former_actions{};

void write_text(char const* text)
{
    (void)!write(STDERR_FILENO, text, std::strlen(text));
}

/// Calls only what may be called in a signal handler.
void announce(int signal)
{
    write_text(announcement.data());
    write_text(sigabbrev_np(signal));
    write_text("\n");
    for (std::size_t i = 0; i < crashes.size(); ++i) {
        if (crashes[i] == signal) {
            sigaction(signal, &former_actions[i], nullptr);
        }
    }
    std::raise(signal);  // pending until this handler returns
}

}  // namespace

void announce_crashes(int rank, std::string_view host)
{
    auto const written = fmt::format_to_n(announcement.data(), announcement.size() - 1,
                                          "{}: error: rank {} on host {} died of SIG",
                                          program_invocation_short_name, rank, host);
    *written.out = '\0';
    struct sigaction action = {};
    action.sa_handler = announce;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < crashes.size(); ++i) {
        sigaction(crashes[i], &action, &former_actions[i]);
    }
}

}  // namespace mees
