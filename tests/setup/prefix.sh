#!/usr/bin/env bash
# prefix.sh SOURCE: header-only libraries in a folder that only CMAKE_PREFIX_PATH names are found and used.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
failures=0
problem() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }

mkdir -p "$prefix/include/Random123" "$prefix/cli/include" "$prefix/lib/cmake/CLI11"
touch "$prefix/include/Random123/philox.h"
cat >"$prefix/lib/cmake/CLI11/CLI11Config.cmake" <<'END'
add_library(CLI11::CLI11 INTERFACE IMPORTED)
get_filename_component(_folder "${CMAKE_CURRENT_LIST_DIR}/../../../cli/include" ABSOLUTE)
target_include_directories(CLI11::CLI11 INTERFACE "${_folder}")
END

cmake -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DMEES_TESTS=OFF -DCMAKE_UNITY_BUILD=OFF \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
compiled_with() { # compiled_with SOURCE_FILE FOLDER: the file is compiled with headers of this folder
    grep "\"command\".* $source/lib/mees/$1" "$work/build/compile_commands.json" | grep -q -- "-isystem $2 " \
        || problem "$1 is not compiled with $2"
}
compiled_with core/stream.cpp "$prefix/include"
compiled_with programs/master.cpp "$prefix/cli/include"

[[ $failures == 0 ]] && echo 'all as expected'
