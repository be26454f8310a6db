#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::inspect_main(argc, argv);
}
