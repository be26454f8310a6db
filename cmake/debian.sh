# shellcheck shell=bash
# shellcheck disable=SC2034 # the lists are used in ./mees
# The Debian packages of ./mees, which sources this file: what is missing, and installing it.
# Needs its functions say, fail, have, fetch_mujoco and configure.

# Each with a file or command that shows that it, or an equivalent, is installed.

packages_build='
g++                         command:c++
cmake                       command:cmake
ninja-build                 command:ninja
libopenmpi-dev              command:mpicxx
openmpi-bin                 command:mpirun
libeigen3-dev               header:Eigen/Core
libboost-serialization-dev  library:boost_serialization
libhdf5-dev                 header:hdf5.h
zlib1g-dev                  header:zlib.h
libfmt-dev                  header:fmt/core.h
libspdlog-dev               header:spdlog/spdlog.h
libtomlplusplus-dev         header:toml++/toml.h
libcli11-dev                header:CLI/CLI.hpp
librandom123-dev            header:Random123/philox.h
catch2                      header:catch2
'
packages_mujoco='
python3                     command:python3
python3-pip                 pip:
'
packages_test='
python3                     command:python3
hdf5-tools                  command:h5dump
python3-numpy               python:numpy
python3-h5py                python:h5py
python3-matplotlib          python:matplotlib
python3-pandas              python:pandas
python3-pytest              python:pytest
python3-typing-extensions   python:typing_extensions
python3-yaml                python:yaml
python3-jinja2              python:jinja2
python3-pip                 pip:
libosmesa6                  library:OSMesa
ffmpeg                      command:ffmpeg
'
test_modules=$(sed -n 's/.*python://p' <<<"$packages_test")
packages_lint='
clang-format                command:clang-format
clang-tidy                  command:clang-tidy
shellcheck                  command:shellcheck
python3                     command:python3
python3-pip                 pip:
'
packages_view='
nodejs                      command:node
npm                         command:npm
libcpp-httplib-dev          header:httplib.h
'
packages_browser='
chromium                    command:chromium
'
packages_docs='
doxygen                     command:doxygen
'
packages_slurm='
slurmctld                   command:slurmctld
slurmd                      command:slurmd
slurm-client                command:sbatch
munge                       command:munged
iproute2                    command:ip
'
packages_fuzz='
clang                       command:clang++
libclang-rt-dev             fuzzer:
'

# Folders to search for libraries: those of modules, conda and spack, and the system's.
IFS=':;' read -ra prefixes <<<"${CMAKE_PREFIX_PATH:-}:${CONDA_PREFIX:-/usr}:/usr/local:/usr"
IFS=':' read -ra include_folders <<<"${CPATH:-}:${CPLUS_INCLUDE_PATH:-}"
IFS=':' read -ra library_folders <<<"${LIBRARY_PATH:-}:${LD_LIBRARY_PATH:-}"
for prefix in "${prefixes[@]}"; do
    include_folders+=("$prefix"/include{,/eigen3,/hdf5/serial,/hdf5/openmpi})
    library_folders+=("$prefix"/lib{,64,"/$(uname -m)-linux-gnu"})
done

has_modules() { # has_modules PYTHON MODULE...
    have "$1" && "$1" -c 'import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))' "${@:2}"
}

# The first interpreter that has all these modules; otherwise the one of Debian's packages.
python_with() {
    local python
    for python in python3 /usr/bin/python3; do
        has_modules "$python" "$@" && break
    done
    echo "$python"
}

# shellcheck disable=SC2086 # a list of words
test_python() { python_with $test_modules; }

is_installed() { # is_installed KIND:NAME
    local name=${1#*:} folder
    case $1 in
        command:*) have "$name" ;;
        python:*) has_modules "$(test_python)" "$name" ;;
        pip:) has_modules "$(python_with pip)" pip ;;
        fuzzer:) have clang++ && compgen -G "$(clang++ -print-resource-dir)/lib/*/libclang_rt.fuzzer*" >/dev/null ;;
        header:*)
            for folder in "${include_folders[@]}"; do [[ -e $folder/$name ]] && return; done
            return 1 ;;
        library:*)
            for folder in "${library_folders[@]}"; do compgen -G "$folder/lib$name.*" >/dev/null && return; done
            return 1 ;;
    esac
}

missing_of() { # missing_of LIST: its packages that are not installed
    local package sign
    while read -r package sign; do
        [[ -z $package ]] || is_installed "$sign" || echo "$package"
    done <<<"$1" | sort -u
}

as_root=()
can_install() {
    have apt-get || return 1
    [[ $EUID == 0 ]] || { have sudo && sudo -n true 2>/dev/null && as_root=(sudo -n); }
}

install_packages() { # install_packages PACKAGE...
    local log=.deps/apt.log apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
    say "installing $# Debian packages: $*"
    mkdir -p .deps
    "${apt[@]}" update >"$log" 2>&1 || true # the existing lists may suffice
    "${apt[@]}" install -y --no-install-recommends "$@" >>"$log" 2>&1 \
        || { tail -n 5 "$log" >&2; fail "cannot install the packages (see above and $log)."; }
    hash -r
}

# Whether the missing packages are all libraries that CMake finds in folders not searched here.
found_by_cmake() { # found_by_cmake PACKAGE...
    local package libraries
    libraries=$(awk '$2 ~ /^(header|library):/ {print $1}' <<<"$packages_build")
    for package in "$@"; do
        grep -qxF -- "$package" <<<"$libraries" || return 1
    done
    fetch_mujoco
    (configure release) >/dev/null 2>&1
}

ensure_packages() { # ensure_packages LIST: installs the missing packages, or lists them in one message
    local missing
    mapfile -t missing < <(missing_of "$1")
    if [[ ${#missing[@]} == 0 ]]; then
        return
    elif can_install; then
        install_packages "${missing[@]}"
    elif ! found_by_cmake "${missing[@]}"; then
        fail "missing Debian packages (installing them needs root or sudo):
    ${missing[*]}
Ask an administrator to run
    apt-get install -y --no-install-recommends ${missing[*]}
or provide them by other means (modules, conda, spack; set CMAKE_PREFIX_PATH), and run this command again."
    fi
}

# Daemons for tests, which start them themselves: they start neither now nor when the machine does. A subshell, because
# install_packages ends it if it fails.
install_without_services() ( # install_without_services PACKAGE...
    policy=/usr/sbin/policy-rc.d
    if [[ ! -e $policy ]]; then
        trap '"${as_root[@]}" rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null || exit
        "${as_root[@]}" chmod 755 "$policy" || exit
    fi
    install_packages "$@"
    [[ -d /run/systemd/system ]] || exit 0
    for package in slurmctld slurmd munge; do
        [[ " $* " != *" $package "* ]] || "${as_root[@]}" systemctl --quiet disable "$package" || true
    done
)

# For the tests on SLURM, which are skipped without it. `./mees test` does not install daemons on a user's machine.
slurm_for_tests() { # slurm_for_tests test|soak
    local missing
    [[ $1 == soak || ${CI:-} == true ]] || return 0
    missing=$(missing_of "$packages_slurm")
    [[ -n $missing ]] || return 0
    if ! can_install; then
        say "skipping tests on SLURM (missing Debian packages: ${missing//$'\n'/ })"
        return
    fi
    # shellcheck disable=SC2086 # a list of words
    install_without_services $missing || say 'warning: skipping tests on SLURM (see above)'
}
