#pragma once

#include "mees/cluster/messages.hpp"
#include "mees/cluster/mpi.hpp"

#include <string>

namespace mees {

/// Whether a message of that kind is waiting.
[[nodiscard]] bool has_mail(Tag tag, int source = MPI_ANY_SOURCE);

/// The next message of that kind; waits for it, so ask has_mail before.
[[nodiscard]] std::string receive_bytes(int source, Tag tag);

}  // namespace mees
