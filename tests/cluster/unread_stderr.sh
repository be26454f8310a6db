# shellcheck shell=bash
# To be sourced: makes stderr a pipe that is full and that no process reads.
unread=$(mktemp -u)
mkfifo "$unread"
exec 9<>"$unread"
dd if=/dev/zero of="$unread" bs=4096 count=1000 oflag=nonblock 2>/dev/null
rm -f "$unread"
exec 2>&9
