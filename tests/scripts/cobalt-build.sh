#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agent built as for Xenomai: make capture XENO_CONFIG=... against a stand-in (tests/cobalt) for xeno-config and libcobalt,
# since neither is packaged here. It shows that the build takes the documented flags, that every wrapped call of the agent
# links and goes through the library, and that a measuring thread calls nothing but its sleep and the clock. It is no
# Cobalt core: nothing about latencies follows.
set -eu
command -v gcc >/dev/null || { echo "no gcc"; exit 77; }
case ${OBJ:-} in *address*) echo "the stand-in is not built with sanitizers"; exit 77 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/stub/include/xenomai"
gcc -shared -fPIC -O2 -Wall -Wextra -Werror -o "$work/stub/libcobalt.so" "$top/tests/cobalt/stub.c" -lpthread
cp "$top/tests/cobalt/cobalt.wrappers" "$work/stub/"
echo 'void xenomai_init(int *argcp, char *const **argvp);' >"$work/stub/include/xenomai/init.h"
export COBALT_STUB=$work/stub
make -s -C "$top" XENO_CONFIG="$top/tests/cobalt/xeno-config" OBJ="$work/obj" CC=gcc SAN= "$work/obj/whylate-capture" >"$work/make" 2>&1 ||
    { cat "$work/make"; exit 1; }
agent=$work/obj/whylate-capture
chrt -f 1 true 2>/dev/null && policy=fifo || policy=other

# Options that the library would take for its own are the agent's; "--version" of main() is not eaten.
[ "$("$agent" --version)" = "$("${whylate%whylate}whylate-capture" --version)" ]
for sleep in nanosleep timerfd busy; do
    COBALT_STUB_LOG=$work/calls "$agent" --quiet --trace=off -o "$work/$sleep" -c 0 -d 1s -i 1ms --policy $policy --sleep $sleep --no-counters
    "$whylate" validate --json --quiet "$work/$sleep" | jq -e '.runs[0].series[0].n_samples > 500' >/dev/null || { echo "$sleep: no samples"; exit 1; }
    calls() { awk -v name="$1" '$1 == name { print $2 }' "$work/calls"; }
    [ "$(calls xenomai_init)" = 1 ] || { echo "$sleep: xenomai_init was called $(calls xenomai_init) times"; exit 1; }
    for name in pthread_create pthread_join clock_gettime nanosleep open write; do
        [ "$(calls $name)" -gt 0 ] || { echo "$sleep: $name did not go through the library"; exit 1; }
    done
    [ $policy = other ] || [ "$(calls pthread_setschedparam)" -gt 0 ] || { echo "$sleep: the priority was not set by the library"; exit 1; }
    case $sleep in
    nanosleep) allowed='clock_nanosleep|clock_gettime'; [ "$(calls clock_nanosleep)" -gt 500 ] ;;
    timerfd) allowed='read|clock_gettime'; [ "$(calls timerfd_settime)" -gt 0 ] && [ "$(calls read)" -gt 500 ] ;;
    busy) continue ;;
    esac
    if grep -vE "^($allowed) " "$work/calls" | awk '$3 != 0' | grep .; then echo "$sleep: a measuring thread called that"; exit 1; fi
done
