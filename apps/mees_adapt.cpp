#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::adapt_main(argc, argv);
}
