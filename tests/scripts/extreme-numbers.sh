#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Numbers at the ends of the integer types, in texts of every format: nothing overflows, hangs or dies (with SAN: says so). One
# seed is always the same, the other follows the commit, so that a failure can be repeated and what is tried changes.
set -u
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
commit=$(git -C "$top" rev-parse --short=7 HEAD 2>/dev/null || echo 1)
for seed in 1 $((16#$commit + 1)); do
    python3 "$top/tests/extreme_numbers.py" "$whylate" "$seed" 100 || exit 1
done
