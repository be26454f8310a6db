#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/core/stop.hpp"

#include <iostream>
#include <string>

namespace mees {

/// The whole of a parallel program's main(): `parse` gives what the command line asks for, `body`
/// does it on every rank. Of a text, and of a command line that cannot be understood, one rank
/// speaks, before MPI starts. The result is the exit status.
template <class Parse, class Body>
[[nodiscard]] int run_cluster_program(std::string const& program, int argc, char** argv,
                                      Parse const& parse, Body const& body)
{
    // Before MPI starts: a signal during start-up must not kill the rank.
    install_signal_handlers();
    bool const speaks = rank_from_environment() == 0;
    decltype(parse()) parsed;
    try {
        parsed = parse();
    } catch (Error const& error) {
        if (speaks) {
            std::cerr << program << ": error: " << error.what() << '\n';
        }
        return static_cast<int>(error.code());
    }
    if (!parsed.options) {
        std::cout << (speaks ? parsed.text : "");
        return 0;
    }
    return run_on_cluster(program, argc, argv,
                          [&](ClusterRuntime& runtime) { return body(runtime, *parsed.options); });
}

}  // namespace mees
