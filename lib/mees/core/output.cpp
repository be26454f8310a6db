#include "mees/core/output.hpp"

#include "mees/core/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <ostream>
#include <streambuf>

namespace mees {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Opens a pipe or a terminal again: O_NONBLOCK on the descriptor itself would also affect the
/// other processes that share it. -1 for anything else, and where that is not possible.
int reopen_unblocked(int descriptor)
{
    struct stat info = {};
    if (::fstat(descriptor, &info) != 0 || !(S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode))) {
        return -1;
    }
    auto const name = fmt::format("/proc/self/fd/{}", descriptor);
    return ::open(name.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/// Waits until the descriptor takes data; false if it does not before `end`.
bool is_ready(int descriptor, std::chrono::steady_clock::time_point end)
{
    for (;;) {
        auto const left =
            std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now()).count();
        pollfd request{descriptor, POLLOUT, 0};
        int const ready = ::poll(&request, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
        if (ready >= 0 || errno != EINTR) {
            return ready > 0;
        }
    }
}

/// Keeps the newest text that stdout did not take.
class ProgressBuffer final : public std::streambuf {
  public:
    ProgressBuffer() = default;
    ProgressBuffer(ProgressBuffer const&) = delete;
    ProgressBuffer& operator=(ProgressBuffer const&) = delete;
    ~ProgressBuffer() override
    {
        sync();
        writer_.write(waiting_, seconds{2});
    }

  protected:
    int sync() override
    {
        if (!text_.empty()) {
            waiting_.swap(text_);
            text_.clear();
        }
        if (writer_.write(waiting_, milliseconds{0})) {
            waiting_.clear();
        }
        return 0;
    }
    int_type overflow(int_type letter) override
    {
        if (!traits_type::eq_int_type(letter, traits_type::eof())) {
            text_ += traits_type::to_char_type(letter);
        }
        return traits_type::not_eof(letter);
    }
    std::streamsize xsputn(char const* letters, std::streamsize count) override
    {
        text_.append(letters, static_cast<std::size_t>(count));
        return count;
    }

  private:
    UnblockedWriter writer_{STDOUT_FILENO};
    std::string text_;     ///< since the last flush
    std::string waiting_;  ///< not taken yet
};

struct ProgressStream {
    ProgressBuffer buffer;
    std::ostream stream{&buffer};
};

struct Stderr {
    std::mutex mutex;
    UnblockedWriter writer{STDERR_FILENO};
    bool unread{false};
};

}  // namespace

void protect_standard_descriptors()
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
            // The lowest free number is this one.
            static_cast<void>(
                ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
        }
    }
}

UnblockedWriter::UnblockedWriter(int descriptor)
    : descriptor_{descriptor}, reopened_{reopen_unblocked(descriptor)}
{
}

UnblockedWriter::~UnblockedWriter()
{
    if (reopened_ >= 0) {
        ::close(reopened_);
    }
}

std::size_t UnblockedWriter::put(std::string_view text, Clock::time_point end) const
{
    int const descriptor = reopened_ >= 0 ? reopened_ : descriptor_;
    std::size_t done = 0;
    // A descriptor that may block is asked first: one that is ready has room for this much.
    bool ready = reopened_ >= 0 || is_ready(descriptor, end);
    while (ready && done < text.size()) {
        auto const count = ::write(descriptor, text.data() + done,
                                   std::min<std::size_t>(text.size() - done, PIPE_BUF));
        if (count > 0) {
            done += static_cast<std::size_t>(count);
            ready = reopened_ >= 0 || is_ready(descriptor, end);
        } else if (errno != EINTR) {
            ready = errno == EAGAIN && Clock::now() < end && is_ready(descriptor, end);
        }
    }
    return done;
}

bool UnblockedWriter::write(std::string_view text, milliseconds patience)
{
    auto const end = Clock::now() + patience;
    if (!rest_.empty()) {
        rest_.erase(0, put(rest_, end));
    }
    if (!rest_.empty()) {
        return false;
    }
    auto const done = put(text, end);
    if (done > 0) {
        rest_ = text.substr(done);
    }
    return done > 0 || text.empty();
}

std::ostream& progress_output()
{
    static ProgressStream progress;
    return progress.stream;
}

void write_stderr(std::string_view text) noexcept
{
    try {
        // Never destroyed: the end of the program may have something to report, too.
        static auto& output = *new Stderr;
        std::lock_guard const lock{output.mutex};
        output.unread = !output.writer.write(text, output.unread ? seconds{0} : seconds{1});
    } catch (std::exception const&) {
        // No memory: there is no way to report it.
    }
}

void print_error(std::string_view program, std::string_view message) noexcept
{
    try {
        write_stderr(fmt::format("{}: error: {}\n", program, escaped(message, "\n\t")));
    } catch (std::exception const&) {
        write_stderr("error: no memory is left\n");
    }
}

}  // namespace mees
