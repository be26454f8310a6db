#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace mees::process {

/// A file descriptor that is closed in the end.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int descriptor) : descriptor_{descriptor} {}
    Descriptor(Descriptor&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~Descriptor() { close(); }

    [[nodiscard]] int get() const { return descriptor_; }
    void close();

  private:
    int descriptor_{-1};
};

/// Why an exchange with a child did not succeed.
enum class Trouble {
    none,
    ended,    ///< it has closed its end, as it does when it dies
    late,     ///< nothing came in time
    dropped,  ///< `abort` said so
};

/// A program in another process, with a socket to it, that never outlives this object or this
/// process, and neither does any process that it starts (see warden.hpp).
///
/// Its stdin is empty; what it writes to stdout and stderr is read and the last lines are kept.
class Child {
  public:
    /// Throws SimulationError if no process can be started; a program that does not exist ends at
    /// once, and `post_mortem` says why.
    explicit Child(std::vector<std::string> const& command);
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;
    ~Child();

    /// Sends all bytes, or fills all bytes, until `deadline` in seconds of the monotonic clock.
    /// `abort` is called several times a second while waiting; it may be empty.
    [[nodiscard]] Trouble send(std::span<std::byte const> bytes, double deadline,
                               std::function<bool()> const& abort);
    [[nodiscard]] Trouble receive(std::span<std::byte> bytes, double deadline,
                                  std::function<bool()> const& abort);

    /// Ends the program and describes it: how it ended (if it did so by itself), and its last lines
    /// of output. No further exchange is possible.
    [[nodiscard]] std::string post_mortem();
    /// Lets the program end by itself, for half a second, then ends it.
    void finish();

  private:
    [[nodiscard]] Trouble wait(short events, double deadline, std::function<bool()> const& abort);
    void read_output();
    void take_news();
    void read_news(int milliseconds);
    void end(int milliseconds);

    pid_t warden_{-1};
    std::string mark_;  ///< of the program's environment
    pid_t program_{-1};
    Descriptor channel_;
    Descriptor output_;
    Descriptor lifeline_;
    Descriptor news_;
    std::string text_;  ///< the last output
    std::string fate_;  ///< how it ended; empty: unknown
};

/// Seconds of the monotonic clock.
[[nodiscard]] double monotonic_seconds();

}  // namespace mees::process
