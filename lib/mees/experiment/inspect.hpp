#pragma once

namespace mees {

/// The main() of mees_inspect.
[[nodiscard]] int inspect_main(int argc, char** argv);

}  // namespace mees
