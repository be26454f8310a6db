#include "mees/sim/process/child.hpp"

#include "mees/core/error.hpp"
#include "mees/core/text.hpp"
#include "mees/sim/process/orphans.hpp"
#include "mees/sim/process/protocol.hpp"
#include "mees/sim/process/warden.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace mees::process {
namespace {

constexpr std::size_t kept_output = 8192;
constexpr std::size_t kept_lines = 10;
constexpr int poll_milliseconds = 20;  ///< between calls of `abort`
/// How long a reply is looked for before this process sleeps: most come sooner, and to wake a
/// process on an idle core takes about 25 us. Others that want the core get it meanwhile.
constexpr double looking_seconds = 50e-6;
constexpr int goodbye_milliseconds = 500;   ///< for a program to end by itself
constexpr int killing_milliseconds = 6000;  ///< for the warden to end it

struct Pipe {
    Descriptor in;
    Descriptor out;
};

SimulationError cannot_start(std::vector<std::string> const& command)
{
    return {fmt::format("cannot start the environment {}", escaped(command.front())),
            std::strerror(errno), "Check the limits of processes and open files."};
}

Pipe make_pipe(std::vector<std::string> const& command)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw cannot_start(command);
    }
    return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

Pipe make_socket(std::vector<std::string> const& command)
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw cannot_start(command);
    }
    return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

/// This process's environment without what would make a program in it join an MPI job, and with
/// the version of the protocol and the mark.
std::vector<std::string> environment_of_program(std::string const& mark)
{
    std::vector<std::string> variables;
    for (char** entry = ::environ; *entry != nullptr; ++entry) {
        std::string_view const variable{*entry};
        bool const of_launcher = std::ranges::any_of(
            std::array{"OMPI_", "PMIX_", "PMI_", "MEES_PROTOCOL=", "MEES_ENVIRONMENT="},
            [&](char const* prefix) { return variable.starts_with(prefix); });
        if (!of_launcher) {
            variables.emplace_back(variable);
        }
    }
    variables.push_back(fmt::format("MEES_PROTOCOL={}", protocol_version));
    variables.push_back(mark);
    return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (auto& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::string fate_of(WardenNews const& news)
{
    if (news.kind == WardenNews::Kind::not_started) {
        return fmt::format("it cannot be started: {}", std::strerror(news.value));
    }
    int const status = news.value;
    if (WIFSIGNALED(status)) {
        return fmt::format("it was ended by signal {} ({})", WTERMSIG(status),
                           ::strsignal(WTERMSIG(status)));
    }
    return fmt::format("its exit status is {}", WEXITSTATUS(status));
}

std::string last_lines(std::string_view text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.remove_suffix(1);
    }
    std::size_t begin = text.size();
    for (std::size_t lines = 0; begin > 0 && lines < kept_lines; ++lines) {
        auto const before = begin == text.size() ? begin : begin - 1;
        auto const newline = text.rfind('\n', before == 0 ? 0 : before - 1);
        begin = newline == std::string_view::npos ? 0 : newline + 1;
        if (newline == std::string_view::npos) {
            break;
        }
    }
    std::string lines = escaped(text.substr(begin), "\n\t");
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 5) {
        lines.replace(at, 1, "\n    ");
    }
    return lines;
}

void sleep_millisecond()
{
    timespec const pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
}

}  // namespace

double monotonic_seconds()
{
    return std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}
        .count();
}

void Descriptor::close()
{
    if (descriptor_ >= 0) {
        ::close(std::exchange(descriptor_, -1));
    }
}

Child::Child(std::vector<std::string> const& command) : mark_{new_mark()}
{
    auto channel = make_socket(command);
    auto output = make_pipe(command);
    auto lifeline = make_pipe(command);
    auto news = make_pipe(command);
    auto words = command;
    auto variables = environment_of_program(mark_);
    auto const arguments = pointers_to(words);
    auto const environment = pointers_to(variables);
    WardenTask const task{lifeline.in.get(), news.out.get(),   channel.out.get(),
                          output.out.get(),  arguments.data(), environment.data()};
    warden_ = ::fork();
    if (warden_ == 0) {
        guard(task);
    }
    if (warden_ < 0) {
        throw cannot_start(command);
    }
    channel_ = std::move(channel.in);
    output_ = std::move(output.in);
    lifeline_ = std::move(lifeline.out);
    news_ = std::move(news.in);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

Child::~Child()
{
    end(0);
}

Trouble Child::wait(short events, double deadline, std::function<bool()> const& abort)
{
    for (;;) {
        std::array<pollfd, 3> ready{pollfd{channel_.get(), events, 0},
                                    pollfd{output_.get(), POLLIN, 0},
                                    pollfd{news_.get(), POLLIN, 0}};
        int const count = ::poll(ready.data(), ready.size(), poll_milliseconds);
        if (count > 0 && ready[1].revents != 0) {
            read_output();
        }
        if (count > 0 && ready[0].revents != 0) {
            return Trouble::none;
        }
        if (count > 0 && ready[2].revents != 0) {
            take_news();
            if (news_.get() < 0) {  // processes that the program started may hold the channel
                return Trouble::ended;
            }
        }
        if (abort && abort()) {
            return Trouble::dropped;
        }
        if (monotonic_seconds() > deadline) {
            return Trouble::late;
        }
    }
}

Trouble Child::send(std::span<std::byte const> bytes, double deadline,
                    std::function<bool()> const& abort)
{
    while (!bytes.empty()) {
        auto const count =
            ::send(channel_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(count));
            continue;
        }
        if (errno != EAGAIN && errno != EINTR) {
            return Trouble::ended;
        }
        if (auto const trouble = wait(POLLOUT, deadline, abort); trouble != Trouble::none) {
            return trouble;
        }
    }
    return Trouble::none;
}

Trouble Child::receive(std::span<std::byte> bytes, double deadline,
                       std::function<bool()> const& abort)
{
    double const sleep_from = monotonic_seconds() + looking_seconds;
    while (!bytes.empty()) {
        auto const count = ::recv(channel_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (count > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(count));
            continue;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            return Trouble::ended;
        }
        if (monotonic_seconds() < sleep_from) {
            ::sched_yield();
            continue;
        }
        if (auto const trouble = wait(POLLIN, deadline, abort); trouble != Trouble::none) {
            return trouble;
        }
    }
    return Trouble::none;
}

void Child::read_output()
{
    std::array<char, 4096> buffer{};
    for (;;) {
        auto const count = ::read(output_.get(), buffer.data(), buffer.size());
        if (count <= 0) {
            if (count == 0) {
                output_.close();
            }
            return;
        }
        text_.append(buffer.data(), static_cast<std::size_t>(count));
        if (text_.size() > 2 * kept_output) {
            text_.erase(0, text_.size() - kept_output);
        }
    }
}

/// Takes one report of the warden, or notes that the warden is gone.
void Child::take_news()
{
    WardenNews news;
    if (::read(news_.get(), &news, sizeof news) != sizeof news) {
        news_.close();
        if (fate_.empty()) {
            fate_ = "the process mees_warden that guards it was killed, and it with it";
        }
    } else if (news.kind == WardenNews::Kind::started) {
        program_ = news.value;
    } else if (fate_.empty()) {  // a program that could not be started ends, too
        fate_ = fate_of(news);
    }
}

/// Takes what the warden reports, until the program has ended or the time is over.
void Child::read_news(int milliseconds)
{
    double const deadline = monotonic_seconds() + milliseconds / 1000.0;
    while (news_.get() >= 0 && fate_.empty()) {
        pollfd ready{news_.get(), POLLIN, 0};
        if (::poll(&ready, 1, 1) > 0) {
            take_news();
        } else if (monotonic_seconds() > deadline) {
            return;
        }
        read_output();
    }
}

void Child::end(int milliseconds)
{
    if (warden_ < 0) {
        return;
    }
    channel_.close();
    read_news(milliseconds);
    if (fate_.empty()) {
        fate_ = "it was still running";
    }
    lifeline_.close();
    int status = 0;
    bool running = true;
    for (int i = 0; i < killing_milliseconds && running; ++i) {
        running = ::waitpid(warden_, &status, WNOHANG) == 0;
        sleep_millisecond();
    }
    if (running) {  // it was stopped, perhaps
        ::kill(warden_, SIGKILL);
        ::waitpid(warden_, &status, 0);
    }
    if (!WIFEXITED(status)) {  // it was killed; perhaps the inner warden, too
        if (program_ > 0) {
            ::kill(-program_, SIGKILL);
        }
        kill_marked(mark_);
    }
    warden_ = -1;
}

void Child::finish()
{
    end(goodbye_milliseconds);
}

std::string Child::post_mortem()
{
    end(goodbye_milliseconds);
    if (output_.get() >= 0) {
        read_output();
    }
    auto const lines = last_lines(text_);
    return lines.empty() ? fmt::format("{}; it wrote nothing to stdout or stderr", fate_)
                         : fmt::format("{}; its last lines of output:\n    {}\n", fate_, lines);
}

}  // namespace mees::process
