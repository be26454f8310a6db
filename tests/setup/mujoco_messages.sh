#!/usr/bin/env bash
# mujoco_messages.sh SOURCE: CMake's messages about a missing or unusable MuJoCo, and the folders that it accepts.
# The test makes these folders: a header with a version, and a file that contains the name libmujoco.so.X.
set -euo pipefail
source=$1
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset MUJOCO_ROOT MuJoCo_ROOT
failures=0

header() { mkdir -p "$1/include/mujoco" && echo "#define mjVERSION_HEADER $2" >"$1/include/mujoco/mujoco.h"; }
library() { mkdir -p "$(dirname "$1")" && printf 'libmujoco.so.%s\n' "$2" >"$1"; }

# A copy of the find module, so that neither .deps of the source folder nor the system's MuJoCo is found.
mkdir modules && cp "$source/cmake/FindMuJoCo.cmake" modules/
configure() {
    rm -rf build
    cmake -S "$here/project" -B build -DMODULES="$work/modules" -DHIDE_SYSTEM=ON "$@" 2>&1 | tr -s ' \n' ' '
}

refuses() { # refuses ROOT TEXT...: configuring fails with a message that contains each TEXT and the advice
    local said text
    if said=$(configure ${1:+-DMUJOCO_ROOT="$1"}); then
        echo "FAILED: '$1' was taken"; failures=$((failures + 1))
    fi
    for text in "${@:2}" './mees setup' '-DMUJOCO_ROOT=DIR' 'libmujoco-dev'; do
        [[ $said == *"$text"* ]] || { printf "FAILED: '%s': no '%s' in:\n%s\n" "$1" "$text" "$said"; failures=$((failures + 1)); }
    done
}

takes() { # takes ROOT VERSION LIBRARY
    local said
    said=$(configure ${1:+-DMUJOCO_ROOT="$1"}) || true
    [[ $said == *"version=$2 library=$work/$3 "* ]] \
        || { printf "FAILED: '%s' is not found as %s %s:\n%s\n" "$1" "$2" "$3" "$said"; failures=$((failures + 1)); }
}

refuses '' 'MUJOCO_ROOT is not set'
refuses nowhere "no such folder: $work/nowhere"
mkdir empty
refuses empty "no include/mujoco/mujoco.h in $work/empty"
mkdir -p shell/mujoco && touch shell/mujoco/__init__.py
refuses shell 'mujoco-core'
header headers 3014000
refuses headers 'there is no libmujoco.so* for the headers of MuJoCo 3.14.0'
header dangling 3014000 && mkdir dangling/lib && ln -s libmujoco.so.3.14.0 dangling/lib/libmujoco.so
refuses dangling 'there is no libmujoco.so*'
header old 221 && library old/lib/libmujoco.so.2.2.1 2.2.1
refuses old 'is MuJoCo 2.2.1, which is older than 2.2.2'
header mixed 3014000 && library mixed/lib/libmujoco.so.3.13.0 3.13.0
refuses mixed 'have version 3.14.0' 'has version 3.13.0'
header foreign '"x"' && library foreign/lib/libmujoco.so.3.14.0 3.14.0
refuses foreign 'does not define its version'

header archive 3014000 && library archive/lib/libmujoco.so.3.14.0 3.14.0
takes archive 3.14.0 archive/lib/libmujoco.so.3.14.0
header wheel/mujoco 4000000 && library wheel/mujoco/libmujoco.so.4.0.0 4.0.0
takes wheel 4.0.0 wheel/mujoco/libmujoco.so.4.0.0
takes wheel/mujoco 4.0.0 wheel/mujoco/libmujoco.so.4.0.0
header two 237 && library two/lib/libmujoco.so.2.2.2 2.2.2 && library two/lib/libmujoco.so.2.3.7 2.3.7
takes two 2.3.7 two/lib/libmujoco.so.2.3.7
mkdir .deps && cp -r wheel .deps/mujoco
takes '' 4.0.0 .deps/mujoco/mujoco/libmujoco.so.4.0.0
takes archive 3.14.0 archive/lib/libmujoco.so.3.14.0

[[ $failures == 0 ]] && echo 'all as expected'
