#pragma once

#include "mees/experiment/catalogue.hpp"

namespace mees {

// The main() of each program, with the domains and algorithms that it has: a project adds its own.
// The result is the exit status.

[[nodiscard]] int master_main(int argc, char** argv, Catalogue const& catalogue = {});
[[nodiscard]] int adapt_main(int argc, char** argv, Catalogue const& catalogue = {});
[[nodiscard]] int bench_main(int argc, char** argv);
[[nodiscard]] int evaluate_main(int argc, char** argv, Catalogue const& catalogue = {});
[[nodiscard]] int inspect_main(int argc, char** argv);
[[nodiscard]] int refine_main(int argc, char** argv, Catalogue const& catalogue = {});
[[nodiscard]] int view_main(int argc, char** argv);
// These two link the rendering.
[[nodiscard]] int navigate_main(int argc, char** argv, Catalogue const& catalogue = {});
[[nodiscard]] int replay_main(int argc, char** argv, Catalogue const& catalogue = {});

/// All of them in one: the first argument chooses the program, as in `my_robot replay MAP`.
[[nodiscard]] int mees_main(int argc, char** argv, Catalogue const& catalogue);

}  // namespace mees
