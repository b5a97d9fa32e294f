#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The document of every command over the samples: keys present and in order, integers, null for unknown, closed words,
# slices that do not overlap and sum to the latency, a ledger that sums them. docs/json.md names every key.
set -u
top=${top:-$(cd "$(dirname "$0")/../.." && pwd)}
inputs=${INPUTS:-$(ls -d "$top"/samples/* | grep -v README; find "$top/tests/data" -type f -size -200k ! -name '*.md' | sort)}
check=$(mktemp) || exit 2
trap 'rm -f "$check"' EXIT
cat >"$check" <<'PY'
import json, subprocess, sys
whylate = sys.argv[1]
KEYS = {
    'document': 'schema command version runs outliers causes findings comparison',
    'run': 'label artefacts facts series counters events',
    'artefact': 'path format tool_version size_bytes sha256 notes',
    'note': 'code count first_line text',
    'fact': 'value artefact',
    'series': 'name tool path tid comm cpu policy priority interval_ns resolution_ns n_samples min_ns avg_ns max_ns n_overflow '
              'overflow_limit_ns n_lost_periods duration_ns quantiles_ns verdict tail',
    'tail': 'method threshold_ns n_excess scale_ns shape scale_se_ns shape_se shape_interval gap_p return_levels',
    'counter': 'source snapshot scope name value delta',
    'events': 'n n_cpus begin_ns end_ns n_lost clock',
    'outlier': 'run series cpu tid comm window begin_ns end_ns latency_ns reported_ns cause culprit confidence unexplained_ns '
               'ledger slices chain',
    'ledger': 'kind subject n amount_ns',
    'slice': 'begin_ns end_ns amount_ns kind subject cpu domain evidence',
    'link': 'kind subject cpu begin_ns running_ns end_ns waited_ns held_by decisive',
    'cause': 'cause culprit n_outliers amount_ns share_pct',
    'finding': 'code severity confidence run series cpu subject text values evidence advice',
    'comparison': 'comparable confounds metrics matched next_runs conclusion',
    'metric': 'name values ratio interval p',
    'confound': 'key values severity why',
    'next_run': 'change why n_samples',
}
WORDS = {
    'severity': 'error warning note',
    'confidence': 'proven likely possible unknown',
    'path': 'timer-wakeup irq-handler irq-response call-duration section noise',
    'window': 'timer wakeup blocked section',
    'verdict': 'credible credible-isolated suspect artefact insufficient no-data',
    'kind': 'timer-late irq softirq nmi ipi task-higher-prio task-same-prio task-lower-prio irqs-off preempt-off lock-wait self '
            'idle idle-exit hardware-stall sched syscall mode-switch throttled stopped gap unexplained',
}
bad = 0
page = open(sys.argv[2] + '/docs/json.md').read()

def fail(where, what):
    global bad
    bad += 1
    if bad < 40:
        print('%s: %s' % (where, what))

def keys(where, value, name):
    if list(value) != KEYS[name].split():
        fail(where, '%s has %s' % (name, ' '.join(value)))
        return False
    return True

def word(where, value, name, may_be_null=True):
    if not (value is None and may_be_null) and value not in WORDS[name].split():
        fail(where, '%s is %r' % (name, value))

def whole(where, value, name, may_be_null=True, low=None):
    if value is None and may_be_null:
        return
    if type(value) is not int or (low is not None and value < low):
        fail(where, '%s is %r' % (name, value))

def check_series(where, s, job):
    if not keys(where, s, 'series'):
        return
    for key in ('tid', 'cpu', 'priority', 'interval_ns', 'resolution_ns', 'min_ns', 'max_ns', 'overflow_limit_ns', 'duration_ns'):
        whole(where, s[key], key)
    for key in ('n_samples', 'n_overflow'):
        whole(where, s[key], key, low=0)
    word(where, s['path'], 'path')
    word(where, s['verdict'], 'verdict', may_be_null=job not in ('validate', 'compare', 'report'))
    for key in ('name', 'tool'):
        if not isinstance(s[key], str) or not s[key]:
            fail(where, '%s is %r' % (key, s[key]))
    if s['min_ns'] is not None and s['max_ns'] is not None and s['min_ns'] > s['max_ns']:
        fail(where, 'min %d above max %d' % (s['min_ns'], s['max_ns']))
    last = None
    for q, value in (s['quantiles_ns'] or {}).items():
        if value is not None and last is not None and value < last:
            fail(where, 'quantiles fall at %s' % q)
        last = value if value is not None else last
        if value is not None and s['max_ns'] is not None and value > s['max_ns']:
            fail(where, 'quantile %s %s above max %s' % (q, value, s['max_ns']))
    if s['tail'] is not None:
        keys(where, s['tail'], 'tail')

def check_outlier(where, o, document):
    if not keys(where, o, 'outlier'):
        return
    word(where, o['window'], 'window')
    word(where, o['confidence'], 'confidence', False)
    whole(where, o['latency_ns'], 'latency_ns')
    total, by_kind, last_end = 0, {}, None
    for s in o['slices']:
        if not keys(where, s, 'slice'):
            return
        word(where, s['kind'], 'kind', False)
        whole(where, s['amount_ns'], 'amount_ns', False, 0)
        total += s['amount_ns']
        entry = by_kind.setdefault((s['kind'], s['subject']), 0)
        by_kind[(s['kind'], s['subject'])] = entry + s['amount_ns']
        if s['begin_ns'] is not None and s['end_ns'] is not None:
            if s['end_ns'] - s['begin_ns'] != s['amount_ns']:
                fail(where, 'slice %s: %d != end - begin' % (s['kind'], s['amount_ns']))
            if last_end is not None and s['begin_ns'] < last_end:
                fail(where, 'slices overlap at %d' % s['begin_ns'])
            last_end = s['end_ns']
    if o['slices'] and o['latency_ns'] is not None and total != o['latency_ns']:
        fail(where, 'slices sum to %d, latency %d' % (total, o['latency_ns']))
    if sum(l['amount_ns'] for l in o['ledger']) != total:
        fail(where, 'the ledger sums to %d, slices to %d' % (sum(l['amount_ns'] for l in o['ledger']), total))
    for l in o['ledger']:
        keys(where, l, 'ledger')
        whole(where, l['n'], 'n', False, 1)
    for l in o['chain']:
        if keys(where, l, 'link') and (l['kind'] not in 'interrupt task lock unknown'.split() or not l['subject']):
            fail(where, 'link %r' % l)
        if l['waited_ns'] is not None and l['waited_ns'] != l['running_ns'] - l['begin_ns']:
            fail(where, 'link waited %s' % l['waited_ns'])
    if sum(l['decisive'] for l in o['chain']) > 1 or [l['end_ns'] for l in o['chain']] != sorted(l['end_ns'] for l in o['chain']):
        fail(where, 'the chain is out of order')
    unexplained = sum(a for (kind, _), a in by_kind.items() if kind == 'unexplained')
    if o['unexplained_ns'] is not None and o['slices'] and o['unexplained_ns'] != unexplained:
        fail(where, 'unexplained_ns %s, its slices %d' % (o['unexplained_ns'], unexplained))

def check(where, job, d):
    if not keys(where, d, 'document'):
        return
    if d['schema'] != 'whylate/1' or d['command'] != job:
        fail(where, 'schema %r command %r' % (d['schema'], d['command']))
    for i, run in enumerate(d['runs']):
        at = '%s run %d' % (where, i)
        if not keys(at, run, 'run'):
            return
        for a in run['artefacts']:
            keys(at, a, 'artefact')
            whole(at, a['size_bytes'], 'size_bytes', False, 0)
            if a['sha256'] is not None and len(a['sha256']) != 64:
                fail(at, 'sha256 %r' % a['sha256'])
            for n in a['notes']:
                keys(at, n, 'note')
        for key, fact in run['facts'].items():
            keys(at, fact, 'fact')
        for k, s in enumerate(run['series']):
            check_series('%s series %d' % (at, k), s, job)
        for c in run['counters']:
            if not keys(at, c, 'counter'):
                break
            whole(at, c['snapshot'], 'snapshot', False, 0)
        if run['events'] is not None:
            keys(at, run['events'], 'events')
    if job not in ('explain', 'report', 'cut') and d['outliers']:
        fail(where, 'outliers in ' + job)
    last = None
    for i, o in enumerate(d['outliers']):
        check_outlier('%s outlier %d' % (where, i), o, d)
    for c in d['causes']:
        keys(where, c, 'cause')
    for f in d['findings']:
        at = '%s finding %s' % (where, f.get('code'))
        if not keys(at, f, 'finding'):
            break
        word(at, f['severity'], 'severity', False)
        word(at, f['confidence'], 'confidence', False)
        if not f['text']:
            fail(at, 'no text')
        for key in ('run', 'series'):
            whole(at, f[key], key, low=0)
        if f['run'] is not None and f['run'] >= len(d['runs']):
            fail(at, 'run %d of %d' % (f['run'], len(d['runs'])))
        if f['run'] is not None and f['series'] is not None and f['series'] >= len(d['runs'][f['run']]['series']):
            fail(at, 'series %d of %d' % (f['series'], len(d['runs'][f['run']]['series'])))
    c = d['comparison']
    if c is not None and keys(where, c, 'comparison'):
        for m in c['metrics']:
            keys(where, m, 'metric')
        for m in c['confounds']:
            keys(where, m, 'confound')
        for m in c['next_runs']:
            keys(where, m, 'next_run')
    if job == 'compare' and c is None:
        fail(where, 'no comparison')

def text_width(where, words):
    global bad
    for line in words.decode('utf-8', 'replace').splitlines():
        if len(line) > 80 and '/' not in line: # a long path is not wrapped
            fail(where, 'a line of %d columns: %s' % (len(line), line[:60]))
            break

for name in KEYS:
    for key in KEYS[name].split():
        if '"%s"' % key not in page:
            fail('docs/json.md', '%s of %s is not in it' % (key, name))
n = 0
for path in sys.argv[3:]:
    for job in ('info', 'explain', 'validate', 'check', 'compare'):
        run = subprocess.run([whylate, job, '--json', path], capture_output=True, stdin=subprocess.DEVNULL)
        where = '%s %s' % (job, path)
        if run.returncode == 3 or (job == 'compare' and run.returncode == 2):
            continue
        if run.returncode != 0:
            fail(where, 'status %d: %s' % (run.returncode, run.stderr[:200]))
            continue
        n += 1
        check(where, job, json.loads(run.stdout.decode('utf-8')))
        text = subprocess.run([whylate, job, path], capture_output=True, stdin=subprocess.DEVNULL)
        if text.returncode != 0:
            fail(where, 'as text: status %d' % text.returncode)
        text_width(where, text.stdout)
print('%d documents, %d faults' % (n, bad))
sys.exit(bad > 0 or n == 0)
PY
IFS='
'
python3 "$check" "${whylate:-$top/build/whylate}" "$top" $inputs
