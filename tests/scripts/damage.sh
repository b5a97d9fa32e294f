#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What mail programs, web pages and consoles do to a text changes none of its numbers: every text of tests/data (EVERY: of these
# each so many, default 4) is damaged in each way, and its runs, series and counts of events must be those of the text as it is.
# Left out, with the reason, is what does not hold.
set -u
top=${top:-$(cd "$(dirname "$0")/../.." && pwd)}
export whylate=${whylate:-$top/build/whylate} EVERY=${EVERY:-4}
python3 - "$top" <<'PY'
import html, json, os, quopri, re, subprocess, sys, tempfile

def lines(b): return b.rstrip(b'\n').split(b'\n')
def each(b, f): return b'\n'.join(f(l) for l in lines(b)) + b'\n'
def quoted(b): return each(b, lambda l: b'> ' + l)
def indented(b): return each(b, lambda l: b'    ' + l)
def fenced(b): return b'Hi all,\n\nthis is what I see here:\n\n```\n' + b.rstrip(b'\n') + b'\n```\n\nAny ideas?\n'

def wrapped(b):
    out = []
    for l in lines(b):
        while len(l) > 79 and l.rfind(b' ', 1, 79) > 0 and l[:l.rfind(b' ', 1, 79)].strip():
            at = l.rfind(b' ', 1, 79)
            out.append(l[:at])
            l = l[at + 1:]
        out.append(l)
    return b'\n'.join(out) + b'\n'

damages = {
    'quoted': quoted,
    'quoted twice': lambda b: quoted(quoted(b)),
    'line ends': lambda b: b.replace(b'\n', b'\r\n'),
    'indented': indented,
    'indented in prose': lambda b: b'Hi all,\n\nthis is what I see:\n\n' + indented(b) + b'\nAny ideas?\n',
    'fenced and quoted': lambda b: quoted(fenced(b)),
    'HTML': lambda b: b'<html><body><p>Hello</p>\n<pre>\n' + html.escape(b.decode('utf8', 'replace')).encode() + b'</pre>\n</body></html>\n',
    'quoted-printable': lambda b: b'Content-Transfer-Encoding: quoted-printable\nContent-Type: text/plain; charset=utf-8\n\n' + quopri.encodestring(b),
    'odd blanks': lambda b: b.replace(b'  ', b' \xc2\xa0'),
    'blanks at line ends': lambda b: each(b, lambda l: l + b'   '),
    'tabs lost': lambda b: b.replace(b'\t', b' '),
    'blanks run together': lambda b: each(b, lambda l: re.sub(rb'(?<=\S) {2,}', b' ', l)),
    'console prefix': lambda b: b'\n'.join(b'[  123.%06d] %s' % (i, l) if l else l for i, l in enumerate(lines(b))) + b'\n',
    'double spacing': lambda b: b'\n\n'.join(lines(b)) + b'\n',
    'prompts': lambda b: b'root@target:~# cat result\n' + b.rstrip(b'\n') + b'\nroot@target:~# \n',
    'wrapped': wrapped,
    'UTF-16': lambda b: b.decode('utf8', 'replace').encode('utf-16'),
}
# Not held, and why.
left_out = {
    # A console's prefix in front of a mail's marks: nobody quotes a mail on a console.
    'console prefix': lambda b: b'\n> ' in b or b.startswith(b'>') or re.match(rb'\w{3} +\d+ \d\d:', b),
    # Texts with empty lines in their tables.
    'double spacing': lambda b: b'\n\n' in b.strip(),
    # Texts that are encoded already, and a page's.
    'quoted-printable': lambda b: b'=20\n' in b or b'=3D' in b,
    'HTML': lambda b: b'&gt;' in b or b'<html' in b or b'<pre' in b,
    # A raw or hex trace is numbers alone: in prose nothing tells them from others.
    'indented in prose': lambda b: re.search(rb'^(\d+ \d+ |[0-9a-f]{8} [0-9a-f]{8} )', b, re.M),
    # Tables of perf sched, histograms of triggers, logs and function graphs are not joined again.
    'wrapped': lambda b: re.search(rb'Runtime ms|\(msec\)|# event histogram|hitcount:|host kernel:|funcgraph|FUNCTION CALLS|us \\|', b),
    # Only blanks tell that "Sep  2 00:44:35 host" is a log's.
    'odd blanks': lambda b: re.match(rb'\w{3}  \d \d\d:', b),
    # JSON in a text is found by its braces at line begins.
    'blanks run together': lambda b: b.lstrip().startswith(b'{'),
}

def numbers(path):
    run = subprocess.run([os.environ['whylate'], 'info', '--json', path], capture_output=True, timeout=60)
    if run.returncode:
        return ['status %d' % run.returncode]
    found = json.loads(run.stdout)['runs']
    keys = ('tool', 'min_ns', 'avg_ns', 'max_ns', 'n_samples')
    return [len(found), sum((r['events'] or {}).get('n') or 0 for r in found)] + sorted(str([s[k] for k in keys]) for r in found for s in r['series'])

n_checked = n_bad = 0
paths = [os.path.join(folder, f) for folder, _, files in os.walk(os.path.join(sys.argv[1], 'tests/data')) for f in files if f.endswith('.txt')]
with tempfile.TemporaryDirectory() as scratch:
    for path in sorted(paths)[::int(os.environ['EVERY'])]:
        text = open(path, 'rb').read()
        if b'\0' in text or len(text) > 60000:
            continue
        right = numbers(path)
        if right[0] == 'status 3' or right[1:] == [0]:
            continue # facts alone
        for name, damage in damages.items():
            if name in left_out and left_out[name](text):
                continue
            damaged = os.path.join(scratch, os.path.basename(path))
            with open(damaged, 'wb') as file:
                file.write(damage(text))
            n_checked += 1
            got = numbers(damaged)
            if got != right:
                n_bad += 1
                print('%s, %s: %s instead of %s' % (os.path.relpath(path, sys.argv[1]), name, got[:4], right[:4]))
print('%d damaged texts, %d read otherwise' % (n_checked, n_bad))
sys.exit(n_bad > 0 or n_checked < 100)
PY
