/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dumps of the I-pipe tracer: /proc/ipipe/trace/max (the longest path with hardware interrupts off), /proc/ipipe/trace/frozen
 * (what went before a freeze), and the log that a panic prints. Kernels 2.6.14 to 5.4 with the I-pipe patch
 * (kernel/ipipe/tracer.c).
 *
 *     I-pipe worst-case tracing service on 4.19.190-ipipe/ipipe release #15
 *     CPU: 0, Begin: 833110612 cycles, Trace Points: 5 (-10/+1), Length: 3650 us
 *     >| #begin   0x80000000     0+   1.190  ipipe_enter_cpuidle+0x70 (<00000000>)
 *
 * Odd: the time column has whole us, so times are rebuilt by adding up the delays from the reference point. With several CPUs
 * `max` shows the first one's path, not the worst (a stray break in all versions from 1.10-08 on).
 */
#include "importers/ipipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define N_POINTS_MAX 1000000
#define OVERHEAD_MOST_NS 1000000 /* of one trace point; measured ones are below 2 us */

enum ipipe_dump { DUMP_MAX = 1, DUMP_FROZEN, DUMP_PANIC };

struct ipipe_point {
    struct ipipe_row row;
    int64_t time_ns;
};

struct ipipe_reader {
    enum ipipe_dump dump;
    bool is_verbose;
    char kernel[96];
    int32_t cpu;
    int64_t n_points, n_after; /* as announced; -1: not said */
    int64_t n_before;          /* may be negative */
    bool has_before;
    int64_t length_us;                   /* -1: not said */
    int64_t overhead_ns;                 /* NS_UNKNOWN */
    uint64_t line;
    char text[160];
    struct ipipe_point *points;
    size_t n, capacity;
    uint64_t n_unused, n_wrapped;
    struct arena arena; /* what the rows point to */
    bool is_cut;        /* lines were taken out */
};

static enum ipipe_dump dump_of(const struct line *line)
{
    if (line_has(line, "I-pipe worst-case tracing service on "))
        return DUMP_MAX;
    if (line_has(line, "I-pipe frozen back-tracing service on "))
        return DUMP_FROZEN;
    return line_has(line, "I-pipe tracer log (") ? DUMP_PANIC : 0;
}

static struct probe_result ipipe_probe(struct lines *lines, const struct member *member)
{
    struct line line;
    (void)member;
    if (!lines_peek(lines, 0, &line) || !dump_of(&line))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){CERTAIN, NULL};
}

/* ---- the header ---- */

static bool take_after(const struct line *line, const char *key, int64_t *value)
{
    const char *end = line->text + line->length, *p = line_find(line, key);
    if (!p)
        return false;
    p += strlen(key);
    scan_blanks(&p, end);
    return scan_i64(&p, end, value);
}

/* "Begin: N cycles, Trace Points: a (-b/+c), Length: L us"; frozen: "Freeze: N cycles, Trace Points: a (+c)". */
static void take_counts(struct ipipe_reader *reader, const struct line *line)
{
    int64_t n;
    if (take_after(line, "CPU:", &n) && n >= 0 && n < 8192)
        reader->cpu = (int32_t)n;
    if (take_after(line, "Trace Points:", &n) && n >= 0 && n < N_POINTS_MAX)
        reader->n_points = n;
    const char *open = line_find(line, " (-");
    if (open) {
        const char *p = open + 3, *end = line->text + line->length;
        reader->has_before = scan_i64(&p, end, &n) && n < N_POINTS_MAX && n > -N_POINTS_MAX; /* "(--20/+50)": the ring was full */
        reader->n_before = n;
    }
    if (take_after(line, "+", &n) && n >= 0 && n < N_POINTS_MAX)
        reader->n_after = n;
    if (take_after(line, "Length:", &n) && n >= 0)
        reader->length_us = n;
    reader->line = line->number;
    snprintf(reader->text, sizeof reader->text, "%.*s", (int)(line->length < 159 ? line->length : 159), line->text);
}

/* "Calibrated minimum trace-point overhead: 0.634 us" */
static void take_overhead(struct ipipe_reader *reader, const struct line *line)
{
    const char *p = line_find(line, "overhead:"), *end = line->text + line->length;
    if (!p)
        return;
    p += strlen("overhead:");
    scan_blanks(&p, end);
    int64_t ns;
    if (scan_decimal(&p, end, 3, &ns) && ns >= 0 && ns <= OVERHEAD_MOST_NS)
        reader->overhead_ns = ns;
}

static void take_title(struct ipipe_reader *reader, const struct line *line)
{
    const char *p = line_find(line, " on "), *end = line->text + line->length;
    if (!p)
        return;
    p += 4;
    const char *slash = memmem(p, (size_t)(end - p), "/ipipe", 6);
    int n = (int)((slash ? slash : end) - p);
    snprintf(reader->kernel, sizeof reader->kernel, "%.*s", n < 95 ? n : 95, p);
}

/* Everything up to the line that names the columns. False: the dump ends before. */
static bool take_header(struct ipipe_reader *reader, struct lines *lines)
{
    struct line line;
    static const int max_lines = 60; /* old versions warn about the kernel's configuration here */
    lines_peek(lines, 0, &line);
    reader->dump = dump_of(&line);
    take_title(reader, &line);
    if (reader->dump == DUMP_PANIC) {
        int64_t n;
        if (take_after(&line, "tracer log (", &n) && n >= 0 && n < N_POINTS_MAX)
            reader->n_points = n;
        reader->is_verbose = true;
        lines_skip(lines, 1);
        return true;
    }
    lines_skip(lines, 1);
    for (int i = 0; i < max_lines && lines_peek(lines, 0, &line); i++) {
        if (dump_of(&line))
            return false;
        lines_skip(lines, 1);
        if (line_has(&line, "Trace Points:"))
            take_counts(reader, &line);
        else if (line_has(&line, "overhead:"))
            take_overhead(reader, &line);
        else if (line_has(&line, "Function (Parent)")) {
            reader->is_verbose = line_has(&line, "Delay");
            return true;
        }
    }
    return false;
}

/* ---- rows ---- */

static void keep_point(struct ipipe_reader *reader, const char *text, size_t length, const struct ipipe_row *row)
{
    char *kept = arena_string_n(&reader->arena, text, length);
    memory_reserve(reader->points, reader->capacity, reader->n + 1);
    struct ipipe_point *point = &reader->points[reader->n++];
    point->row = *row;
    point->row.function = kept + (row->function - text);
    point->row.parent = kept + (row->parent - text);
    if (row->comm)
        point->row.comm = kept + (row->comm - text);
    if (row->what)
        point->row.what = kept + (row->what - text);
}

/* Panic dumps of newer kernels, and mail, may spread a row over several lines: it ends at its parent's ')'. */
static size_t join_row(struct lines *lines, bool is_wrapped, struct text *joined)
{
    struct line line;
    text_truncate(joined, 0);
    for (size_t k = 0; k < 8 && lines_peek(lines, k, &line); k++) {
        size_t n = line.length;
        while (n && (line.text[n - 1] == ' ' || line.text[n - 1] == '\r'))
            n--;
        if (is_wrapped && k)
            text_add_char(joined, ' ');
        text_add_n(joined, line.text, n);
        if (n && line.text[n - 1] == ')')
            return k + 1;
    }
    return 0;
}

/* A row whose columns moved (indented, blanks run together), or that a mail program wrapped. Returns its lines; 0: none. */
static size_t take_damaged_row(const struct ipipe_reader *reader, struct lines *lines, const struct line *line, struct text *joined,
                               struct text *straight)
{
    if (ipipe_straighten(line->text, line->length, reader->is_verbose, straight))
        return 1;
    size_t n = line_is_blank(line) ? 0 : join_row(lines, true, joined);
    return n > 1 && ipipe_straighten(text_string(joined), joined->length, reader->is_verbose, straight) ? n : 0;
}

static bool take_point(struct ipipe_reader *reader, struct lines *lines, const struct line *line, struct text *joined)
{
    struct ipipe_row row;
    bool has_mark = reader->dump != DUMP_PANIC;
    if (ipipe_row_parse(line->text, line->length, reader->is_verbose, has_mark, &row)) {
        keep_point(reader, line->text, line->length, &row);
        lines_skip(lines, 1);
        return true;
    }
    struct text straight = {0}, *whole = has_mark ? &straight : joined;
    size_t n = has_mark ? take_damaged_row(reader, lines, line, joined, &straight) : join_row(lines, false, joined);
    bool is_row = n >= (has_mark ? 1 : 2) && ipipe_row_parse(text_string(whole), whole->length, reader->is_verbose, has_mark, &row);
    if (is_row) {
        keep_point(reader, text_string(whole), whole->length, &row);
        lines_skip(lines, n);
    }
    reader->n_wrapped += is_row && n > 1;
    text_release(&straight);
    return is_row;
}

static void take_points(struct ipipe_reader *reader, struct lines *lines)
{
    struct line line;
    struct text joined = {.max_length = 4096};
    while (reader->n < N_POINTS_MAX && lines_peek(lines, 0, &line)) {
        if (take_point(reader, lines, &line, &joined))
            continue;
        bool is_dots = line_starts(&line, "...") || line_starts(&line, "[...");
        if (is_dots)
            reader->is_cut = true;
        if (ipipe_row_is_unused(line.text, line.length))
            reader->n_unused++;
        else if (!is_dots)
            break;
        lines_skip(lines, 1);
    }
    text_release(&joined);
}

/* ---- times ---- */

static size_t reference_of(const struct ipipe_reader *reader)
{
    char mark = reader->dump == DUMP_MAX ? '>' : '<';
    for (size_t i = 0; i < reader->n; i++)
        if (reader->points[i].row.mark == mark)
            return i;
    size_t best = 0; /* cut off: the point nearest to zero */
    for (size_t i = 1; i < reader->n; i++)
        if (llabs(reader->points[i].row.time_us) < llabs(reader->points[best].row.time_us))
            best = i;
    return best;
}

#define SLACK_NS 3000 /* rounding of the column, and of what is added up */
#define FARTHEST_US (INT64_MAX / 4000)
static int64_t column_ns(const struct ipipe_point *point)
{
    int64_t us = point->row.time_us, limit = FARTHEST_US;
    return (us > limit ? limit : us < -limit ? -limit : us) * 1000;
}

/* From a neighbour's time by the delay between the two, unless the point's own column says that they are no neighbours. */
static int64_t time_by_delay(int64_t neighbour_ns, int64_t delay_ns, bool is_before, int64_t own_ns)
{
    const int64_t limit = FARTHEST_US * 1000;
    if (delay_ns < -limit || delay_ns > limit) /* or unknown */
        return own_ns;
    int64_t sum = is_before ? neighbour_ns - delay_ns : neighbour_ns + delay_ns;
    return sum - own_ns < SLACK_NS && own_ns - sum < SLACK_NS ? sum : own_ns;
}

/*
 * Adds up the delays away from the reference point. Where the sum leaves the time column by more than its rounding, rows
 * are missing in between: the column counts.
 */
static void rebuild_times(struct ipipe_reader *reader)
{
    struct ipipe_point *points = reader->points;
    size_t reference = reference_of(reader);
    if (!reader->is_verbose || reader->dump == DUMP_PANIC) {
        for (size_t i = 0; i < reader->n; i++)
            points[i].time_ns = column_ns(&points[i]);
    } else {
        points[reference].time_ns = points[reference].row.mark == ' ' ? column_ns(&points[reference]) : 0;
        for (size_t i = reference + 1; i < reader->n; i++)
            points[i].time_ns = time_by_delay(points[i - 1].time_ns, points[i - 1].row.delay_ns, false, column_ns(&points[i]));
        for (size_t i = reference; i-- > 0;)
            points[i].time_ns = time_by_delay(points[i + 1].time_ns, points[i].row.delay_ns, true, column_ns(&points[i]));
    }
    /* A ring that was written while it was read has points of another round in it: one that alone runs ahead is brought back. */
    for (size_t i = 1; i + 1 < reader->n; i++)
        if (points[i].time_ns > points[i + 1].time_ns + SLACK_NS && points[i + 1].time_ns >= points[i - 1].time_ns) {
            points[i].time_ns = points[i - 1].time_ns;
            points[i].row.flags |= FLAG_DOUBTFUL;
        }
    for (size_t i = 1; i < reader->n; i++)
        if (points[i].time_ns < points[i - 1].time_ns && points[i].time_ns + SLACK_NS > points[i - 1].time_ns)
            points[i].time_ns = points[i - 1].time_ns;
}

static void reverse(struct ipipe_reader *reader)
{
    for (size_t i = 0, k = reader->n; i + 1 < k; i++) {
        struct ipipe_point swap = reader->points[i];
        reader->points[i] = reader->points[--k];
        reader->points[k] = swap;
    }
}

/* ---- rows of the store ---- */

static uint32_t add_stream(const struct ipipe_reader *reader, struct import *import)
{
    static const char *const names[] = {[DUMP_MAX] = "max", [DUMP_FROZEN] = "frozen", [DUMP_PANIC] = "panic"};
    struct stream stream = stream_unknown();
    stream.run = import->run;
    stream.artefact = import->artefact;
    stream.name = names[reader->dump];
    stream.clock = "ipipe";
    stream.clock_is_relative = true;
    stream.resolution_ns = reader->is_verbose && reader->dump != DUMP_PANIC ? 1 : 1000;
    stream.tracer = "ipipe";
    stream.kernel = reader->kernel[0] ? reader->kernel : NULL;
    return store_add_stream(import->store, &stream);
}

static void set_string(struct event_batch *batch, uint32_t *word, const char *text, size_t length)
{
    bool is_unknown = length == 10 && memcmp(text, "<00000000>", 10) == 0;
    if (length && !is_unknown)
        event_batch_set_string(batch, word, event_batch_intern(batch, text, length));
}

static void add_event(struct event_batch *batch, const struct ipipe_point *point)
{
    const struct ipipe_row *row = &point->row;
    const struct event_kind_info *info = event_kind_info(row->kind);
    uint32_t *words = event_batch_add(batch, point->time_ns, TID_UNKNOWN, row->kind, row->flags, info->n_words);
    uint32_t *places = words; /* function, parent, delay end every kind's arguments */
    switch (row->kind) {
    case KIND_IPIPE_FUNCTION:
        break;
    case KIND_IPIPE_SPECIAL:
        words[0] = (uint32_t)row->id;
        event_words_set_i64(&words[1], (int64_t)row->value);
        places += 3;
        break;
    case KIND_IPIPE_TASK:
        set_string(batch, &words[0], row->comm, row->comm_length);
        words[1] = (uint32_t)row->tid;
        words[2] = (uint32_t)row->prio;
        places += 3;
        break;
    case KIND_IPIPE_EVENT:
        set_string(batch, &words[0], row->what, row->what_length);
        event_words_set_i64(&words[1], row->tick_us);
        places += 3;
        break;
    default:
        event_words_set_i64(&words[0], (int64_t)row->value);
        places += 2;
    }
    set_string(batch, &places[0], row->function, row->function_length);
    set_string(batch, &places[1], row->parent, row->parent_length);
    event_words_set_i64(&places[2], row->delay_ns);
}

static const struct ipipe_point *find_mark(const struct ipipe_reader *reader, char mark)
{
    for (size_t i = 0; i < reader->n; i++)
        if (reader->points[i].row.mark == mark)
            return &reader->points[i];
    return NULL;
}

/* The latency that a freeze states: the value of its point, in ns. 0 and -1 come from freezes by hand. */
static int64_t freeze_latency(const struct ipipe_reader *reader)
{
    const struct ipipe_point *point = find_mark(reader, '<');
    if (!point || point->row.kind != KIND_IPIPE_FREEZE)
        return NS_UNKNOWN;
    uint64_t value = point->row.value;
    bool is_sentinel = value == 0 || value == UINT32_MAX || value > INT64_MAX;
    return is_sentinel || value > 3600ull * 1000000000 ? NS_UNKNOWN : (int64_t)value;
}

static const char *place(struct ipipe_reader *reader, char mark)
{
    const struct ipipe_point *point = find_mark(reader, mark);
    return point ? arena_string_n(&reader->arena, point->row.function, point->row.function_length) : NULL;
}

static void add_claim(struct ipipe_reader *reader, struct import *import, uint32_t stream, uint32_t series, int64_t latency_ns)
{
    bool is_max = reader->dump == DUMP_MAX;
    struct claim claim = claim_unknown();
    claim.run = import->run;
    claim.artefact = import->artefact;
    claim.line = reader->line;
    claim.kind = CLAIM_FREEZE;
    claim.section = is_max ? SECTION_IRQS_OFF : SECTION_WAKEUP;
    claim.series = series;
    claim.stream = stream;
    claim.cpu = reader->cpu;
    claim.latency_ns = latency_ns;
    claim.time_ns = is_max ? latency_ns : 0;
    claim.begin_ns = is_max ? 0 : -latency_ns;
    claim.end_ns = is_max ? latency_ns : 0;
    claim.started_at = is_max ? place(reader, '>') : NULL;
    claim.ended_at = place(reader, '<');
    claim.text = reader->text;
    store_add_claim(import->store, &claim);
}

/* The header's one value as a series, before the stream: a second dump in the file begins a run of its own. */
static uint32_t add_series(const struct ipipe_reader *reader, struct import *import, int64_t latency_ns)
{
    struct series series = series_unknown();
    series.name = reader->dump == DUMP_MAX ? "max" : "frozen";
    series.tool = "ipipe";
    series.path = reader->dump == DUMP_MAX ? PATH_SECTION : PATH_TIMER_WAKEUP;
    series.cpu = reader->cpu;
    series.resolution_ns = reader->dump == DUMP_MAX ? 1000 : 1;
    series.n_samples = 1;
    series.min_ns = series.max_ns = latency_ns;
    series.avg_ns = (double)latency_ns;
    series.is_block_maxima = true;
    return import_series(import, &series);
}

static void add_notes(const struct ipipe_reader *reader, struct import *import, uint32_t stream, int64_t latency_ns)
{
    int64_t announced = reader->n_points < 0 ? 0 : reader->n_points;
    announced += reader->has_before ? reader->n_before : 0;
    announced += reader->n_after > 0 ? reader->n_after : 0;
    int64_t present = (int64_t)(reader->n + reader->n_unused);
    bool lacks_end = reader->dump == DUMP_MAX && !find_mark(reader, '<');
    if (present < announced && (lacks_end || reader->is_cut || present + 1 < announced))
        import_note(import, "entries-missing", reader->line, "the header announces %lld points, the text holds %lld",
                    (long long)announced, (long long)present);
    if (lacks_end && reader->n && latency_ns != NS_UNKNOWN && reader->points[reader->n - 1].time_ns < latency_ns) {
        const struct ipipe_point *last = &reader->points[reader->n - 1];
        struct gap gap = {.run = import->run, .stream = stream, .cpu = reader->cpu < 0 ? 0 : reader->cpu,
                          .begin_ns = last->time_ns, .end_ns = latency_ns, .n_lost = COUNT_UNKNOWN, .reason = "cut out of the text"};
        store_add_gap(import->store, &gap);
    }
}

static void store_dump(struct ipipe_reader *reader, struct import *import)
{
    int64_t latency_ns = reader->dump == DUMP_FROZEN ? freeze_latency(reader)
                         : reader->dump == DUMP_MAX && reader->length_us >= 0 && reader->length_us < INT64_MAX / 1000
                             ? reader->length_us * 1000 : NS_UNKNOWN;
    if (reader->dump == DUMP_PANIC)
        reverse(reader);
    if (reader->n)
        rebuild_times(reader);
    uint32_t series = latency_ns == NS_UNKNOWN ? ROW_NONE : add_series(reader, import, latency_ns);
    uint32_t stream = add_stream(reader, import);
    struct event_sink *sink = event_sink_new(import->store, stream);
    event_sink_set_flags_known(sink, FLAG_IRQS_OFF | FLAG_HARD_IRQS_OFF |
                                         (reader->is_verbose ? FLAG_ROOT_STALLED | FLAG_HEAD_STALLED | FLAG_DOMAIN_HEAD : 0));
    int32_t cpu = reader->cpu < 0 ? 0 : reader->cpu; /* before 1.10-08 the CPU is not printed: then there is one buffer anyway */
    for (size_t i = 0; i < reader->n; i++)
        add_event(event_sink_batch(sink, cpu), &reader->points[i]);
    event_sink_free(sink);
    if (latency_ns != NS_UNKNOWN)
        add_claim(reader, import, stream, series, latency_ns);
    if (reader->kernel[0])
        import_fact(import, "kernel.release", "%s", reader->kernel);
    if (reader->overhead_ns != NS_UNKNOWN)
        import_fact(import, "ipipe.trace_overhead_ns", "%lld", (long long)reader->overhead_ns);
    add_notes(reader, import, stream, latency_ns);
    if (reader->n_wrapped)
        import_note_n(import, "repaired-text", reader->n_wrapped, reader->line, "undone: %s", repair_name(REPAIR_WRAPPED));
}

static enum status read_dump(struct import *import, struct lines *lines)
{
    struct ipipe_reader reader = {.cpu = CPU_UNKNOWN, .n_points = -1, .n_after = -1, .length_us = -1,
                                  .overhead_ns = NS_UNKNOWN};
    enum status status = OK;
    if (take_header(&reader, lines))
        take_points(&reader, lines);
    if (reader.n_points < 0 && reader.n == 0) {
        import_note(import, "file-truncated", lines_number(lines), "an I-pipe trace ends in its header");
        status = PARTIAL;
    } else {
        store_dump(&reader, import);
    }
    free(reader.points);
    arena_release(&reader.arena);
    return status;
}

static enum status ipipe_read(struct import *import, struct lines *lines, struct error *error)
{
    struct line line;
    (void)error;
    lines_peek(lines, 0, &line);
    if (!ipipe_is_flat(&line))
        return read_dump(import, lines);
    struct text text = {0};
    import_note(import, "repaired-text", line.number, "undone: line ends lost, %zu rows of an I-pipe dump in one line", ipipe_unflatten(&line, &text));
    struct lines *own = lines_new_at(text_string(&text), text.length, line.number);
    enum status status = read_dump(import, own);
    lines_free(own);
    text_release(&text);
    lines_skip(lines, 1);
    return status;
}

static const char *const ipipe_marks[] = {"I-pipe ", NULL};

const struct importer importer_ipipe = {
    .name = "ipipe",
    .summary = "I-pipe tracer: /proc/ipipe/trace/max and frozen, panic logs",
    .reads = "all layouts from 2.6.14 to 5.4: verbose or not, two or four domain columns, with or without CPU",
    .probe_lines = ipipe_probe,
    .read_lines = ipipe_read,
    .marks = ipipe_marks,
};
