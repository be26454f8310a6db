#include "mees/core/resources.hpp"

#include <fmt/format.h>

namespace mees {

Error out_of_memory(std::string_view settings)
{
    return {ExitCode::failure, fmt::format("not enough memory for {}", settings),
            "this process could not get more",
            "Choose smaller values, or run on a machine with more memory."};
}

Error out_of_threads(std::string_view reason)
{
    return {ExitCode::failure, "cannot start a thread", reason,
            "Use fewer --threads, or raise the limit of processes (ulimit -u)."};
}

}  // namespace mees
