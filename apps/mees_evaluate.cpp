#include "mees/cluster/runtime.hpp"
#include "mees/core/stop.hpp"
#include "mees/experiment/evaluate.hpp"

#include <iostream>

int main(int argc, char** argv)
{
    using namespace mees;
    // Before MPI starts: a signal during start-up must not kill the rank.
    install_signal_handlers();
    bool const speaks = rank_from_environment() == 0;
    ParsedEvaluateOptions parsed;
    try {
        parsed = parse_evaluate_options(argc, argv);
    } catch (Error const& error) {
        if (speaks) {
            std::cerr << "mees_evaluate: error: " << error.what() << '\n';
        }
        return static_cast<int>(error.code());
    }
    if (!parsed.options) {
        std::cout << (speaks ? parsed.text : "");
        return 0;
    }
    return run_on_cluster("mees_evaluate", argc, argv, [&](ClusterRuntime& runtime) {
        return run_evaluate(runtime, *parsed.options);
    });
}
