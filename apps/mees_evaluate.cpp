#include "mees/experiment/cluster_program.hpp"
#include "mees/experiment/evaluate.hpp"

int main(int argc, char** argv)
{
    return mees::run_cluster_program(
        "mees_evaluate", argc, argv, [&] { return mees::parse_evaluate_options(argc, argv); },
        mees::run_evaluate);
}
