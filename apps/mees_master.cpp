#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::master_main(argc, argv);
}
