#!/usr/bin/env bash
# mujoco_kind.sh KIND SOURCE BUILD INCLUDE LIBRARY: builds and runs a small program with MuJoCo of one KIND.
# wheel and archive are made from INCLUDE and LIBRARY, the MuJoCo of this build; debian (2.2.2) and next (4.0.0) are
# downloaded and kept in .deps/kinds, or skipped if the download fails. The sim module, which BUILD compiles with
# another version, must compile with these versions too.
set -euo pipefail
kind=$1 source=$2 build=$3 include=$4 library=$(readlink -f "$5")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kept=$source/.deps/kinds/$kind
options=(-DMODULES="$source/cmake")
runtime=

skip() { echo "skipped: $*"; exit 77; }

# Runs a command that fills a folder; an incomplete folder is not kept.
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
            runtime=$root/lib/$(uname -m)-linux-gnu
            options+=(-DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$runtime")
        fi
        options+=(-DMODEL_TABLE="$build/lib/mees/sim")
        version=2.2.2 ;;
    next)
        fetch_once fetch_next || skip "the wheel mujoco-core 4.0.0 cannot be downloaded"
        options+=(-DMODEL_TABLE="$build/lib/mees/sim")
        root=$kept version=4.0.0 ;;
esac

cmake -S "$here/project" -B "$work/build" -DMUJOCO_ROOT="$root" "${options[@]}"
cmake --build "$work/build"
printed=$(LD_LIBRARY_PATH=$runtime:${LD_LIBRARY_PATH:-} "$work/build/uses_mujoco")
[[ $printed == "$version" ]] || { echo "expected MuJoCo $version, the program says $printed"; exit 1; }
echo "built and ran with MuJoCo $printed in $root"
