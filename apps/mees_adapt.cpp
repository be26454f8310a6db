#include "mees/cluster/runtime.hpp"
#include "mees/core/stop.hpp"
#include "mees/experiment/adapt.hpp"

#include <iostream>

int main(int argc, char** argv)
{
    using namespace mees;
    // Before MPI starts: a signal during start-up must not kill the rank.
    install_signal_handlers();
    bool const speaks = rank_from_environment() == 0;
    ParsedAdaptOptions parsed;
    try {
        parsed = parse_adapt_options(argc, argv);
    } catch (Error const& error) {
        if (speaks) {
            std::cerr << "mees_adapt: error: " << error.what() << '\n';
        }
        return static_cast<int>(error.code());
    }
    if (!parsed.options) {
        std::cout << (speaks ? parsed.text : "");
        return 0;
    }
    return run_on_cluster("mees_adapt", argc, argv, [&](ClusterRuntime& runtime) {
        return run_adapt(runtime, *parsed.options);
    });
}
