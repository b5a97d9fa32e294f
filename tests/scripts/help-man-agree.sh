#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The committed manual pages and completion are those that the program's rows make, and every option of
# --help stands in the manual page. Help fits 80 columns.
set -eu
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
bad=0
docs/make-docs "$whylate" "$made"
for file in $(cd "$made" && find . -type f ! -name findings.md | sort); do
    diff -u "docs/$file" "$made/$file" || { echo "docs/$file is not what the rows make: run 'make docs'"; bad=1; }
done
docs/make-capture-man "${whylate}-capture" | diff -u docs/man/whylate-capture.1 - || { echo "docs/man/whylate-capture.1 is not what the rows make: run 'make docs'"; bad=1; }
for command in '' $("$whylate" docs commands); do
    wide=$("$whylate" $command --help | awk 'length > 80')
    [ -z "$wide" ] || { echo "$command --help, wider than 80 columns: $wide"; bad=1; }
done
for command in $("$whylate" docs commands); do
    for option in $("$whylate" "$command" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u | grep -vxE -- '--(help|usage)'); do
        grep -qF -- "${option//-/\\-}" "docs/man/whylate-$command.1" || { echo "$command $option: not in the manual"; bad=1; }
    done
    if command -v man >/dev/null; then
        warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "docs/man/whylate-$command.1" 2>&1 >/dev/null)
        [ -z "$warnings" ] || { echo "whylate-$command.1: $warnings"; bad=1; }
    fi
done
exit $bad
