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
# the control: a difference inside its spread cannot be told here, whatever the limit is.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
rounds=${ROUNDS:-31} each=${SECONDS_EACH:-2} long=${LONG:-60}
cpu=$(($(nproc) - 1)) helper=0
work=$(mktemp -d /dev/shm/whylate-bench-XXXXXX 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
# min avg p99.9 n of the one series of an input, in ns; null: not measured (a quantile beyond cyclictest's histogram of 1 ms)
numbers() { build/whylate validate --json --quiet "$1" | jq -r '.runs[0].series[0] | "\(.min_ns) \(.avg_ns) \(.quantiles_ns["0.999"]) \(.n_samples)"'; }

measure() { # TOOL INTERVAL_US
    rm -rf "$work/bundle" "$work/c.json"
    case $1 in
    agent) build/whylate-capture -q -o "$work/bundle" -c "$cpu" --helper-cpu $helper -p 95 -i "$2us" -d "${each}s" --dma-latency 0 --trace off --no-counters
           numbers "$work/bundle" ;;
    *) cyclictest -q -m -N -p 95 -a "$cpu" -t 1 -i "$2" -D "$each" -h 1000000 --latency=0 --mainaffinity=$helper --json="$work/c.json" >/dev/null
       numbers "$work/c.json" ;;
    esac >>"$work/$1.txt"
}

# Columns of A over those of B: the median of the rounds' ratios, and the order statistics that hold it with 95 %. Rounds in
# which either was not measured are left out, and counted.
ratios() { # TITLE A B
    local i
    printf '%-24s' "$1"
    for i in 1 2 3; do
        paste -d' ' "$work/$2.txt" "$work/$3.txt" | awk -v i=$i '$i != "null" && $(i + 4) != "null" { print $i / $(i + 4) }' | sort -g |
            awk -v rounds="$rounds" '
            { a[NR] = $1 }
            END { if (!NR) { printf "  not measured"; exit }
                  k = int((NR - 1.96 * sqrt(NR)) / 2); if (k < 1) k = 1
                  m = NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2
                  printf "  %5.3f (%5.3f-%5.3f)", m, a[k], a[NR + 1 - k]
                  if (NR < rounds) printf " of %d", NR }'
    done
    echo
}

compare() { # TITLE INTERVAL_US
    local i k tool tools=(agent cyclictest control)
    rm -f "$work"/*.txt
    for ((i = 0; i < rounds; i++)); do
        for k in 0 1 2; do measure "${tools[(i + k) % 3]}" "$2"; done
    done
    printf '%s (medians of %d runs of %d s, ns)\n' "$1" "$rounds" "$each"
    printf '%-12s %10s %10s %10s %12s\n' '' min avg '99.9 %' samples
    for tool in agent cyclictest; do
        printf '%-12s' $tool
        for i in 1 2 3 4; do
            printf " %$((i == 4 ? 12 : 10))s" "$(cut -d' ' -f$i "$work/$tool.txt" | grep -v null | sort -g |
                awk '{ a[NR] = $1 } END { if (NR) printf "%.0f", a[int((NR + 1) / 2)]; else print "-" }')"
        done
        echo
    done
    printf '%-24s  %-19s  %-19s  %-19s\n' 'ratio (95 % interval)' min avg '99.9 %'
    ratios 'agent / cyclictest' agent cyclictest
    ratios 'cyclictest / itself' control cyclictest
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
