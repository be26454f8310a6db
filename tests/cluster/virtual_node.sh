#!/bin/sh
# virtual_node.sh HOST COMMAND...: replaces ssh when a launcher starts its daemons, so that one machine acts as
# several. Runs COMMAND with its own host name and its own /dev/shm, as on a node.
# Needs root, or user namespaces.
name=node-$(echo "$1" | tr . -)
shift
as_root=
[ "$(id -u)" = 0 ] || as_root=--map-root-user
# shellcheck disable=SC2086 # none, or one word
exec unshare $as_root --uts --mount sh -c '
    hostname "$0" && mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec sh -c "$*"' "$name" "$@"
