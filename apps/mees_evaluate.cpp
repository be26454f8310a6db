#include "mees/programs/programs.hpp"

int main(int argc, char** argv)
{
    return mees::evaluate_main(argc, argv);
}
