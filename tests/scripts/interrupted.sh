#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A report interrupted at any time leaves either nothing or the whole of itself (the signal came when it had its name).
set -u
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
report=("$whylate" report samples/rpi4-5.4.195-rt74.log samples/rpi4-5.15.98-rt62.log -q -o)
mkdir "$d/left"
"${report[@]}" "$d/whole" || exit 1
for ms in 5 20 60 110 150 190 250 400 900; do
    "${report[@]}" "$d/left/r" 2>"$d/errors" &
    pid=$!
    sleep "$(printf '0.%03d' $ms)"
    kill -TERM $pid 2>/dev/null
    wait $pid
    status=$? left=$(ls -A "$d/left")
    case $status:$left in
    143:) ;;
    0:r | 143:r) diff -r "$d/whole" "$d/left/r" || { echo "after $ms ms: status $status, not whole"; exit 1; } ;;
    *) echo "after $ms ms: status $status, left: $left"; cat "$d/errors"; exit 1 ;;
    esac
    rm -rf "$d/left/r"
done
