#include "mees/cluster/runtime.hpp"
#include "mees/core/stop.hpp"
#include "mees/experiment/master.hpp"

#include <iostream>

int main(int argc, char** argv)
{
    using namespace mees;
    // Before MPI starts: a signal during start-up must not kill the rank.
    install_signal_handlers();
    bool const speaks = rank_from_environment() == 0;
    ParsedOptions parsed;
    try {
        parsed = parse_master_options(argc, argv);
        if (parsed.options && (parsed.options->show_config || parsed.options->dry_run)) {
            parsed = {std::nullopt, speaks ? preview(*parsed.options) : ""};
        }
    } catch (Error const& error) {
        if (speaks) {
            std::cerr << "mees_master: error: " << error.what() << '\n';
        }
        return static_cast<int>(error.code());
    }
    if (!parsed.options) {
        std::cout << (speaks ? parsed.text : "");
        return 0;
    }
    return run_on_cluster("mees_master", argc, argv, [&](ClusterRuntime& runtime) {
        return run_master(runtime, *parsed.options);
    });
}
