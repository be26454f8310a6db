#!/usr/bin/env bash
# mujoco_kind.sh KIND SOURCE INCLUDE LIBRARY: builds and runs a small program with MuJoCo of one KIND.
# wheel and archive are laid out anew from INCLUDE and LIBRARY, the MuJoCo of this build;
# debian (2.2.2) and next (4.0.0) are fetched, kept in .deps/kinds, and skipped where they cannot be had.
set -euo pipefail
kind=$1 source=$2 include=$3 library=$(readlink -f "$4")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kept=$source/.deps/kinds/$kind
runtime=()

skip() { echo "skipped: $*"; exit 77; }

# Runs a command that fills a folder; only a complete folder is kept.
fetch_once() {
    [[ ! -d $kept ]] || return 0
    rm -rf "$kept.part" && mkdir -p "$kept.part" || return
    if ! (cd "$kept.part" && "$@") >"$work/fetch.log" 2>&1; then
        tail -n 3 "$work/fetch.log"
        return 1
    fi
    mv "$kept.part" "$kept"
}

fetch_debian() {
    apt-get download libmujoco-dev libmujoco2.2.2 libccd2 liblodepng0 libqhull-r8.0 libtinyxml2-9 || return
    for package in *.deb; do dpkg -x "$package" . && rm "$package" || return; done
}

fetch_next() {
    python3 -m pip download --quiet --no-deps --only-binary=:all: --implementation cp --python-version 3.11 --abi cp311 \
        --platform "manylinux_2_28_$(uname -m)" mujoco-core==4.0.0 || return
    python3 -m zipfile -e ./*.whl . && rm ./*.whl
}

case $kind in
    wheel)
        root=$work/wheel version=${library##*.so.}
        mkdir -p "$root/mujoco" && cp -r "$include" "$root/mujoco/include" && cp "$library" "$root/mujoco/" ;;
    archive)
        root=$work/archive version=${library##*.so.}
        mkdir -p "$root/lib" && cp -r "$include" "$root/include" && cp "$library" "$root/lib/"
        ln -s "$(basename "$library")" "$root/lib/libmujoco.so" ;;
    debian)
        if [[ -e /usr/include/mujoco/mujoco.h ]]; then
            root=/usr
        else
            fetch_once fetch_debian || skip "Debian's libmujoco-dev is not installed and cannot be downloaded"
            root=$kept/usr
            runtime=("$root/lib/$(uname -m)-linux-gnu")
        fi
        version=2.2.2 ;;
    next)
        fetch_once fetch_next || skip "the wheel mujoco-core 4.0.0 cannot be downloaded"
        root=$kept version=4.0.0 ;;
esac

cmake -S "$here/project" -B "$work/build" -DMODULES="$source/cmake" -DMUJOCO_ROOT="$root" \
    ${runtime:+-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath-link,"${runtime[0]}"}
cmake --build "$work/build"
printed=$(LD_LIBRARY_PATH=${runtime[0]:-}:${LD_LIBRARY_PATH:-} "$work/build/uses_mujoco")
[[ $printed == "$version" ]] || { echo "expected MuJoCo $version, the program says $printed"; exit 1; }
echo "built and ran with MuJoCo $printed in $root"
