#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agent on this machine: a run that ends by itself, one that is killed in mid-run, leftovers, refusals, the k worst.
# What else it survives: capture-survival.sh.
set -eu
agent=${whylate%whylate}whylate-capture
[ -x "$agent" ] || { echo "no $agent"; exit 1; }
chrt -f 1 true 2>/dev/null || { echo "real-time priorities are not allowed here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
value() { awk -F'\t' -v key="$2" '$1 == key { v = $2 } END { print v }' "$1/bundle.txt"; }
records() { echo $((($(stat -c %s "$1") - 64) / 32)); }

# 1. Two seconds at 1 ms: every period is a sample or counted as missed; the thread faulted no page after its start.
"$agent" -q -o "$work/a" -d 2s -i 1ms -c 0 -t 10ms --no-counters
[ "$(value "$work/a" state)" = complete ] || { echo "state: $(value "$work/a" state)"; exit 1; }
set -- $(value "$work/a" thread_0_result)
samples=$2 missed=$4 dropped=$6
[ "$(records "$work/a/samples-0.wls")" = "$samples" ] || { echo "records $(records "$work/a/samples-0.wls"), samples $samples"; exit 1; }
[ "$dropped" = 0 ] || { echo "dropped $dropped"; exit 1; }
# A busy machine ends the run a little late; no period between its begin and its end is lost without a count.
periods=$((($(value "$work/a" end_monotonic_ns) - $(value "$work/a" begin_monotonic_ns)) / 1000000))
[ $((samples + missed)) -ge 1990 ] && [ $((samples + missed)) -le $((periods + 2)) ] || { echo "samples $samples + missed $missed, $periods periods"; exit 1; }
set -- $(value "$work/a" thread_0_start); faults=$2
set -- $(value "$work/a" thread_0_end)
case ${OBJ:-} in *address*) faults=$2 ;; esac # sanitizers lock no memory
[ "$2" = "$faults" ] || { echo "the measuring thread faulted $(($2 - faults)) pages"; exit 1; }
[ -s "$work/a/before/proc/interrupts" ] && [ -s "$work/a/after/proc/interrupts" ] && [ -s "$work/a/before/threads.txt" ]

# 2. An existing folder is refused, and left as it is.
if "$agent" -q -o "$work/a" -d 1s 2>"$work/error"; then echo "overwrote a bundle"; exit 1; fi
grep -q "cannot make bundle" "$work/error"

# 3. Killed in mid-run, at other moments each time (KILLS times, default 3): what was drained is there, whole, and the run
#    says that it has no end.
for ((k = 0; k < ${KILLS:-3}; k++)); do
    rm -rf "$work/k"
    "$agent" -q -o "$work/k" -d 30s -i 200us -c 0 --trace low --no-counters & pid=$!
    until [ "$(stat -c %s "$work/k/samples-0.wls" 2>/dev/null || echo 0)" -gt 64 ]; do sleep 0.02; kill -0 $pid; done
    sleep 0.$((10 + k * 37 % 45))
    tail -c +1 "$work/k/samples-0.wls" 2>/dev/null | wc -c >"$work/before"
    kill -9 $pid
    wait $pid 2>/dev/null || true
    n=$(records "$work/k/samples-0.wls")
    [ $((n * 32 + 64)) -ge "$(cat "$work/before")" ] && [ "$n" -ge 1 ] || { echo "kill $k: $n records, $(cat "$work/before") bytes before"; exit 1; }
    [ -z "$(value "$work/k" state)" ] || { echo "a killed run has a state"; exit 1; }
    "$whylate" validate --json --quiet "$work/k" >"$work/json" || { echo "kill $k: not read"; exit 1; }
    [ "$(jq '.runs[0].series[0].n_samples' "$work/json")" = "$n" ] || { echo "kill $k: $n records, whylate reads $(jq '.runs[0].series[0].n_samples' "$work/json")"; exit 1; }
    jq -e 'any(.findings[].code; . == "run-interrupted")' "$work/json" >/dev/null || { echo "kill $k: not called interrupted"; exit 1; }
done

# 4. The next start, or restore, removes what it left in tracefs.
"$agent" restore >"$work/out"
if [ -d /sys/kernel/tracing/instances ]; then
    left=$(find /sys/kernel/tracing/instances -maxdepth 1 -name "whylate-$pid-*" | wc -l)
    [ "$left" = 0 ] || { echo "$left instances left"; exit 1; }
fi

# 5. Words that make no sense are usage errors, and leave nothing.
for bad in "-i 1us" "-p 0" "--ring 1000" "-c x" "--sleep never" "-t 5"; do
    status=0
    "$agent" -q -o "$work/never" $bad 2>/dev/null || status=$?
    [ $status = 2 ] && [ ! -e "$work/never" ] || { echo "'$bad': status $status"; exit 1; }
done
status=0
"$agent" -q -o "$work/load" -d 1s --load nonsense 2>"$work/error" || status=$?
[ $status = 2 ] || { echo "--load nonsense: status $status"; exit 1; }
[ ! -e "$work/load" ] || { echo "--load nonsense left a folder"; exit 1; }

# 6. The k worst: no more windows than asked for, and of all that were saved those with the largest latencies.
"$agent" -q -o "$work/worst" -d 8s -i 1ms -c 0 -t worst --keep 2 --no-counters
[ "$(value "$work/worst" trigger)" = worst ] || { echo "trigger: $(value "$work/worst" trigger)"; exit 1; }
if [ "$(value "$work/worst" trace_missing)" = - ]; then
    kept=$(cd "$work/worst" && ls trace-*.dat | sort)
    awk -F'\t' '!/^#/ && $7 != "-" { print $6, $7 }' "$work/worst/outliers.txt" | sort -rn >"$work/rows"
    [ "$(wc -l <"$work/rows")" -ge 2 ] || { echo "worst: $(cat "$work/rows")"; exit 1; }
    [ "$(head -2 "$work/rows" | cut -d' ' -f2 | sort)" = "$kept" ] || { echo "worst: kept" $kept "of"; cat "$work/rows"; exit 1; }
    "$whylate" explain --json --quiet "$work/worst" >"$work/json"
    jq -e '.outliers | length == 2' "$work/json" >/dev/null || { echo "worst: $(jq '.outliers | length' "$work/json") outliers read"; exit 1; }
fi

# 7. The measuring thread's system calls, as the kernel's trace shows them: its sleep, and no other.
if [ "$(value "$work/worst" trace_missing)" = - ] && command -v trace-cmd >/dev/null; then
    "$agent" -q -o "$work/calls" -d 3s -i 1ms -c 0 -t 1ns --keep 3 --trace raw_syscalls:sys_enter --buffer 16384 --no-counters
    # By its number (the kernel forgets names on a busy machine), and from its first due time on (before it, it gets ready).
    tid=$(awk -F'\t' '$1 == 0 { print $3 }' "$work/calls/threads.txt") first=$(awk -F'\t' '$1 == 0 { print $8 }' "$work/calls/threads.txt")
    for file in "$work/calls"/trace-*.dat; do trace-cmd report "$file" 2>/dev/null; done | grep -E "^ *[^ ]+-$tid +\\[" |
        sed -n 's/^[^]]*\] *\([0-9.]*\): sys_enter: *NR \([0-9]*\).*/\1 \2/p' | awk -v first="$first" '$1 * 1e9 > first { print $2 }' | sort | uniq -c >"$work/numbers"
    [ "$(wc -l <"$work/numbers")" = 1 ] && [ "$(awk '{ print $1 }' "$work/numbers")" -gt 20 ] || { echo "system calls of the measuring thread:"; cat "$work/numbers"; exit 1; }
fi
