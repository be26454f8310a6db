#pragma once

#include <functional>

namespace mees {

/// Does `work` in a copy of this process; true if that comes to its end in time, be it by a
/// FileError. Work that depends on nothing outside the process does the same here afterwards, so
/// that input which would crash or hang it can be refused beforehand. For processes of one thread.
[[nodiscard]] bool survives(std::function<void()> const& work, unsigned seconds);

}  // namespace mees
