#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/core/output.hpp"
#include "mees/core/stop.hpp"
#include "mees/programs/detail/command_line.hpp"

#include <iostream>
#include <string>

namespace mees {

/// The main() of a parallel program: `parse` reads the command line, `body` runs on every rank.
/// Help, versions and errors of the command line are printed by one rank, before MPI starts.
/// Returns the exit status.
template <class Parse, class Body>
[[nodiscard]] int run_cluster_program(std::string const& program, int argc, char** argv,
                                      Parse const& parse, Body const& body)
{
    protect_standard_descriptors();
    // Before MPI starts: a signal during start-up must not kill the rank.
    install_signal_handlers();
    bool const is_root = rank_from_environment() == 0;
    decltype(parse()) parsed;
    try {
        parsed = parse();
    } catch (Error const& error) {
        if (is_root) {
            print_error(program, error.what());
        }
        return static_cast<int>(error.code());
    }
    if (!parsed.options) {
        std::cout << (is_root ? parsed.text : "");
        return finish_output(program, 0);
    }
    int const code = run_on_cluster(program, argc, argv, [&](ClusterRuntime& runtime) {
        return body(runtime, *parsed.options);
    });
    return finish_output(program, code);
}

}  // namespace mees
