#!/usr/bin/env bash
# odd_path.sh SOURCE: the sources can be in a folder whose name a shell would misread.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2016 # not a variable
copy=$work/'it'\''s a $HOME & tree'
mkdir "$copy"
tar -C "$source" -cf - CMakeLists.txt LICENSE README.md apps cmake configs docs lib python slurm | tar -C "$copy" -xf -
[[ ! -e $source/.deps ]] || ln -s "$source/.deps" "$copy/"

logged() { "$@" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
logged cmake -S "$copy" -B "$copy/build" -DMEES_TESTS=OFF -DCMAKE_UNITY_BUILD=OFF
logged cmake --build "$copy/build" --target mees_git_commit
grep -q '^#define MEES_GIT_COMMIT "unknown"$' "$copy/build/lib/mees/core/git_commit.hpp"
echo 'all as expected'
