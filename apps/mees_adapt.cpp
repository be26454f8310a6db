#include "mees/experiment/adapt.hpp"
#include "mees/experiment/cluster_program.hpp"

int main(int argc, char** argv)
{
    return mees::run_cluster_program(
        "mees_adapt", argc, argv, [&] { return mees::parse_adapt_options(argc, argv); },
        mees::run_adapt);
}
