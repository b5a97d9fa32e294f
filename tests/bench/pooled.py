#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""pooled.py A B CONTROL: what the runs of each of three programs say together.

Each argument is a folder with one file per round: "n_samples avg n_beyond", then "VALUE COUNT" lines, all in ns. The
runs of a folder are one long measurement that was cut so that the programs could take turns: its minimum is the smallest
of all, its average weighs each run by its samples (where values lie beyond the histogram, the one stated), its 99.9 % quantile is of all values together (ceil(p n)-th; None
where it lies beyond what the histogram holds). Intervals: 2,000 bootstrap draws of whole rounds, the same rounds for both
sides of a ratio, 2.5 and 97.5 %.
"""
import os
import random
import statistics
import sys

NAMES = ("min", "avg", "99.9 %")


def read(folder):
    runs = []
    for name in sorted(os.listdir(folder), key=int):
        with open(os.path.join(folder, name)) as file:
            n, avg, beyond = file.readline().split()
            values = sorted(tuple(map(int, line.split())) for line in file)
        run = {"n": int(n), "avg": float(avg), "beyond": int(beyond), "min": values[0][0]}
        if not run["beyond"]:
            run["avg"] = sum(value * count for value, count in values) / run["n"]
        # No quantile looks at more than this: 5 % of a run, enough for draws that hold one run several times.
        left, run["top"] = max(20, run["n"] // 20), []
        while values and left > 0:
            run["top"].append(values.pop())
            left -= run["top"][-1][1]
        runs.append(run)
    return runs


def quantile(runs, p=0.999):
    """Of all values together, counted from the top, which is the shorter way."""
    n = sum(r["n"] for r in runs)
    above = n - -(-int(p * 1e6) * n // 10**6)  # values that are larger than the one wanted
    above -= sum(r["beyond"] for r in runs)
    if above < 0:
        return None
    need = above + 1
    tail = sorted((item for r in runs for item in r["top"]), reverse=True)
    for value, count in tail:
        need -= count
        if need <= 0:
            return value
    return None


def pooled(runs):
    n = sum(r["n"] for r in runs)
    return min(r["min"] for r in runs), sum(r["avg"] * r["n"] for r in runs) / n, quantile(runs)


def interval(a, b, what, draws):
    ratios = []
    for rounds in draws:
        x, y = pooled([a[i] for i in rounds])[what], pooled([b[i] for i in rounds])[what]
        if x is not None and y:
            ratios.append(x / y)
    ratios.sort()
    return (ratios[int(0.025 * len(ratios))], ratios[int(0.975 * len(ratios))]) if ratios else None


def show(title, a, b, draws):
    cells = []
    one, other = pooled(a), pooled(b)
    for what in range(3):
        if one[what] is None or not other[what]:
            cells.append("%-20s" % "not measured")
            continue
        low, high = interval(a, b, what, draws)
        pairs = [x / y for x, y in ((pooled([r])[what], pooled([s])[what]) for r, s in zip(a, b)) if x is not None and y]
        cells.append("%5.3f (%5.3f-%5.3f) %5.3f" % (one[what] / other[what], low, high, statistics.median(pairs)))
    print("%-22s" % title + "  ".join("%-26s" % c for c in cells))


def main():
    agent, cyclictest, control = (read(folder) for folder in sys.argv[1:4])
    rng = random.Random(1)
    draws = [[rng.randrange(len(agent)) for _ in agent] for _ in range(2000 if len(agent) > 2 else 20)]
    print("%-12s %10s %10s %10s %12s %14s" % ("all runs, ns", *NAMES, "samples", "a run, median"))
    for name, runs in (("agent", agent), ("cyclictest", cyclictest)):
        cells = ["%10.0f" % v if v is not None else "%10s" % "-" for v in pooled(runs)]
        print("%-12s %s %12d %14d" % (name, " ".join(cells), sum(r["n"] for r in runs), statistics.median(r["n"] for r in runs)))
    print("%-22s" % "ratio" + "  ".join("%-26s" % c for c in ["%s: all (95 %%), pairs" % n for n in NAMES]))
    show("agent / cyclictest", agent, cyclictest, draws)
    show("cyclictest / itself", control, cyclictest, draws)


main()
