#!/usr/bin/env bash
# script.sh SOURCE: the script `mees` where it cannot install anything: no root, no sudo, few commands.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
problem() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }

# A copy of the script, with a PATH that has basic commands but neither compiler, CMake nor MPI.
mkdir -p "$work"/clone/{cmake,python/mees/study} "$work/bin"
cp "$source/mees" "$work/clone/" && cp "$source"/cmake/{debian.sh,mujoco.txt} "$work/clone/cmake/"
cp "$source/python/mees/study/usage.txt" "$work/clone/python/mees/study/"
for command in bash env readlink dirname sed awk grep sort uname cat; do
    ln -s "$(command -v "$command")" "$work/bin/"
done
printf '#!/bin/sh\nexit 1\n' >"$work/bin/sudo" # asks for a password
chmod -R a+rX "$work" && chmod a+x "$work/bin/sudo" && chmod a+w "$work/clone"

ordinary=()
[[ $EUID != 0 ]] || ordinary=(setpriv --reuid 65534 --regid 65534 --clear-groups)
run() { (cd "$work/clone" && "${ordinary[@]}" env -i PATH="$work/bin" HOME="$work" "$@" 2>&1); }

# Whether the installation command in $said lists this package.
asked() { [[ " $(grep '^    apt-get install' <<<"$said") " == *" $1 "* ]]; }

said=$(run ./mees setup) && problem 'setup without packages succeeded'
for package in g++ cmake ninja-build libopenmpi-dev openmpi-bin python3; do
    asked "$package" || problem "$package is not named in: $said"
done
[[ $(grep -c 'error:' <<<"$said") == 1 ]] || problem "not one message: $said"
[[ ! -e $work/clone/.deps ]] || problem 'something was left behind'

# It does not ask for what is already on the PATH, here a compiler.
printf '#!/bin/sh\n' >"$work/bin/c++" && chmod a+x "$work/bin/c++"
said=$(run ./mees quickstart) && problem 'quickstart without packages succeeded'
! asked g++ || problem "asks for a compiler that is there: $said"
asked cmake || problem "cmake is not named in: $said"

said=$(run ./mees bulid) && problem 'an unknown command succeeded'
[[ $said == *"unknown command 'bulid'"* && $said == *quickstart* ]] || problem "unhelpful: $said"
said=$(run ./mees help) || problem 'help failed'
for command in quickstart test setup build lint soak view docs reproduce --runs --keep --cores; do
    [[ $said == *" $command "* ]] || problem "help does not name $command"
done

# Studies are listed, and an unknown name is refused, before anything is installed or built.
for arguments in '' --help 'point_maze --help'; do
    # shellcheck disable=SC2086 # words
    said=$(run ./mees reproduce $arguments) || problem "reproduce $arguments failed"
    [[ $said == *'  point_maze  '* && $said == *--cores* && $said != *missing* ]] || problem "reproduce $arguments: $said"
done
status=0
said=$(run ./mees reproduce typo) || status=$?
[[ $status == 2 && $said == *"unknown study in 'typo'"* && $said == *'  point_maze  '* ]] || problem "reproduce typo: $said"
said=$(run ./mees reproduce point_maze) && problem 'reproduce without packages succeeded'
asked cmake || problem "cmake is not named in: $said"
said=$(run ./mees view) && problem 'view without packages succeeded'
asked npm || problem "npm is not named in: $said"
grep -qE '/mees"? test$' "$source/.ci/run" || problem '.ci/run does not call ./mees test'

[[ $failures == 0 ]] && echo 'all as expected'
