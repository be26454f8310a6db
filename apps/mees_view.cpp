#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::view_main(argc, argv);
}
