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

# The fixture of tests/store_fixture.h, small, with event chunks of version 1, which no writer makes any more; and what the
# program that wrote it read in it.
xz -dc tests/run-file/events-1.wl.xz >"$scratch/c.wl"
xz -dc tests/run-file/events-1.txt.xz >"$scratch/expected"
"$tools/run_file_dump" "$scratch/c.wl" | cmp - "$scratch/expected"
python3 tests/run_file_reader.py docs/run-file.md "$scratch/c.wl" | cmp - "$scratch/expected"

# Copied, it has the same events, now in version 2.
build/whylate import --quiet "$scratch/c.wl" -o "$scratch/d.wl"
cmp -s "$scratch/c.wl" "$scratch/d.wl" && { echo "the copy is no newer file"; exit 1; }
for dump in "$tools/run_file_dump" "python3 tests/run_file_reader.py docs/run-file.md"; do
    $dump "$scratch/d.wl" | grep -E '^(event|state)' | cmp - <(grep -E '^(event|state)' "$scratch/expected")
done
