#include "mees/experiment/master.hpp"

int main(int argc, char** argv)
{
    return mees::master_main(argc, argv);
}
