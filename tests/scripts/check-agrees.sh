#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `whylate-capture check` on the machine and `whylate check` on the bundle that a capture leaves there judge the same
# conditions and come to the same answers.
set -eu
agent=${whylate%whylate}whylate-capture
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The agent's names and whylate's codes. (How long it ran, and what a run alone shows, the agent cannot know before.)
names='isolation cpu-not-isolated
priority priority-low
threadirqs irqs-not-threaded
irq-threads irq-thread-competes
realtime background-realtime
throttling throttling-enabled
governor governor-not-fixed
idle idle-states-deep
console console-serial
kernel kernel-not-rt
debug debug-enabled
bare-metal virtualized
load load-missing
clocksource clocksource-slow'

compare() { # OPTION...: false and $why when they differ
    local name code here there
    why=
    rm -rf "$work/b"
    "$agent" "$@" check >"$work/check" || [ $? = 1 ]
    "$agent" -q -o "$work/b" -d 1s --trace off --no-counters "$@"
    "$whylate" check --json --quiet "$work/b" >"$work/json"
    while read -r name code; do
        here=$(awk -v name="$name" '$2 == name { print $1 }' "$work/check")
        there=$(jq -r --arg code "$code" '[.findings[] | select(.code == $code) | if .confidence == "unknown" then "unknown" else "BAD" end] | unique | join("+")' "$work/json")
        [ "$here" = "${there:-good}" ] || why="$why$*: $name is '$here' here, $code '${there:-good}' in the bundle"$'\n'
    done <<<"$names"
    [ -z "$why" ]
}
# Somebody else's thread may come or go between the two; a difference of the judges stays.
agree() { compare "$@" || compare "$@" || compare "$@" || { echo "$why"; exit 1; }; }
agree -c 0 --policy other --load timers
chrt -f 1 true 2>/dev/null || { echo "real-time priorities are not allowed here"; exit 77; }
agree -c 0 -p 95 --load timers
agree -c 0 -p 40 --load-cmd 'sleep 100' --dma-latency -1
# Nothing is judged here that the list above lacks, but the timer of Cobalt.
[ "$(awk '/^(good|BAD|unknown) / { print $2 }' "$work/check" | grep -vx timer | sort)" = "$(cut -d' ' -f1 <<<"$names" | sort)" ] || { echo "other conditions:"; cat "$work/check"; exit 1; }
# --require refuses what is not good, with the reason, and lets pass what is.
bad=$(awk '$1 == "BAD" { print $2; exit }' "$work/check") good=$(awk '$1 == "good" { print $2; exit }' "$work/check")
if [ -n "$bad" ]; then
    status=0
    "$agent" -q -o "$work/never" -c 0 -p 40 -d 1s --dma-latency -1 --load-cmd 'sleep 100' --require "$bad" 2>"$work/error" || status=$?
    [ $status = 2 ] && grep -q "$bad is required" "$work/error" && [ ! -e "$work/never" ] || { echo "--require $bad: status $status"; exit 1; }
fi
[ -z "$good" ] || "$agent" -q -o "$work/met" -c 0 -p 40 -d 1s --trace off --dma-latency -1 --load-cmd 'sleep 100' --require "$good"
