#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""each_number.py TARGET [N]: every kind of number in the texts of tests/data, samples and the fuzz corpus becomes each end of
the integer types, one at a time, and goes through TARGET, the fuzz target `import` with its sanitizers. N of each kind (default
1); two numbers are of one kind where their line differs only in its digits. Each complaint is printed once, with the input it
was kept as; exit 1."""
import glob
import os
import re
import subprocess
import sys
import tempfile

EXTREMES = [b"9223372036854775807", b"9223372036854775808", b"4611686018427387904", b"9223372036854775", b"-9223372036854775808",
            b"2147483648", b"4294967296", b"18446744073709551615", b"9007199254740993", b"1e308"]
BATCH = 400
COMPLAINT = re.compile(r"\S+: runtime error: .*|ERROR: .*|.*Assertion.*")


def numbers_of(text, n_each):
    """One match, or n_each, of each kind."""
    kinds = {}
    for match in re.finditer(rb"\d+(?:\.\d+)?", text):
        begin = text.rfind(b"\n", 0, match.start()) + 1
        end = text.find(b"\n", match.end())
        before, after = (re.sub(rb"\d+", b"9", re.sub(rb"[ \t]+", b" ", part))
                         for part in (text[begin:match.start()], text[match.end():end if end >= 0 else len(text)]))
        kinds.setdefault((before, after[:10]), []).append(match)
    return [match for matches in kinds.values() for match in matches[:n_each]]


def inputs(folder, n_each):
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for pattern in ("/data/**/*", "/../samples/*", "/fuzz/corpus/**/*"):
        for name in sorted(glob.glob(top + pattern, recursive=True)):
            if not os.path.isfile(name) or os.path.getsize(name) > 60000:
                continue
            with open(name, "rb") as file:
                text = file.read()
            if b"\0" in text:
                continue
            for match in numbers_of(text, n_each):
                for extreme in EXTREMES:
                    path = os.path.join(folder, "%d-%s-%s" % (match.start(), extreme.decode(), os.path.basename(name)))
                    with open(path, "wb") as out:
                        out.write(text[:match.start()] + extreme + text[match.end():])
                    yield path


def complaints(target, batch):
    """Runs them in one process as far as it gets, and the rest in the next: (path, what was said)."""
    while batch:
        ended = subprocess.run([target, "-timeout=60", "-artifact_prefix=" + os.path.dirname(batch[0]) + "/"] + batch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if ended.returncode == 0:
            return
        errors = ended.stderr.decode(errors="replace")
        bad = (re.findall(r"Running: (.+)", errors) or batch)[-1]
        told = COMPLAINT.search(errors)
        yield bad, told.group(0) if told else errors[-300:]
        batch = batch[batch.index(bad) + 1:]


def main():
    target, n_each = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    places, n, batch = set(), 0, []

    def flush(folder):
        for bad, told in complaints(target, batch):
            place = re.sub(r"(runtime error: [a-z ]*).*", r"\1", told)
            if place not in places:
                places.add(place)
                kept = os.path.join(tempfile.gettempdir(), "number-%d-%s" % (len(places), os.path.basename(bad)))
                os.rename(bad, kept)
                print("%s\n    %s" % (kept, told), flush=True)
        batch.clear()
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))

    with tempfile.TemporaryDirectory() as folder:
        for path in inputs(folder, n_each):
            n += 1
            batch.append(path)
            if len(batch) == BATCH:
                flush(folder)
        flush(folder)
    print("%d inputs, %d places complained" % (n, len(places)))
    return len(places) > 0


sys.exit(main())
