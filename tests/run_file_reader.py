#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run_file_reader.py DOCUMENT FILE: every field of a run file as lines of text.

An independent reader, written from docs/run-file.md alone with nothing but the standard library. It takes the members
of rows and the kinds of events from the tables of that document, so what is missing there is missing here, too.
tests/tools/run_file_dump.c prints the same from the program's own reader.
"""
import re
import struct
import sys

NONE32, NONE64, UNKNOWN64, UNKNOWN32 = 2**32 - 1, 2**64 - 1, -(2**63), -(2**31)
WIDTH = {"u32": 4, "i32": 4, "i64": 8, "u64": 8, "f64": 8, "bool": 4, "enum": 4, "string": 4, "hash": 4, "decimal": 12}


def crc_tables():
    first = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        first.append(crc)
    tables = [first]
    for _ in range(7):
        tables.append([crc >> 8 ^ first[crc & 255] for crc in tables[-1]])
    return tables


T0, T1, T2, T3, T4, T5, T6, T7 = crc_tables()


def crc32c(data):
    crc = 0xFFFFFFFF
    whole = len(data) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        word ^= crc
        crc = (T7[word & 255] ^ T6[word >> 8 & 255] ^ T5[word >> 16 & 255] ^ T4[word >> 24 & 255]
               ^ T3[word >> 32 & 255] ^ T2[word >> 40 & 255] ^ T1[word >> 48 & 255] ^ T0[word >> 56])
    for byte in data[whole:]:
        crc = crc >> 8 ^ T0[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def read_document(path):
    """Tables of rows: [(name, [(member, type)])] by number; kinds of events: {id: [(type, name)]}."""
    tables, kinds, members = {}, {}, None
    for line in open(path, encoding="utf-8"):
        heading = re.match(r"### Table (\d+): (\w+)", line)
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if heading:
            members = []
            tables[int(heading[1])] = (heading[2], members)
        elif line.startswith("#"):
            members = None
        elif members is not None and len(cells) >= 4 and cells[0].isdigit():
            assert int(cells[0]) == sum(WIDTH.get(kind, 4) for _, kind in members), line
            members.append((cells[1], cells[2]))
        elif members is None and len(cells) == 3 and cells[0].isdigit() and re.match(r"[iuxslXS]:", cells[2]):
            kinds[int(cells[0])] = [word.split(":") for word in cells[2].split()]
    return tables, kinds


class RunFile:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        data = self.data
        magic, major, _, header_bytes, alignment, _ = struct.unpack_from("<8sHHIII", data, 0)
        assert magic == b"\x89WLRUN\r\n" and (major, header_bytes, alignment) == (1, 64, 64)
        assert crc32c(data[:60]) == struct.unpack_from("<I", data, 60)[0]
        end = len(data) - 64
        magic, index, size, n = struct.unpack_from("<8sQQQ", data, end)
        assert magic == b"\x89WLEND\r\n" and size == len(data)
        assert crc32c(data[end:end + 60]) == struct.unpack_from("<I", data, end + 60)[0]
        header, entries = self.chunk(index)
        assert header["type"] == 7 and len(entries) == 72 * n == 72 * header["n"]
        self.chunks = []
        for i in range(n):
            (offset,) = struct.unpack_from("<Q", entries, 72 * i)
            assert entries[72 * i + 8:72 * i + 72] == data[offset:offset + 64]
            self.chunks.append((offset,) + self.chunk(offset))
        self.strings = {0: None}
        for _, header, payload in self.of_type(1):
            self.add_strings(header, payload)

    def chunk(self, offset):
        names = "magic type version flags crc stored plain begin end owner cpu n header_crc".split()
        header = dict(zip(names, struct.unpack_from("<IHHIIQQqqIiII", self.data, offset)))
        assert offset % 64 == 0 and header["magic"] == 0x4B434C57
        assert header["version"] == 1 or header["version"] == 2 and header["type"] == 6
        assert crc32c(self.data[offset:offset + 60]) == header["header_crc"]
        payload = self.data[offset + 64:offset + 64 + header["stored"]]
        assert crc32c(payload) == header["crc"]
        padding = self.data[offset + 64 + header["stored"]:offset + 64 + (header["stored"] + 63) // 64 * 64]
        assert not any(padding)
        if header["flags"] & 1:
            from compression import zstd  # Python 3.14
            payload = zstd.decompress(payload)
        assert header["flags"] & ~1 == 0 and len(payload) == header["plain"]
        return header, payload

    def of_type(self, kind):
        return [chunk for chunk in self.chunks if chunk[1]["type"] == kind]

    def add_strings(self, header, payload):
        ends = struct.unpack_from(f"<{header['n']}I", payload)
        start, base = 0, 4 * header["n"]
        for i, end in enumerate(ends):
            assert payload[base + end - 1] == 0
            self.strings[header["owner"] + i] = payload[base + start:base + end - 1]
            start = end


def shown(text):
    if text is None:
        return "null"
    return '"' + "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\x{c:02x}" for c in text) + '"'


def null_if(value, unknown):
    return "null" if value == unknown else str(value)


def read_rows(run, members, payload):
    row_bytes, n = struct.unpack_from("<II", payload)
    rows = []
    for i in range(n):
        at, end, row = 16 + i * row_bytes, 16 + (i + 1) * row_bytes, {}
        for name, kind in members:
            width = WIDTH.get(kind, 4)
            assert at + width <= end, "an older file"
            form = {"i32": "<i", "i64": "<q", "u64": "<Q", "f64": "<Q", "decimal": "<qHH"}.get(kind, "<I")
            values = struct.unpack_from(form, payload, at)
            if kind in ("string", "hash"):
                row[name] = shown(run.strings[values[0]])
            elif kind == "f64":
                row[name] = f"{values[0]:016x}"
            elif kind == "i64":
                row[name] = values[0] if abs(values[0]) < 1 << 62 else -(1 << 63)
            elif kind == "decimal":
                row[name] = f"{values[0]}/{values[1]}" if values[2] else "null"
            else:
                row[name] = values[0]
            at += width
        rows.append(row)
    return rows


def print_rows(name, rows, single=False):
    for i, row in enumerate(rows):
        print(name, 0 if single else i, " ".join(f"{key}={value}" for key, value in row.items()))


def print_series(run, new, old, names):
    for _, header, payload in run.of_type(3):
        if header["owner"] == old:
            n = header["n"]
            for low, count in zip(struct.unpack_from(f"<{n}q", payload), struct.unpack_from(f"<{n}Q", payload, 8 * n)):
                print("bin", new, low, count)
    for _, header, payload in run.of_type(4):
        if header["owner"] == old:
            for cycle in struct.unpack(f"<{header['n']}Q", payload):
                print("cycle", new, cycle)
    for name in names:
        print("counter-name", new, name)
    for _, header, payload in run.of_type(5):
        if header["owner"] == old:
            print_samples(new, header["n"], payload)


def print_samples(series, n, payload):
    columns, n_counters, first = struct.unpack_from("<IIQ", payload)
    at = 64

    def column(form):
        nonlocal at
        at += 8 * n
        return struct.unpack_from(f"<{n}{form}", payload, at - 8 * n)

    latency = column("q")
    times = column("q") if columns & 1 else [UNKNOWN64] * n
    cycles = column("Q") if columns & 2 else [NONE64] * n if first == NONE64 else range(first, first + n)
    counters = [column("Q") for _ in range(n_counters)]
    assert at == len(payload)
    for i in range(n):
        print("sample", series, null_if(times[i], UNKNOWN64), null_if(cycles[i], NONE64), null_if(latency[i], UNKNOWN64),
              *[null_if(counter[i], NONE64) for counter in counters])


def print_state(run, header, payload):
    time, tid, prio, comm, n_open, since = struct.unpack_from("<qiiIIq", payload, 64)
    contexts = ""
    for i in range(min(n_open, 12)):
        kind, number, name, _, begin = struct.unpack_from("<iiIIq", payload, 64 + 32 + 24 * i)
        contexts += f" [{kind} {number} {shown(run.strings[name])} {null_if(begin, UNKNOWN64)}]"
    print("state", header["owner"], header["cpu"], null_if(time, UNKNOWN64), tid, prio, shown(run.strings[comm]),
          null_if(since, UNKNOWN64), f"{n_open}{contexts}")


class Columns:
    """The columns of an event chunk of version 2, taken one after the other."""

    def __init__(self, payload, descriptors, at):
        self.payload, self.descriptors, self.at = payload, descriptors, at

    def take(self, count, bits):
        base, width = next(self.descriptors)
        assert width in (0, 1, 2, 4, 8) and 8 * width <= bits
        form = {0: "", 1: "B", 2: "H", 4: "I", 8: "Q"}[width]
        numbers = struct.unpack_from(f"<{count}{form}", self.payload, self.at) if width else (0,) * count
        self.at += padded(self.payload, self.at, width * count)
        return [(base + number) % 2**bits for number in numbers]


def padded(payload, at, size):
    whole = (size + 7) // 8 * 8
    assert not any(payload[at + size:at + whole])
    return whole


def signed(value, bits):
    return value - 2**bits if value >= 2**(bits - 1) else value


def read_events(header, payload):
    """Each event of a chunk of version 2 as (time, tid, flags, kind, words); string words are ids of the file."""
    n = header["n"]
    _, n_words, n_kinds, n_columns, n_flags, n_strings = struct.unpack_from("<6I", payload)
    assert not any(payload[24:64]) and n <= 65536 and n_words <= 2**22
    at = 384
    kinds = [struct.unpack_from("<HBBIIHH", payload, at + 16 * k) for k in range(n_kinds)]
    at += 16 * n_kinds
    descriptors = []
    for _ in range(n_columns):
        base, width, zeros = struct.unpack_from("<QB7s", payload, at)
        assert not any(zeros)
        descriptors.append((base, width))
        at += 16
    flag_table = struct.unpack_from(f"<{n_flags}I", payload, at)
    at += padded(payload, at, 4 * n_flags)
    strings = struct.unpack_from(f"<{n_strings}I", payload, at)
    at += padded(payload, at, 4 * n_strings)
    columns = Columns(payload, iter(descriptors), at)
    times, tids, flags, index = (columns.take(n, bits) for bits in (64, 32, 32, 32))
    rows = []
    for _, n_arguments, has_list, count, n_list, wide, is_string in kinds:
        of_kind = [[] for _ in range(count)]
        for a in range(n_arguments):
            for words, value in zip(of_kind, columns.take(count, 64 if wide >> a & 1 else 32)):
                words += [value & NONE32, value >> 32] if wide >> a & 1 else [strings[value] if is_string >> a & 1 else value]
        if has_list:
            lengths = columns.take(count, 32)
            names = iter(columns.take(n_list, 32))
            assert sum(lengths) == n_list
            for words, length in zip(of_kind, lengths):
                words += [strings[next(names)] for _ in range(length)]
        else:
            assert n_list == 0
        rows.append(iter(of_kind))
    assert columns.at == len(payload) and next(columns.descriptors, None) is None
    events = [(signed(times[i], 64), signed(tids[i], 32), flag_table[flags[i]], kinds[index[i]][0], next(rows[index[i]]))
              for i in range(n)]
    assert all(next(row, None) is None for row in rows) and sum(len(event[4]) for event in events) == n_words
    return events


def read_events_1(header, payload):
    n = header["n"]
    _, n_words = struct.unpack_from("<II", payload)
    at = 384

    def column(form, count):
        nonlocal at
        values = struct.unpack_from(f"<{count}{form}", payload, at)
        at += (struct.calcsize(f"<{count}{form}") + 63) // 64 * 64
        return values

    times, tids, flags = column("q", n), column("i", n), column("I", n)
    args, kind, words = column("I", n), column("H", n), column("I", n_words)
    assert at == len(payload)
    ends = args[1:] + (n_words,)
    return [(times[i], tids[i], flags[i], kind[i], words[args[i]:ends[i]]) for i in range(n)]


def print_events(run, header, payload, kinds):
    (flags_known,) = struct.unpack_from("<I", payload)
    events = (read_events_1 if header["version"] == 1 else read_events)(header, payload)
    assert (events[0][0], events[-1][0]) == (header["begin"], header["end"])
    for time, tid, flags, kind, words in events:
        w, out = 0, []
        for letter, name in kinds[kind]:
            if letter == "S":
                out.append(name + "=" + "".join(shown(run.strings[s]) + "," for s in words[w:]))
                w = len(words)
            elif letter == "s":
                out.append(f"{name}={shown(run.strings[words[w]])}")
                w += 1
            elif letter in "lX":
                out.append(f"{name}={signed(words[w] | words[w + 1] << 32, 64)}")
                w += 2
            else:
                out.append(f"{name}={words[w]}")
                w += 1
        assert w == len(words)
        print("event", time, tid, kind, f"{flags:08x} {flags_known:08x}", *out)


def main(document, path):
    tables, kinds = read_document(document)
    run = RunFile(path)
    rows = {name: [] for name, _ in tables.values()}
    for _, header, payload in run.of_type(2):
        name, members = tables[header["owner"]]
        rows[name] = read_rows(run, members, payload)
        assert len(rows[name]) == header["n"]
    order = sorted(range(len(rows["series"])), key=lambda i: rows["series"][i]["run"])  # new place -> old
    new_of = {old: new for new, old in enumerate(order)}
    for claim in rows["claims"]:
        claim["series"] = new_of.get(claim["series"], NONE32)
    series_counters = [[row["name"] for row in rows["sample_counters"] if row["series"] == old] for old in order]
    rows["series"] = [rows["series"][i] for i in order]
    rows["gaps"].sort(key=lambda gap: (gap["run"], gap["stream"], gap["begin_ns"]))
    del rows["sample_counters"]
    for name, table in rows.items():
        print_rows(name, table, single=name in ("claim_parts", "claim_stacks"))
    for new, old in enumerate(order):
        print_series(run, new, old, series_counters[new])
    streams = rows["streams"]
    events = sorted(run.of_type(6), key=lambda c: (streams[c[1]["owner"]]["run"], c[1]["owner"], c[1]["cpu"], c[1]["begin"], c[1]["end"]))
    for _, header, payload in events:
        print_state(run, header, payload)
        print_events(run, header, payload, kinds)


if __name__ == "__main__":
    main(*sys.argv[1:3])
