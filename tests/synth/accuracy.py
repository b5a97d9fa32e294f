#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted causes against what explain says.

Every trace is made by synth from a seed: with its evidence, with the evidence left out (--hide), and with nothing
planted. Prints a confusion matrix, precision and recall per cause; exit 1 when

  * with evidence, a cause's precision or recall is below 0.99 (reduced: 0.95),
  * without evidence, a wrong cause is said with confidence 'proven' or 'likely' (none allowed),
  * the same planted cause gets another answer from trace.dat than from text.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

CONFIDENT = ("proven", "likely")


def rows(path):
    with open(path) as file:
        for line in file:
            if line.startswith("#"):
                continue
            cpu, tid, due, end, amount, cause, hidden, culprit = line.rstrip("\n").split("\t")
            yield dict(cpu=int(cpu), tid=int(tid), due=int(due), end=int(end), amount=int(amount), cause=cause,
                       hidden=hidden == "1", culprit=culprit)


def explain(whylate, path, task, top, kernel):
    command = [whylate, "explain", "--json", "--top", str(top), "--task", str(task), path]
    release, model = kernel
    if path.endswith(".txt"):  # a trace as text does not say of which kernel it is
        command += ["--set", "kernel.release=" + release]
    if model not in ("rt", "cobalt"):  # and none says whether a plain kernel is preemptible
        command += ["--set", "kernel.preempt=" + model]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def matching(outliers, truth, slack_ns):
    for outlier in outliers:
        # A window that holds less than half of what was planted (its due time is not in the trace) is about something else.
        if (outlier["tid"] == truth["tid"] and outlier["end_ns"] is not None and
                abs(outlier["end_ns"] - truth["end"]) <= slack_ns and 2 * outlier["latency_ns"] >= truth["amount"]):
            return outlier
    return None


def is_false_alarm(outlier, planted, slack_ns):
    """Late by as much as what is planted, with a name and confidence, where nothing was planted."""
    return (outlier["latency_ns"] > 55000 and outlier["confidence"] in CONFIDENT and
            # After a step of the clock it takes a few expiries until due times are known again.
            not (outlier["cause"] == "clock-jump" and any(t["cause"] == "clock-jump" and 0 < outlier["end_ns"] - t["end"] < 10**7 for t in planted)) and
            not any(abs(outlier["end_ns"] - t["end"]) <= 20000 + slack_ns or t["due"] <= outlier["end_ns"] <= t["end"] + 1000000
                    for t in planted))


FAST_FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # None: tempfile's choice


def answer_of(outlier):
    if outlier is None:
        return ("(not found)", None, None)
    return (outlier["cause"], outlier["confidence"], outlier["culprit"])


def one_trace(job):
    """Returns a list of (truth, answer, kind of trace, where) rows."""
    synth, whylate, seed, n_outliers, kind, clock, machine = job
    results = []
    with tempfile.TemporaryDirectory(dir=FAST_FOLDER) as folder:
        dat, text, truths = (os.path.join(folder, name) for name in ("trace.dat", "trace.txt", "truth"))
        command = [synth, "--seed", str(seed), "--outliers", str(n_outliers), "--dat", dat, "--text", text, "--truth", truths,
                   "--clock", clock]
        if machine:
            command.append(machine)
        if kind == "hidden":
            command.append("--hide")
        subprocess.run(command, check=True)
        planted = list(rows(truths))
        if not planted:
            return results
        with open(truths) as file:
            kernel = file.readline().split()[1:3]
        where = f"synth {' '.join(command[1:5])} --clock {clock}{' ' + machine if machine else ''}{' --hide' if kind == 'hidden' else ''}"
        forms = [("dat", dat, 2000)]
        if seed % 4 == 0:
            forms.append(("text", text, 4000))
        for form, path, slack in forms:
            documents = {tid: explain(whylate, path, tid, len(planted) + 10, kernel) for tid in {t["tid"] for t in planted}}
            for truth in planted:
                outlier = matching(documents[truth["tid"]]["outliers"], truth, slack)
                if outlier and sum(s["amount_ns"] for s in outlier["slices"]) != outlier["latency_ns"]:
                    results.append((truth, ("(slices do not sum)", "proven", None), kind + "/" + form, where))
                    continue
                gone = kind == "hidden" or truth["hidden"]
                results.append((truth, answer_of(outlier), ("hidden/" if gone else "shown/") + form, where))
            results += [(dict(cause="(nothing)", culprit="", amount=o["latency_ns"], end=o["end_ns"]), answer_of(o), "hidden/" + form, where)
                        for tid in documents for o in documents[tid]["outliers"] if is_false_alarm(o, planted, slack)]
    return results


# What explain says of whole traces, with the false-alarm rate that it states itself (values.false_alarm_rate), and the
# codes that must not be said at all of a trace in which nothing happened.
STATED_RATES = {"storm": 0.001, "rhythm": 0.01, "coincidence": 0.001, "contrast": 0.01}
NEVER = ("timer-cascade", "cache-miss", "frequency", "irq-storm")


def kind_of_alarm(finding):
    values = finding["values"]
    if "odds_ratio" in values:
        return "contrast"
    if finding["code"] == "irq-storm" and "false_alarm_rate" in values:
        return "storm"
    return {"periodic-outliers": "rhythm", "simultaneous-maxima": "coincidence"}.get(finding["code"], finding["code"])


def null_trace(job):
    """The alarms about a trace in which nothing happened, each with the rate that it states."""
    synth, whylate, seed = job
    with tempfile.TemporaryDirectory(dir=FAST_FOLDER) as folder:
        dat = os.path.join(folder, "trace.dat")
        subprocess.run([synth, "--seed", str(seed), "--outliers", "0", "--dat", dat], check=True)
        done = subprocess.run([whylate, "explain", "--json", dat], check=True, stdout=subprocess.PIPE)
        return {(kind_of_alarm(f), f["values"].get("false_alarm_rate")) for f in json.loads(done.stdout)["findings"]}


def ipipe_dump(job):
    """Planted section and answer of one I-pipe dump; its stamps are whole us, its delays ns."""
    synth, whylate, seed = job
    with tempfile.TemporaryDirectory(dir=FAST_FOLDER) as folder:
        dump, truths = os.path.join(folder, "max"), os.path.join(folder, "truth")
        subprocess.run([synth, "--seed", str(seed), "--ipipe", dump, "--truth", truths], check=True)
        truth = next(rows(truths))
        done = subprocess.run([whylate, "explain", "--json", dump], check=True, stdout=subprocess.PIPE)
        outliers = json.loads(done.stdout)["outliers"]
        found = len(outliers) == 1 and abs(outliers[0]["latency_ns"] - truth["end"]) <= 1000
        return (truth, answer_of(outliers[0] if found else None), "shown/ipipe", f"synth --seed {seed} --ipipe")


def three_forms(job):
    """One planted cause as trace.dat, as text and as an I-pipe dump: what is wrong with the answers, or None."""
    synth, whylate, seed = job
    with tempfile.TemporaryDirectory(dir=FAST_FOLDER) as folder:
        dat, text, dump, truths = (os.path.join(folder, name) for name in ("trace.dat", "trace.txt", "frozen", "truth"))
        subprocess.run([synth, "--seed", str(seed), "--cobalt", "--only", "higher cobalt", "--outliers", "3", "--clock", "local", "--dat", dat,
                        "--text", text, "--ipipe", dump, "--truth", truths], check=True)
        truth = next(rows(truths))
        answers = {}
        for form, path, slack in (("dat", dat, 2000), ("text", text, 4000)):
            answers[form] = matching(explain(whylate, path, truth["tid"], 20, ("-", "cobalt"))["outliers"], truth, slack)
        done = subprocess.run([whylate, "explain", "--json", dump], check=True, stdout=subprocess.PIPE)
        answers["ipipe"] = next(iter(json.loads(done.stdout)["outliers"]), None)
        said = {form: (o["cause"], f":{1400 + truth['cpu']}" in (o["culprit"] or "") or str(1400 + truth["cpu"]) in (o["culprit"] or "").split(),
                       o["confidence"] in CONFIDENT, 0.7 < o["latency_ns"] / truth["amount"] < 1.5) if o else None
                for form, o in answers.items()}
        if set(said.values()) != {("higher-priority-task", True, True, True)}:
            return f"three forms, seed {seed}: {said}"
    return None


def most_alarms(n, rate):
    """What a true rate is exceeded by in fewer than 1 of 1,000 repeats."""
    at_most, probability, k = (1 - rate) ** n, (1 - rate) ** n, 0
    while at_most < 0.999:
        k += 1
        probability *= (n - k + 1) / k * rate / (1 - rate)
        at_most += probability
    return k


def null_traces(arguments, pool, n):
    alarms, failures = collections.Counter(), []
    for found in pool.map(null_trace, [(arguments.synth, arguments.whylate, 5000 + i) for i in range(n)]):
        alarms.update({kind for kind, _ in found})
        failures += [f"{kind}: states a false-alarm rate of {rate}, not {STATED_RATES[kind]}" for kind, rate in found
                     if kind in STATED_RATES and rate != STATED_RATES[kind]]
    print(f"\nNothing planted, {n} traces: alarms against the stated false-alarm rate")
    for kind, rate in STATED_RATES.items():
        print(f"    {kind:12}{alarms[kind]:5}  {100 * alarms[kind] / n:6.2f} %  stated {100 * rate:5.2f} %")
        if alarms[kind] > most_alarms(n, rate):
            failures.append(f"{kind}: {alarms[kind]} false alarms in {n} traces, stated {rate}")
    failures += [f"{code}: {alarms[code]} times where nothing was planted" for code in NEVER if alarms[code]]
    return failures


def is_right(truth, answer):
    cause, confidence, culprit = answer
    # A wait with a hole in it need not be one wait: to say nothing is as right as to say that events were lost.
    if truth["cause"] == "lost-events" and (cause in ("(not found)", "unexplained") or confidence in ("possible", "unknown")):
        return True
    return cause == truth["cause"] and (not truth["culprit"] or truth["culprit"] in (culprit or ""))


def print_matrix(counts):
    """Rows: planted. Columns: said."""
    planted = sorted({p for p, _ in counts})
    said = sorted({s for _, s in counts})
    letters = {cause: chr(ord("a") + i) if i < 26 else chr(ord("A") + i - 26) for i, cause in enumerate(said)}
    print(f"{'planted':24}" + "".join(f"{letters[s]:>5}" for s in said) + "   recall  precision")
    bad = []
    for p in planted:
        row = [counts.get((p, s), 0) for s in said]
        total, right = sum(row), counts.get((p, p), 0)
        claimed = sum(counts.get((q, p), 0) for q in planted)
        recall, precision = right / total, right / claimed if claimed else 0.0
        print(f"{p:24}" + "".join(f"{n or '.':>5}" for n in row) + f"   {recall:6.3f}  {precision:6.3f}")
        bad.append((p, recall, precision))
    print("said: " + ", ".join(f"{letters[s]} {s}" for s in said))
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--synth", required=True)
    parser.add_argument("--whylate", required=True)
    parser.add_argument("--reduced", action="store_true")
    parser.add_argument("--seed", type=int, default=None, help="of the fresh part; printed")
    parser.add_argument("--show", type=int, default=12, help="how many errors to print")
    arguments = parser.parse_args()
    fresh = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6, 10**9)
    n_traces = 6 if arguments.reduced else 120
    limit = 0.95 if arguments.reduced else 0.99
    seeds = list(range(1, n_traces * 4 // 5 + 1)) + [fresh + i for i in range(n_traces - n_traces * 4 // 5)]
    jobs = [(arguments.synth, arguments.whylate, seed, 20, "shown", "local" if seed % 3 == 0 else "mono", "") for seed in seeds]
    jobs += [(arguments.synth, arguments.whylate, seed, 10, "hidden", "mono", "") for seed in seeds]
    jobs += [(arguments.synth, arguments.whylate, seed, 20, "shown", "local", "--cobalt") for seed in seeds[1::2]]
    jobs += [(arguments.synth, arguments.whylate, seed, 10, "hidden", "local", "--cobalt") for seed in seeds[::4]]
    jobs += [(arguments.synth, arguments.whylate, seed, 20, "shown", "local", "--evl") for seed in seeds[::2]]
    jobs += [(arguments.synth, arguments.whylate, seed, 10, "hidden", "local", "--evl") for seed in seeds[2::4]]
    jobs += [(arguments.synth, arguments.whylate, seed, 20, "shown", "wild", "") for seed in seeds[1::3]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = [row for rows_of_trace in pool.map(one_trace, jobs) for row in rows_of_trace]
        results += pool.map(ipipe_dump, [(arguments.synth, arguments.whylate, seed) for seed in seeds])
        failures, errors = null_traces(arguments, pool, 50 if arguments.reduced else 1000), []
        apart = [wrong for wrong in pool.map(three_forms, [(arguments.synth, arguments.whylate, seed) for seed in seeds]) if wrong]
        print(f"\nOne planted cause as trace.dat, text and I-pipe dump: {len(seeds)}, {len(seeds) - len(apart)} with the same answer")
        failures += apart

    for form in ("dat", "text", "ipipe"):
        shown = [r for r in results if r[2] == "shown/" + form]
        counts = collections.Counter()
        for truth, answer, _, where in shown:
            right = is_right(truth, answer)
            said = truth["cause"] if right else answer[0] if answer[0] != truth["cause"] else "(wrong culprit)"
            counts[truth["cause"], said] += 1
            if not right:
                errors.append((truth, answer, form, where))
        if not counts:
            continue
        print(f"\nWith its evidence, {form}: {len(shown)} outliers, {sum(n for (p, s), n in counts.items() if p == s)} right\n")
        for cause, recall, precision in print_matrix(counts):
            if recall < limit or precision < limit:
                failures.append(f"{cause} ({form}): recall {recall:.3f}, precision {precision:.3f}")

    hidden = [r for r in results if r[2].startswith("hidden")]
    wrong = [r for r in hidden if not is_right(r[0], r[1]) and r[1][1] in CONFIDENT]
    honest = collections.Counter(r[1][0] for r in hidden)
    print(f"\nWithout its evidence: {len(hidden)} outliers, {len(wrong)} wrong with confidence; said: " +
          ", ".join(f"{cause} {n}" for cause, n in honest.most_common()))
    if wrong:
        failures.append(f"{len(wrong)} wrong names with confidence where the evidence was left out")
        errors += [(t, a, k, w) for t, a, k, w in wrong]

    by_cause = collections.Counter()
    for truth, answer, form, where in errors:
        key = (truth["cause"], answer[0], form)
        by_cause[key] += 1
        if by_cause[key] <= 2 and len(by_cause) <= arguments.show:
            print(f"    {form}: planted {truth['cause']} '{truth['culprit']}' of {truth['amount']} ns ending at {truth['end']}, "
                  f"said {answer[0]} '{answer[2]}' ({answer[1]})  [{where}]")
    print(f"\nfresh seed {fresh}")
    for failure in failures:
        print("FAILED  " + failure)
    sys.exit(1 if failures else 0)


main()
