#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::replay_main(argc, argv);
}
