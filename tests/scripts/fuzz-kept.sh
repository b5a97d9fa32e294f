#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The kept inputs of every fuzz target, whole and cut, and small samples through the whole program.
set -u
bad=0
for source in tests/fuzz/*.c; do
    name=${source##*/} name=${name%.c}
    program=${OBJ:-build/gcc}/tests/fuzz/$name
    [ -x "$program" ] || { echo "$program is not built"; bad=1; continue; }
    inputs=$(find "tests/fuzz/corpus/$name" -type f 2>/dev/null | sort)
    [ "$name" != import ] || inputs="$inputs samples/cyclictest-0.17-status.txt samples/irq-storm-device/kernel.txt"
    [ "$name" != ftrace ] || inputs="$inputs $(echo tests/data/ftrace/{latency_trace-2.6.13,ipipe-max-4.19,irqsoff-graph-6.12,report-buffers,timerlat-stack-6.1}.txt)"
    [ -n "$inputs" ] || continue
    timeout 200 "$program" $inputs || { echo "$name: status $?"; bad=1; }
done
exit $bad
