#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <string_view>

// Standard streams that may be closed, full or unread: no failure of theirs ends or stops a
// program.

namespace mees {

/// Opens /dev/null in place of those of the descriptors 0 to 2 that are closed, so that no file
/// opened later becomes a standard stream. Writing to a closed stdout remains an error. Call it
/// first in main().
void protect_standard_descriptors();

/// Writes to a descriptor whose reader may be slow, stopped or gone, or whose disk may be full.
///
/// Waits for the reader at most as long as asked; never throws for a failure to write. A text is
/// written from its beginning or not at all; the rest of one that was begun precedes the next text.
/// Does not own the descriptor. Not for several threads at once.
class UnblockedWriter {
  public:
    explicit UnblockedWriter(int descriptor);
    UnblockedWriter(UnblockedWriter const&) = delete;
    UnblockedWriter& operator=(UnblockedWriter const&) = delete;
    ~UnblockedWriter();

    /// Whether writing the text was at least begun.
    bool write(std::string_view text, std::chrono::milliseconds patience);

  private:
    using Clock = std::chrono::steady_clock;
    /// The number of bytes written before `end`.
    [[nodiscard]] std::size_t put(std::string_view text, Clock::time_point end) const;

    int descriptor_;
    int reopened_{-1};  ///< the same pipe or terminal, not blocking; -1: none
    std::string rest_;
};

/// stdout for the progress of a long run: never waits for its reader. What is written between two
/// flushes is one text; a text that the reader does not take is replaced by the next one. At the
/// end of the program the reader has two seconds to take the last one.
[[nodiscard]] std::ostream& progress_output();

/// Writes to stderr. Waits a second at most for a reader; what it does not take, or what the disk
/// has no room for, is lost. For any thread.
void write_stderr(std::string_view text) noexcept;

/// "PROGRAM: error: MESSAGE" on stderr, with control characters escaped.
void print_error(std::string_view program, std::string_view message) noexcept;

}  // namespace mees
