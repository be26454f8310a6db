#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::navigate_main(argc, argv);
}
