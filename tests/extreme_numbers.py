#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""extreme_numbers.py WHYLATE SEED N: N times, some numbers of a test text become the ends of the integer types, and others that
overflow when a unit is applied; whylate explains and validates the result. No answer is wrong here, but an end by signal, a
word of a sanitizer or a run of more than 60 s is. What failed is printed with the line that shows it; exit 1."""
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

EXTREMES = [b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808", b"18446744073709551615", b"4294967295",
            b"4294967296", b"2147483647", b"2147483648", b"-2147483648", b"99999999999999999999999", b"2817239396334257900",
            b"9223372036854775", b"9223372036", b"-1", b"0", b"1e308", b"nan", b"4503599627370517", b"153722867280912930",
            b"106751991167300"]


def mutate(random_source, text):
    numbers = list(re.finditer(rb"\d+(?:\.\d+)?", text))
    picks = random_source.sample(numbers, min(random_source.choice([1, 1, 2, 3, 5, 20]), len(numbers)))
    mostly = random_source.choice(EXTREMES)
    for match in sorted(picks, key=lambda m: -m.start()):
        extreme = mostly if random_source.random() < 0.6 else random_source.choice(EXTREMES)
        text = text[:match.start()] + extreme + text[match.end():]
    return text


def fault_of(whylate, command, path):
    try:
        ended = subprocess.run([whylate, command, "--json", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    except subprocess.TimeoutExpired:
        return "more than 60 s"
    errors = ended.stderr.decode(errors="replace")
    told = re.search(r"\S+: runtime error: .*|ERROR: \w*Sanitizer.*|.*Assertion.*", errors)
    if told:
        return told.group(0)
    return "" if 0 <= ended.returncode < 6 else "exit status %d: %s" % (ended.returncode, errors[:200])


def main():
    whylate, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    random_source = random.Random(seed)
    top = os.path.dirname(os.path.abspath(__file__))
    files = sorted(f for f in glob.glob(top + "/data/**/*", recursive=True) + glob.glob(top + "/../samples/*")
                   if os.path.isfile(f) and os.path.getsize(f) < 60000)
    texts = [(f, open(f, "rb").read()) for f in files]
    texts = [(f, text) for f, text in texts if b"\0" not in text and re.search(rb"\d", text)]
    n_bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(n):
            name, text = random_source.choice(texts)
            path = os.path.join(folder, os.path.basename(name)) # its name can tell what it is
            with open(path, "wb") as out:
                out.write(mutate(random_source, text))
            for command in ("explain", "validate"):
                fault = fault_of(whylate, command, path)
                if fault:
                    n_bad += 1
                    kept = os.path.join(tempfile.gettempdir(), "extreme-%d-%d-%s" % (seed, i, os.path.basename(name)))
                    shutil.copy(path, kept)
                    print("%s %s (kept as %s): %s" % (command, os.path.relpath(name, top), kept, fault))
            os.unlink(path)
    print("seed %d: %d texts, %d bad" % (seed, n, n_bad))
    return n_bad > 0


sys.exit(main())
