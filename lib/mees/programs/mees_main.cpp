#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/programs/programs.hpp"

#include <fmt/format.h>

#include <array>
#include <iostream>
#include <string_view>
#include <vector>

namespace mees {
namespace {

struct Program {
    std::string_view name;
    std::string_view use;
    int (*main)(int, char**, Catalogue const&);
};

constexpr std::array programs{
    Program{"master", "train", master_main},
    Program{"replay", "replay an elite's episodes, record videos", replay_main},
    Program{"evaluate", "re-evaluate the elites of a map", evaluate_main},
    Program{"refine", "improve or fill cells of a map", refine_main},
    Program{"adapt", "recover from damage", adapt_main},
    Program{"navigate", "reach targets with a damaged robot", navigate_main},
    Program{"inspect", "examine a map",
            [](int argc, char** argv, Catalogue const&) { return inspect_main(argc, argv); }},
    Program{"view", "show maps in a browser",
            [](int argc, char** argv, Catalogue const&) { return view_main(argc, argv); }},
    Program{"bench", "measure this machine and this build",
            [](int argc, char** argv, Catalogue const&) { return bench_main(argc, argv); }},
};

std::string usage(std::string_view self)
{
    auto text = fmt::format("usage: {} PROGRAM [ARGUMENTS], where PROGRAM is one of\n", self);
    for (auto const& program : programs) {
        text += fmt::format("  {:<10}{}\n", program.name, program.use);
    }
    return text + fmt::format("See {} PROGRAM --help.\n", self);
}

}  // namespace

int mees_main(int argc, char** argv, Catalogue const& catalogue)
{
    std::string_view const wanted = argc > 1 ? argv[1] : "";
    for (auto const& program : programs) {
        if (wanted == program.name) {
            std::vector<char*> rest{argv[0]};
            rest.insert(rest.end(), argv + 2, argv + argc + 1);  // with the null at the end
            return program.main(argc - 1, rest.data(), catalogue);
        }
    }
    bool const help = wanted == "--help" || wanted == "-h";
    if (rank_from_environment() == 0) {
        (help ? std::cout : std::cerr) << usage(argv[0]);
    }
    return static_cast<int>(help ? ExitCode::success : ExitCode::bad_configuration);
}

}  // namespace mees
