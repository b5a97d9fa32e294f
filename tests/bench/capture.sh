#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# capture.sh: the agent beside cyclictest on this machine, under the same options; then the agent's own numbers at 50 kHz.
# ROUNDS (default 31), SECONDS_EACH (default 2), LONG (default 60 s). Best on a machine that does nothing else.
#
# What is the same: one SCHED_FIFO thread on the last CPU, absolute clock_nanosleep, memory locked, cpu_dma_latency held at
# 0, everything else of both programs on CPU 0. That last one matters: where cyclictest's main thread may wake on the
# measured CPU (each 10 ms), some of its timer interrupts come just before a sample is due and serve it too, so that the
# minimum lacks the way from the timer to the interrupt.
#
# In a round each program runs once and cyclictest twice, and they take turns in being first. cyclictest against itself is
# the control: a difference inside its spread cannot be told here, whatever the limit is. Two answers stand side by side
# (pooled.py): the median of the pairs' ratios, and all runs of a program as one long measurement with its bootstrap
# interval. At 1 ms a run of 2 s has two values above its 99.9 %: where the machine itself stalls for longer than that once
# in a thousand samples, all runs together measure the stalls, and only the pairs and the control say anything.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
rounds=${ROUNDS:-31} each=${SECONDS_EACH:-2} long=${LONG:-60}
cpu=$(($(nproc) - 1)) helper=0
work=$(mktemp -d /dev/shm/whylate-bench-XXXXXX 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
# The one series of an input as pooled.py reads it: a line of its sums, then each value with its count; all in ns. At 1 ms in
# whole us, rounded down as cyclictest does: its histogram ends at 1,000,000 of what it counts in, and a virtual machine
# has more than one stall beyond 1 ms in 1,000.
numbers() { # FILE UNIT_NS
    rm -f "$work/rows.csv"
    build/whylate validate --json --quiet "$1" | jq -r '.runs[0].series[0] | "\(.n_samples) \(.avg_ns) \(.n_overflow // 0)"'
    build/whylate export --to csv -o "$work/rows.csv" "$1" >/dev/null
    tr -d '\r' <"$work/rows.csv" | # CSV's line ends
        awk -F, -v unit="$2" 'NR == 1 { bins = $NF == "count" }
            NR > 1 { value = bins ? $(NF - 1) : $NF; n[value - value % unit] += bins ? $NF : 1 }
            END { for (value in n) print value, n[value] }'
}

measure() { # TOOL INTERVAL_US ROUND
    local unit_ns=1000
    [ "$2" -ge 100 ] || unit_ns=1
    rm -rf "$work/bundle" "$work/c.json"
    case $1 in
    agent) build/whylate-capture -q -o "$work/bundle" -c "$cpu" --helper-cpu $helper -p 95 -i "$2us" -d "${each}s" --dma-latency 0 --trace off --no-counters
           numbers "$work/bundle" $unit_ns ;;
    *) cyclictest -q -m $([ $unit_ns = 1 ] && echo -N) -p 95 -a "$cpu" -t 1 -i "$2" -D "$each" -h 1000000 --latency=0 --mainaffinity=$helper --json="$work/c.json" >/dev/null
       numbers "$work/c.json" $unit_ns ;;
    esac >"$work/$1/$3"
}

compare() { # TITLE INTERVAL_US
    local i k tools=(agent cyclictest control)
    for k in 0 1 2; do rm -rf "$work/${tools[k]}"; mkdir "$work/${tools[k]}"; done
    for ((i = 0; i < rounds; i++)); do
        for k in 0 1 2; do measure "${tools[(i + k) % 3]}" "$2" $i; done
    done
    echo "$1 ($rounds runs of $each s each, taking turns)"
    python3 tests/bench/pooled.py "$work/agent" "$work/cyclictest" "$work/control"
    echo
}

compare "1 ms period" 1000
compare "20 us period" 20

rm -rf "$work/bundle"
/usr/bin/time -f '%e %U %S %M' -o "$work/time" build/whylate-capture -q -o "$work/bundle" -c "$cpu" -p 95 -i 20us -d "${long}s" --trace off --no-counters
set -- $(awk -F'\t' '$1 == "thread_0_result" { print $2 }' "$work/bundle/bundle.txt")
echo "50 kHz for $long s: $2 samples, $4 periods missed (counted), $6 dropped; resident $(($(cut -d' ' -f4 "$work/time") / 1024)) MB"
rm -rf "$work/bundle"
build/whylate-capture -q -o "$work/bundle" -c "$cpu" -p 95 -i 1ms -d 20s --trace low -t 100ms & pid=$!
sleep 15
# utime + stime of the helper (the main thread), in ticks of 10 ms over 15 s
awk '{ printf "helper at 1 kHz with the trace on: %.2f %% of a CPU\n", ($14 + $15) / 15 }' "/proc/$pid/task/$pid/stat"
wait $pid
strip -o "$work/stripped" build/whylate-capture
echo "program, stripped: $(stat -c %s "$work/stripped") bytes"
