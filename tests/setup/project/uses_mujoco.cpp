#include <mujoco/mujoco.h>

#include <cstdio>

/// Prints the version of the library, and succeeds if the headers are of the same one.
int main()
{
    std::printf("%s\n", mj_versionString());
    return mj_version() == mjVERSION_HEADER ? 0 : 1;
}
