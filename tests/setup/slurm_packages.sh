#!/usr/bin/env bash
# slurm_packages.sh SOURCE: SLURM's packages are installed for tests in CI and for the long ones, without starting
# their services, and a failure is no error. apt-get is a stub, and so is every path outside of a scratch folder.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
problem() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }

mkdir "$work"/{bin,cmake}
policy=$work/policy-rc.d # instead of the machine's
sed "s|/usr/sbin/policy-rc.d|$policy|; s|/run/systemd/system|$work/none|" "$source/cmake/debian.sh" \
    >"$work/cmake/debian.sh"
for command in bash env dirname sed awk grep sort uname cat rm tee chmod mkdir tail; do
    ln -s "$(command -v "$command")" "$work/bin/"
done
stub() { # stub NAME: from stdin
    cat >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
stub sudo <<'STUB'
#!/bin/sh
[ "$1" != -n ] || shift
exec "$@"
STUB
stub apt-get <<STUB
#!/bin/bash
echo "\$*" >>"$work/calls"
[[ " \$* " == *" install "* ]] || exit 0
"$policy"
echo "policy: \$?" >>"$work/calls"
[[ ! -e "$work/broken" ]]
STUB
cat >"$work/try.sh" <<'STUB'
set -euo pipefail
say() { echo "mees: $*"; }
fail() { echo "mees: error: $*"; exit 1; }
have() { command -v "$1" >/dev/null; }
source cmake/debian.sh
slurm_for_tests "$1"
echo continued
STUB

# try test|soak [VARIABLE=VALUE...]: sets said; apt-get's calls are in $work/calls.
try() {
    : >"$work/calls"
    said=$(cd "$work" && env -i PATH="$work/bin" "${@:2}" bash try.sh "$1" 2>&1) || problem "$*: exit code $?"
}
installed() { grep -q " install -y --no-install-recommends $1\$" "$work/calls"; }

try test
[[ $said == continued && ! -s $work/calls ]] || problem "a user's machine: $said"
try test CI=false
[[ $said == continued && ! -s $work/calls ]] || problem "CI=false: $said"
for arguments in 'test CI=true' soak; do
    # shellcheck disable=SC2086 # words
    try $arguments
    [[ $said == *'installing 5 Debian packages'*continued ]] || problem "$arguments: $said"
    installed 'iproute2 munge slurm-client slurmctld slurmd' || problem "$arguments: $(cat "$work/calls")"
    grep -q 'policy: 101' "$work/calls" || problem "$arguments: services would start"
    [[ ! -e $policy ]] || problem "$arguments: $policy is left"
done

# A policy of the machine stays.
printf '#!/bin/sh\nexit 104\n' >"$policy"
chmod +x "$policy"
try soak
grep -q 'policy: 104' "$work/calls" || problem 'another policy than that of the machine'
[[ -e $policy ]] || problem 'the policy was removed'
rm "$policy"

# What is there already is not installed again.
for command in slurmctld slurmd sbatch munged; do ln -s sudo "$work/bin/$command"; done
try soak
installed iproute2 || problem "installs too much: $(cat "$work/calls")"
rm "$work"/bin/{slurmctld,slurmd,sbatch,munged}

# Nothing that goes wrong ends the tests.
touch "$work/broken"
try test CI=true
[[ $said == *'warning: skipping tests on SLURM'*continued ]] || problem "a failing installation: $said"
[[ ! -e $policy ]] || problem "a failing installation leaves $policy"
rm "$work/bin/apt-get"
try soak
[[ $said == *'skipping tests on SLURM (missing Debian packages: iproute2 munge slurm-client slurmctld slurmd)'*continued ]] \
    || problem "without apt-get: $said"

grep -q '^    slurm_for_tests test$' "$source/mees" || problem './mees test does not call it'
grep -q '^    slurm_for_tests soak$' "$source/mees" || problem './mees soak does not call it'
[[ $failures == 0 ]] && echo 'all as expected'
