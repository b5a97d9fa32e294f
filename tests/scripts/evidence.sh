#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Evidence that is taken away never makes another culprit sure: of every trace text of tests/data and samples all rows of one event
# are left out, one event after the other. What explain says of the same task and instant then is the cause as it was, or a doubt.
# Left out, with the reason, is what rightly changes.
set -u
top=${top:-$(cd "$(dirname "$0")/../.." && pwd)}
export whylate=${whylate:-$top/build/whylate}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - "$top" <<'PY'
import json, os, re, subprocess, sys, tempfile

ROW = re.compile(r'^\s*.+-\d+\s.*?\d+\.\d+: +(\w+):', re.A)

def outliers(path):
    run = subprocess.run([os.environ['whylate'], 'explain', '--json', '--top', 'all', '--max-slices', '4', path], capture_output=True, timeout=60)
    return json.loads(run.stdout)['outliers'] if run.returncode == 0 else None

def words(outlier):
    return outlier['cause'], re.sub(r' \(prio -?\d+\)', '', outlier['culprit'] or '')

n_checked = n_bad = 0
with tempfile.TemporaryDirectory() as scratch:
    for root in ('tests/data', 'samples'):
        for folder, _, files in sorted(os.walk(os.path.join(sys.argv[1], root))):
            for name in sorted(f for f in files if f.endswith('.txt')):
                path = os.path.join(folder, name)
                text = open(path, errors='replace').read()
                rows = [(ROW.match(l), l) for l in text.split('\n')]
                kinds = sorted({m[1] for m, _ in rows if m})
                if len(kinds) < 2 or len(text) > 400000:
                    continue
                before = outliers(path)
                if not before:
                    continue
                for kind in kinds:
                    cut = os.path.join(scratch, name)
                    with open(cut, 'w') as file:
                        file.write('\n'.join(l for m, l in rows if not m or m[1] != kind))
                    after = outliers(cut)
                    n_checked += 1
                    for o in after if after is not None else []:
                        same = [b for b in before if b['tid'] == o['tid'] and b['end_ns'] == o['end_ns'] is not None]
                        if sum(l['amount_ns'] for l in o['ledger']) != o['latency_ns'] or \
                           (same and o['confidence'] in ('likely', 'proven') and words(o) not in map(words, same)):
                            n_bad += 1
                            print('%s without %s: %s %s, was %s' % (os.path.relpath(path, sys.argv[1]), kind, words(o), o['confidence'],
                                                                    [(words(b), b['confidence']) for b in same]))
print('%d texts without one of their events, %d sure of another cause' % (n_checked, n_bad))
sys.exit(n_bad > 0 or n_checked < 50)
PY
