#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every file of samples/ and tests/data/ cut: through import, analyses and document without a crash (CUTS places each;
# CUTS= for every byte of small files). And a cut cyclictest log never shows a number that the whole log does not hold.
set -u
top=${top:-$(cd "$(dirname "$0")/../.." && pwd)}
program=${OBJ:-build/gcc}/tests/fuzz/import
[ -x "$program" ] || { echo "$program is not built"; exit 1; }
export CUTS=${CUTS-4}
[ -n "$CUTS" ] || unset CUTS
find samples tests/data -type f -size -300k ! -name '*.md' -print0 | sort -z | xargs -0 -n 20 timeout 800 "$program" || { echo "a cut file: status $?"; exit 1; }
python3 - <<'PY'
import json, os, re, subprocess, sys
top, whylate = os.environ['top'], os.environ['whylate']
bad = 0
for name, reach in (('cyclictest-0.17-status.txt', 200), ('cyclictest-0.92-histogram.txt', 250)):
    data = open(top + '/samples/' + name, 'rb').read().rstrip()
    numbers = {int(n) * 1000 for n in re.findall(rb'\d+', data)} | {None}
    for cut in range(len(data) - reach, len(data)):
        run = subprocess.run([whylate, 'info', '--json', '-'], input=data[:cut], capture_output=True)
        if run.returncode not in (0, 3):
            print(name, cut, 'status', run.returncode); bad = 1
        if run.returncode != 0:
            continue
        for series in json.loads(run.stdout)['runs'][0]['series']:
            for key in ('min_ns', 'avg_ns', 'max_ns'):
                if series[key] not in numbers:
                    print('%s cut at %d: %s %s is in no line' % (name, cut, key, series[key])); bad = 1
sys.exit(bad)
PY
