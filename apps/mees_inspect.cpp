#include "mees/experiment/command_line.hpp"
#include "mees/inspection/commands.hpp"

#include <iostream>

namespace {

using mees::ExitCode;

ExitCode inspect(int argc, char const* const* argv)
{
    mees::CommandLine line{
        "mees_inspect", "Looks at map files.",
        "Exit codes: 0 done, whole or equal; 1 different; 2 bad command line; 3 unusable file."};
    std::string file;
    std::string other;
    auto& app = line.app();
    app.require_subcommand(1);
    auto* const summary = app.add_subcommand("summary", "A page about a run and its map");
    auto* const verify = app.add_subcommand("verify", "Read every byte: is the file whole?");
    auto* const diff = app.add_subcommand("diff", "Are two maps the same to the bit?");
    for (auto* const command : {summary, verify, diff}) {
        command->add_option("file", file, "A map.h5")->type_name("FILE")->required();
    }
    diff->add_option("other", other, "Another map.h5")->type_name("FILE")->required();
    if (auto const text = line.parse(argc, argv)) {
        std::cout << *text;
        return ExitCode::success;
    }
    if (*summary) {
        return mees::inspect::summary(file, std::cout);
    }
    return *verify ? mees::inspect::verify(file, std::cout)
                   : mees::inspect::diff(file, other, std::cout);
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return static_cast<int>(inspect(argc, argv));
    } catch (mees::Error const& error) {
        std::cerr << "mees_inspect: error: " << error.what() << '\n';
        return static_cast<int>(error.code());
    } catch (std::exception const& error) {
        std::cerr << "mees_inspect: error: " << error.what() << '\n';
        return static_cast<int>(ExitCode::failure);
    }
}
