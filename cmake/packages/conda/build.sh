#!/usr/bin/env bash
set -euo pipefail
: "${RANDOM123_INCLUDE:?names the folder that contains Random123/}"
# shellcheck disable=SC2086,SC2154 # variables of conda-build
cmake -S . -B build-conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
    -DCMAKE_PREFIX_PATH="$PREFIX" -DMUJOCO_ROOT="$PREFIX" -DRandom123_INCLUDE_DIR="$RANDOM123_INCLUDE" \
    -DMEES_TESTS=OFF -DMEES_ARCH=
cmake --build build-conda --parallel "${CPU_COUNT:-1}"
cmake --install build-conda
