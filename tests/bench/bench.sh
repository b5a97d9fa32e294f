#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench.sh: runs every tests/bench/*.bench (a shell fragment that calls row) and prints one table each.
#
#   row NAME AMOUNT UNIT COMMAND...   runs the command in ROUNDS rounds (rows take turns, so that what else the machine
#                                     does hits all alike); AMOUNT / seconds is its rate, in millions of UNIT
#   wants NAME FACTOR OTHER           a wish: NAME's rate is at least FACTOR times OTHER's
#   note TEXT                         a line below the table
#
# Wall time decides; processor time stands beside it. $work is a folder on tmpfs, $OBJ that of the built programs.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
OBJ=${OBJ:-build/gcc} ROUNDS=${ROUNDS:-5} ONLY=${ONLY:-}
work=$(mktemp -d /dev/shm/whylate-bench-XXXXXX 2>/dev/null || mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
whylate=build/whylate
one_core="taskset -c $(taskset -cp $$ | sed 's/.*[:,-] *//')"

names=() amounts=() units=() commands=() wishes=() notes=()
row() { names+=("$1"); amounts+=("$2"); units+=("$3"); shift 3; commands+=("$*"); }
wants() { wishes+=("$1|$2|$3"); }
note() { notes+=("$*"); }

# Middle of the numbers on stdin.
median() { sort -g | awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }

run_rows() {
    local round i
    for ((round = 0; round < ROUNDS; round++)); do
        for i in "${!names[@]}"; do
            rm -f "$work/out.wl"
            "$OBJ/tests/bench/timed" "$work/time" "${commands[i]}" || echo "${names[i]}: failed: ${commands[i]}" >&2
            cat "$work/time" >>"$work/times.$i"
        done
    done
}

print_table() {
    local i wall cpu rss
    printf '%-44s %9s %9s %12s %12s %8s\n' "$1" 'wall s' 'cpu s' 'rate' 'per cpu s' 'RSS MB'
    for i in "${!names[@]}"; do
        wall=$(cut -d' ' -f1 "$work/times.$i" | median) cpu=$(cut -d' ' -f2 "$work/times.$i" | median)
        rss=$(cut -d' ' -f3 "$work/times.$i" | median)
        awk -v n="${names[i]}" -v a="${amounts[i]}" -v u="${units[i]}" -v w="$wall" -v c="$cpu" -v r="$rss" \
            'BEGIN { if (w < .0005) w = .0005; if (c < .0005) c = .0005
                     printf "%-44s %9.3f %9.3f %8.2f M%s %8.2f M%s %8.0f\n", n, w, c, a / w / 1e6, u, a / c / 1e6, u, r }'
        echo "$wall $cpu" >"$work/rate.$i"
    done
    for wish in ${wishes[@]+"${wishes[@]}"}; do
        local name=${wish%%|*} other=${wish##*|} factor
        factor=${wish#*|} factor=${factor%|*}
        local a=-1 b=-1
        for i in "${!names[@]}"; do
            [ "${names[i]}" = "$name" ] && a=$i
            [ "${names[i]}" = "$other" ] && b=$i
        done
        [ $a -ge 0 ] && [ $b -ge 0 ] || continue
        # Rounds pair the two rows; the ratio is the median of the rounds' ratios.
        paste -d' ' "$work/times.$a" "$work/times.$b" | awk -v x="${amounts[a]}" -v y="${amounts[b]}" \
            '{ w = $1 < .0005 ? .0005 : $1; c = $2 < .0005 ? .0005 : $2; print (x / w) / (y / $4), (x / c) / (y / $5) }' >"$work/ratios"
        printf '    %s / %s: %.1f times by wall time, %.1f by processor time (wanted: %s)\n' "$name" "$other" \
            "$(cut -d' ' -f1 "$work/ratios" | median)" "$(cut -d' ' -f2 "$work/ratios" | median)" "$factor"
    done
    printf '    %s\n' ${notes[@]+"${notes[@]}"}
    echo
}

echo "$(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1 /proc/loadavg), $ROUNDS rounds"
echo
for table in tests/bench/*.bench; do
    name=$(basename "$table" .bench)
    case $name in *"$ONLY"*) ;; *) continue ;; esac
    names=() amounts=() units=() commands=() wishes=() notes=()
    rm -f "$work"/times.* "$work"/rate.*
    . "$table"
    run_rows
    print_table "$name"
done
