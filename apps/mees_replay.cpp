#include "mees/experiment/command_line.hpp"
#include "mees/experiment/reference_report.hpp"

#include <iostream>

namespace {

constexpr char const* description =
    "Plays back what was recorded. With --check-reference: does this build reproduce a recorded\n"
    "trajectory?";
constexpr char const* footer =
    "Exit codes: 0 reproduced within 1e-6 over the first 100 steps; 1 not; 2 bad command line;\n"
    "3 a file that is no recording of one of this program's domains.";

mees::ExitCode replay(int argc, char** argv)
{
    std::vector<std::filesystem::path> references;
    mees::CommandLine line{"mees_replay", description, footer};
    line.app()
        .add_option("--check-reference", references,
                    "Drive the domain of each file with its actions and compare")
        ->type_name("FILE.h5...")
        ->required();
    if (auto const text = line.parse(argc, argv)) {
        std::cout << *text;
        return mees::ExitCode::success;
    }
    return mees::report_references(references, std::cout, std::cerr);
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return static_cast<int>(replay(argc, argv));
    } catch (mees::Error const& error) {
        std::cerr << "mees_replay: error: " << error.what() << '\n';
        return static_cast<int>(error.code());
    }
}
