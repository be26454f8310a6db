#pragma once

#include <string_view>

namespace mees {

/// From now on a signal that ends this process by its own fault (an abort, an invalid address)
/// first writes "PROGRAM: error: rank R on host H died of SIGABRT" to stderr; what the signal did
/// before follows. Not every launcher says which rank it was.
void announce_crashes(int rank, std::string_view host);

}  // namespace mees
