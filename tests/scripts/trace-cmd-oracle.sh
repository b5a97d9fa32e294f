# SPDX-License-Identifier: GPL-3.0-or-later
# Every event that trace-cmd report prints of a trace.dat is in ours: same task, CPU, ns and name; and no other.
command -v trace-cmd >/dev/null || { echo "trace-cmd is not installed"; exit 77; }
dump=$OBJ/tests/tools/events_dump
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
files="samples/irq-storm-device/trace.dat samples/trace-v6.dat"
# A generated one too: time extends, lost events, strings elsewhere in the record.
"$OBJ/tests/synth/synth" --seed 7 --outliers 40 --dat "$scratch/synth.dat" 2>/dev/null && files="$files $scratch/synth.dat"
for file in $files; do
    trace-cmd report -t -N "$file" 2>/dev/null | grep -aE '^ *[^ ].*\[[0-9]+\] ' |
        sed -E 's/^ *(.*)-([0-9]+) +\[([0-9]+)\] +([0-9]+)\.([0-9]*): +([A-Za-z0-9_]+).*/\2 \3 \4.\5 \6/' | sort >"$scratch/theirs"
    # our print of ftrace:print has the text in front; page faults of both kinds are one event that says where
    "$dump" "$file" | grep -aE '^-?[0-9]+ \[' |
        sed -E 's/^(-?[0-9]+ \[[0-9]+\] [0-9a-f]+ [0-9.]+): (tracing_mark_write|\?): /\1: print: /
                s/: page_fault: where=(user|kernel) /: page_fault_\1: /' |
        sed -E 's/^(-?[0-9]+) \[([0-9]+)\] [0-9a-f]+ ([0-9]+)\.([0-9]+): ([a-z_]+:)?([A-Za-z0-9_]+).*/\1 \2 \3.\4 \6/' | sort >"$scratch/ours"
    [ -s "$scratch/theirs" ] || { echo "trace-cmd report printed nothing of $file"; exit 1; }
    if ! cmp -s "$scratch/theirs" "$scratch/ours"; then
        echo "$file: trace-cmd has $(wc -l <"$scratch/theirs") events, we have $(wc -l <"$scratch/ours"); the first that differ:"
        diff "$scratch/theirs" "$scratch/ours" | head -10
        exit 1
    fi
    echo "$file: $(wc -l <"$scratch/ours") events agree"
done
