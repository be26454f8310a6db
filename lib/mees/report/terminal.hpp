#pragma once

namespace mees {

/// What an output can display.
struct Terminal {
    bool interactive{false};  ///< lines may be redrawn
    bool colour{false};       ///< 256 colours
    bool utf8{false};         ///< blocks and frames beyond ASCII
    int columns{80};
    int rows{0};  ///< of the screen; 0: none, as in a file
};

/// The capabilities of a file descriptor. A pseudo-terminal without a size does not count as a
/// terminal: mpirun gives one to every rank, even if its own output goes to a file, and passes on
/// the size of a real terminal only. Respects NO_COLOR, TERM=dumb and the locale.
[[nodiscard]] Terminal detect_terminal(int descriptor);

}  // namespace mees
