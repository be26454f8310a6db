#!/usr/bin/env bash
# pinned.sh SOURCE: everything that is fetched has a fixed version.
set -euo pipefail
cd "$1"
failures=0
problem() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }

while read -r line; do
    [[ $line =~ ^[A-Za-z0-9._-]+==[0-9][0-9.]*(b[0-9]+)?$ ]] || problem "cmake/python.txt: $line"
done < <(grep -v '^#' cmake/python.txt)
[[ $(grep -c '^ *--hash=sha256:' cmake/mujoco.txt) == 2 ]] || problem 'cmake/mujoco.txt has no hashes'
# Whatever pip installs is constrained by cmake/python.txt, in which it is listed.
while read -r module; do
    grep -q "^$module==" cmake/python.txt || problem "$module is not in cmake/python.txt"
done < <(sed -nE -e 's/^ *fetch_module "[^"]+" [a-zA-Z]+ [^ ]+ (--no-deps )?//p' -e 's/^ *fetch_mpi ([a-z]+)$/\1/p' mees | tr ' ' '\n')
[[ $(grep -c -- '--constraint cmake/python.txt' mees) == 2 ]] || problem 'fetch_module or fetch_mpi has no constraints'
while read -r line; do
    [[ $line =~ @sha256:[0-9a-f]{64} ]] || problem "no digest: $line"
done < <(grep -hiE '^from:? ' docker/Dockerfile docker/mees.def)
[[ $failures == 0 ]] && echo 'all as expected'
