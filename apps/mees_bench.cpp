#include "mees/benchmark/bench.hpp"

int main(int argc, char** argv)
{
    return mees::bench::bench_main(argc, argv);
}
