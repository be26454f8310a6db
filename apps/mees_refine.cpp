#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::refine_main(argc, argv);
}
