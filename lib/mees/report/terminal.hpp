#pragma once

namespace mees {

/// What can be shown where text goes.
struct Terminal {
    bool interactive{false};  ///< a person watches: lines may be redrawn
    bool colour{false};       ///< 256 colours
    bool utf8{false};         ///< blocks and frames beyond ASCII
    int columns{80};
};

/// What the file descriptor leads to. A pseudo-terminal without a size is no terminal: mpirun gives
/// one to every rank, also when its own output goes to a file, and passes on the size only of a
/// real terminal. Follows NO_COLOR, TERM=dumb and the locale.
[[nodiscard]] Terminal detect_terminal(int descriptor);

}  // namespace mees
