#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The reader written from docs/run-file.md and the program's own agree on every field of every row, sample and event.
set -eu
tools=${OBJ:-build/gcc}/tests/tools
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$tools/run_file_dump" --make "$scratch/a.wl"
"$tools/run_file_dump" "$scratch/a.wl" >"$scratch/ours"
python3 tests/run_file_reader.py docs/run-file.md "$scratch/a.wl" >"$scratch/theirs"
cmp "$scratch/ours" "$scratch/theirs" || { diff "$scratch/ours" "$scratch/theirs" | cut -c1-300 | head -20; exit 1; }
[ "$(wc -l <"$scratch/ours")" -gt 200000 ] || { echo "the fixture is too small"; exit 1; }

# Compressed rows hold the same.
"$tools/run_file_dump" --make "$scratch/b.wl" zstd
[ "$(wc -c <"$scratch/b.wl")" -lt "$(wc -c <"$scratch/a.wl")" ]
"$tools/run_file_dump" "$scratch/b.wl" | cmp - "$scratch/ours"
