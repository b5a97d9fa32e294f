#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A report interrupted at any time leaves either nothing or itself.
set -u
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
for ms in 5 20 60 150 400 900; do
    "$whylate" report samples/rpi4-5.4.195-rt74.log samples/rpi4-5.15.98-rt62.log -q -o "$d/r" &
    pid=$!
    sleep "$(printf '0.%03d' $ms)"
    kill -TERM $pid 2>/dev/null
    wait $pid
    status=$?
    left=$(ls "$d")
    case $status:$left in
    143:|0:r) ;;
    *) echo "after $ms ms: status $status, left: $left"; exit 1 ;;
    esac
    rm -rf "$d/r"
done
