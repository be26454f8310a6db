#pragma once

#include "mees/sim/registry.hpp"

namespace mees {

// The main() of each program. The result is the exit status.

/// A training program: mees_master, and that of a project with its own domains.
[[nodiscard]] int master_main(int argc, char** argv, DomainRegistry const& domains = {});
[[nodiscard]] int adapt_main(int argc, char** argv);
[[nodiscard]] int bench_main(int argc, char** argv);
[[nodiscard]] int evaluate_main(int argc, char** argv);
[[nodiscard]] int inspect_main(int argc, char** argv);
/// In the library mees::replay_program: the only program that draws.
[[nodiscard]] int replay_main(int argc, char** argv);

}  // namespace mees
