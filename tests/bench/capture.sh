#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# capture.sh: the agent beside cyclictest on this machine, under the same options, in pairs that take turns. Ratios of
# medians; then the agent's own numbers at 50 kHz. PAIRS (default 5), SECONDS_EACH (default 5), LONG (default 60 s).
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
pairs=${PAIRS:-5} each=${SECONDS_EACH:-5} long=${LONG:-60}
cpu=$(($(nproc) - 1))
work=$(mktemp -d /dev/shm/whylate-bench-XXXXXX 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
median() { sort -g | awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
# min avg p99.9 n of the one series of an input, in ns
numbers() { build/whylate validate --json --quiet "$1" | jq -r '.runs[0].series[0] | "\(.min_ns) \(.avg_ns) \(.quantiles_ns["0.999"]) \(.n_samples)"'; }

compare() { # TITLE INTERVAL_US
    local i tool
    rm -f "$work"/*.txt
    for ((i = 0; i < pairs; i++)); do
        rm -rf "$work/bundle" "$work/c.json"
        build/whylate-capture -q -o "$work/bundle" -c "$cpu" -p 95 -i "$2us" -d "${each}s" --trace off --no-counters
        numbers "$work/bundle" >>"$work/agent.txt"
        cyclictest -q -m -N -p 95 -a "$cpu" -t 1 -i "$2" -D "$each" -h 1000000 --json="$work/c.json" >/dev/null
        numbers "$work/c.json" >>"$work/cyclictest.txt"
    done
    printf '%s (medians of %d runs of %d s, ns)\n' "$1" "$pairs" "$each"
    printf '%-12s %10s %10s %10s %12s\n' '' min avg '99.9 %' samples
    for tool in agent cyclictest; do
        printf '%-12s' $tool
        for i in 1 2 3 4; do printf " %$((i == 4 ? 12 : 10)).0f" "$(cut -d' ' -f$i "$work/$tool.txt" | median)"; done
        echo
    done
    printf '%-12s' ratio
    for i in 1 2 3 4; do
        printf " %$((i == 4 ? 12 : 10)).3f" "$(paste -d' ' "$work/agent.txt" "$work/cyclictest.txt" | awk -v i=$i '{ print $i / $(i + 4) }' | median)"
    done
    printf '   (median of the pairs)\n\n'
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
