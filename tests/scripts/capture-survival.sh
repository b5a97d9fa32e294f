#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a capture meets in the field: a full disk, a folder that vanishes, a ring that overflows, no rights, a trace that is
# read-only or not mounted, signals, a second agent, children of the load. Each must end with what was measured readable and
# nothing left behind. CPU hotplug, suspend and a clock that is set need a machine of their own: tests/target.
set -eu
agent=${whylate%whylate}whylate-capture
[ "$(id -u)" = 0 ] || { echo "needs root: tmpfs, mount namespaces and real-time priorities"; exit 77; }
chrt -f 1 true 2>/dev/null || { echo "real-time priorities are not allowed here"; exit 77; }
unshare -m true 2>/dev/null || { echo "mount namespaces are not allowed here"; exit 77; }
work=$(mktemp -d)
trap 'umount "$work/small" 2>/dev/null || true; rm -rf "$work"' EXIT
instances=/sys/kernel/tracing/instances
fail() { echo "$*"; exit 1; }
value() { awk -F'\t' -v key="$2" '$1 == key { v = $2 } END { print v }' "$1/bundle.txt"; }
records() { echo $((($(stat -c %s "$1") - 64) / 32)); }
until_samples() { # PID DIR: waits until samples are on the disk
    until [ "$(stat -c %s "$2/samples-0.wls" 2>/dev/null || echo 0)" -gt 64 ]; do
        kill -0 "$1" 2>/dev/null || fail "$2: the agent ended"
        sleep 0.02
    done
}
left_of() { if [ -d $instances ]; then find $instances -maxdepth 1 -name "whylate-$1-*" | wc -l; else echo 0; fi; }
capture=("$agent" -q -c 0 --no-counters) # no function: $! must be the agent's own pid

# 1. A full disk: the run ends with an error, says how it ended, and what was written before is read.
mkdir "$work/small" && mount -t tmpfs -o size=1M none "$work/small"
status=0
"${capture[@]}" -o "$work/small/b" -d 20s -i 50us --trace off 2>"$work/error" || status=$?
[ $status = 4 ] && grep -q 'No space left' "$work/error" || fail "full disk: status $status, $(cat "$work/error")"
[ "$(value "$work/small/b" state)" = "output failed" ] || fail "full disk: state '$(value "$work/small/b" state)'"
"$whylate" validate --json --quiet "$work/small/b" >"$work/json" || true
[ "$(jq '.runs[0].series[0].n_samples' "$work/json")" -gt 1000 ] || fail "full disk: samples are lost"
umount "$work/small"

# 2. The folder vanishes in mid-run: an error at once, not a run into the void, and no half of a folder made anew.
"${capture[@]}" -o "$work/gone" -d 30s -i 1ms --trace off 2>"$work/error" & pid=$!
until_samples $pid "$work/gone"
rm -rf "$work/gone"
status=0 begin=$SECONDS
wait $pid || status=$?
[ $status = 4 ] && grep -q 'was removed while it was written' "$work/error" || fail "vanished: status $status, $(cat "$work/error")"
[ $((SECONDS - begin)) -lt 15 ] && [ ! -e "$work/gone" ] || fail "vanished: $((SECONDS - begin)) s, $(ls -R "$work/gone" 2>&1)"

# 3. A folder that is renamed goes on under its new name.
"${capture[@]}" -o "$work/old" -d 2s -i 1ms --trace off & pid=$!
until_samples $pid "$work/old"
mv "$work/old" "$work/new"
wait $pid || fail "renamed: status $?"
[ ! -e "$work/old" ] && [ "$(value "$work/new" state)" = complete ] && [ -s "$work/new/after/proc/interrupts" ] || fail "renamed: not complete"

# 4. A ring that overflows: each sample is on the disk, or dropped and counted; the numbers show the holes.
"${capture[@]}" -o "$work/ring" -d 2s -i 20us --ring 64 --trace off
set -- $(value "$work/ring" thread_0_result)
[ "$6" -gt 0 ] || fail "ring: nothing was dropped"
[ "$(records "$work/ring/samples-0.wls")" = $(($2 - $6)) ] || fail "ring: $(records "$work/ring/samples-0.wls") records, samples $2, dropped $6"
"$whylate" validate --json --quiet "$work/ring" >"$work/json"
jq -e 'any(.findings[]; .code == "events-lost")' "$work/json" >/dev/null || fail "ring: not told"

# 5. SIGINT and SIGTERM: the bundle is whole and says who ended it.
for signal in INT TERM; do
    # A background job of a script ignores SIGINT unless it is reset.
    env --default-signal=INT "$agent" -q -c 0 --no-counters -o "$work/$signal" -d 30s -i 1ms --trace low & pid=$!
    until_samples $pid "$work/$signal"
    kill -$signal $pid
    wait $pid || fail "SIG$signal: status $?"
    [ "$(value "$work/$signal" state)" = "interrupted by SIG$signal" ] || fail "SIG$signal: state '$(value "$work/$signal" state)'"
    [ -s "$work/$signal/after/proc/interrupts" ] && [ "$(left_of $pid)" = 0 ] || fail "SIG$signal: not finished"
done

# 6. Two at once: neither takes the other's trace for a leftover, and a third start removes what a killed one left.
"${capture[@]}" -o "$work/one" -d 30s -i 1ms --trace low & one=$!
until_samples $one "$work/one"
before=$(left_of $one)
[ ! -d $instances ] || [ "$before" = 2 ] || fail "two at once: the first has $before instances"
"${capture[@]}" -o "$work/two" -d 1s -i 1ms --trace low || fail "two at once: status $?"
kill -0 $one && [ "$(left_of $one)" = "$before" ] || fail "two at once: the first lost its trace"
[ "$(value "$work/two" state)" = complete ] || fail "two at once: $(value "$work/two" state)"
kill -9 $one
wait $one 2>/dev/null || true
[ "$(left_of $one)" = "$before" ] || fail "killed: the instances went by themselves, the next lines test nothing"
"${capture[@]}" -o "$work/three" -d 1s -i 1ms --trace off
[ "$(left_of $one)" = 0 ] || fail "killed: $(left_of $one) instances left by the next start"

# 7. The children of a load command end with the run, also when the agent is killed.
"${capture[@]}" -o "$work/load" -d 30s -i 1ms --trace off --load-cmd "(sleep 1234.5; :) & sleep 1234.5; :" & pid=$!
until_samples $pid "$work/load"
[ "$(pgrep -fc 'sleep 1234\.5$')" -ge 2 ] || fail "load: not started"
kill -9 $pid
wait $pid 2>/dev/null || true
for ((k = 0; k < 100; k++)); do pgrep -f '^sleep 1234\.5$' >/dev/null || break; sleep 0.05; done
! pgrep -f '^sleep 1234\.5$' >/dev/null || fail "load: children outlive the agent"

# 8. tracefs that is read-only, or not mounted: measured all the same; the first without a trace, and it says why.
if [ -d $instances ]; then
    unshare -m --propagation private sh -c 'mount --bind /sys/kernel/tracing /sys/kernel/tracing && mount -o remount,bind,ro /sys/kernel/tracing && exec "$@"' sh \
        "$agent" -q -c 0 --no-counters -o "$work/ro" -d 1s -i 1ms --trace low || fail "read-only tracefs: status $?"
    [ "$(value "$work/ro" state)" = complete ] || fail "read-only tracefs: $(value "$work/ro" state)"
    value "$work/ro" trace_missing | grep -q 'Read-only' || fail "read-only tracefs: '$(value "$work/ro" trace_missing)'"
    unshare -m --propagation private sh -c 'umount -l /sys/kernel/tracing && "$@" && ! [ -d /sys/kernel/tracing/instances ]' sh \
        "$agent" -q -c 0 --no-counters -o "$work/unmounted" -d 2s -i 1ms --trace low -t 1ns --keep 1 || fail "tracefs not mounted: status $?, or it stayed mounted"
    [ "$(value "$work/unmounted" state)" = complete ] && ls "$work/unmounted"/trace-*.dat >/dev/null || fail "tracefs not mounted: no trace"
    # A bind mount that hides nothing from others.
    : >$instances/../trace_marker || fail "tracefs of this machine was changed"
fi

# 9. Without root: what is lost is said, what can be measured is.
cp "$agent" "$work/agent"; chmod 755 "$work" "$work/agent"; mkdir -m 777 "$work/open"
as_nobody() { (cd "$work/open" && setpriv --reuid=65534 --regid=65534 --clear-groups "$work/agent" "$@"); }
status=0
as_nobody -q -o a -d 1s 2>"$work/error" || status=$?
[ $status = 2 ] && grep -q 'Without root' "$work/error" && [ ! -e "$work/open/a" ] || fail "nobody: status $status"
as_nobody -q -o b -d 1s -c 0 --policy other 2>"$work/error" || fail "nobody: status $?"
[ "$(value "$work/open/b" state)" = complete ] || fail "nobody: $(value "$work/open/b" state)"
for lost in 'no kernel trace' 'idle states are not limited' 'not root'; do
    grep -q "$lost" "$work/open/b/log.txt" || fail "nobody: '$lost' is not told"
done
