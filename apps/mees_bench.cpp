#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::bench_main(argc, argv);
}
