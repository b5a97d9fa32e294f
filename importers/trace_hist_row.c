/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One row of a hist trigger's table:
 *
 *     { pid:        612, lat: ~ 2^5  } hitcount:          4
 *     { comm: migration/5      , prio:          0, delta: ~ 10-19 } hitcount:          1
 *     { common_pid: cyclictest      [       612], lat:         17 } hitcount:          2  hitcount (%):   3.33
 *     { state:          2, stack.stacktrace         __schedule+0x1545/0x3700
 *              schedule+0xe2/0x390
 *     } hitcount:        237  delta:   99756288
 *
 * `~ 2^k` holds values above 2^(k-1) up to 2^k, 2^0 also 0 (the kernel rounds up to a power of two); `~ a-b` holds a to b. A value
 * beside hitcount is a sum over the hits.
 */
#include <stdio.h>
#include <string.h>

#include "importers/trace_hist.h"
#include "importers/wrapped.h"

#define MAX_STACK_LINES 128 /* the kernel saves 16 to 32 frames */

/* ---- which keys are times ---- */

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static bool ends_with(const char *text, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(text + length - strlen(word), word, strlen(word)) == 0;
}

/* "lat", "wakeuplat" of "wakeup_lat_2": one part of a name between underscores. */
static bool part_names_time(const char *part, size_t length)
{
    static const char *const words[] = {"lat", "latencies", "usec", "usecs", "us", "nsec", "nsecs", "ns", "duration", "dur", "elapsed"};
    static const char *const ends[] = {"latency", "delta", "delay", "usecs", "nsecs"};
    while (length && part[length - 1] >= '0' && part[length - 1] <= '9')
        length--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(part, length, words[i]))
            return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(part, length, ends[i]))
            return true;
    return length > 3 && ends_with(part, length, "lat") && !ends_with(part, length, "flat") && !ends_with(part, length, "plat");
}

bool hist_names_time(const char *name, size_t length, enum hist_unit *unit)
{
    bool is_time = is_word(name, length, "time");
    *unit = HIST_UNIT_ASSUMED;
    /* "duration/1000": nobody divides but to get us out of ns. */
    if (ends_with(name, length, "/1000")) {
        length -= 5;
        *unit = HIST_UNIT_US;
    }
    for (size_t i = 0, begin = 0; i <= length; i++) {
        if (i < length && name[i] != '_' && name[i] != '.')
            continue;
        const char *part = name + begin;
        size_t n = i - begin;
        is_time |= part_names_time(part, n);
        if (*unit == HIST_UNIT_ASSUMED && (is_word(part, n, "ns") || ends_with(part, n, "nsec") || ends_with(part, n, "nsecs")))
            *unit = HIST_UNIT_NS;
        if (*unit == HIST_UNIT_ASSUMED && (is_word(part, n, "us") || ends_with(part, n, "usec") || ends_with(part, n, "usecs")))
            *unit = HIST_UNIT_US;
        begin = i + 1;
    }
    return is_time;
}

/* ---- the trigger ---- */

/* The next word of a list "a,b.hex,c" that ends at ':'; false at its end. */
static bool next_key(const char **p, const char *end, const char **key, size_t *length)
{
    if (*p >= end || **p == ':' || **p == ' ')
        return false;
    *key = *p;
    while (*p < end && **p != ',' && **p != ':' && **p != ' ')
        ++*p;
    *length = (size_t)(*p - *key);
    if (*p < end && **p == ',')
        ++*p;
    return true;
}

/* "wakeup_lat=common_timestamp.usecs-$ts0" tells what a variable counts. */
static enum hist_unit unit_of_variable(const struct line *line, const char *name)
{
    char words[64];
    snprintf(words, sizeof words, "%s=common_timestamp", name);
    const char *p = line_find(line, words), *end = line->text + line->length;
    if (!p)
        return HIST_UNIT_ASSUMED;
    p += strlen(words);
    return scan_literal(&p, end, ".usecs") ? HIST_UNIT_US : scan_literal(&p, end, "-") ? HIST_UNIT_NS : HIST_UNIT_ASSUMED;
}

void hist_trigger_parse(const struct line *line, struct hist_trigger *trigger)
{
    bool is_osnoise = trigger->is_osnoise;
    *trigger = (struct hist_trigger){.is_osnoise = is_osnoise};
    const char *end = line->text + line->length, *p = line_find(line, "keys="), *key;
    size_t length, n = 0;
    bool has_duration = false, has_source = false;
    for (p = p ? p + 5 : end; next_key(&p, end, &key, &length);) {
        if (ends_with(key, length, ".hex") && n + length + 2 < sizeof trigger->hex_keys)
            n += (size_t)snprintf(trigger->hex_keys + n, sizeof trigger->hex_keys - n, ",%.*s,", (int)length - 4, key);
        has_duration |= length >= 8 && memcmp(key, "duration", 8) == 0;
        has_source |= is_word(key, length, "desc") || is_word(key, length, "vector");
    }
    /* osnoise:irq_noise and softirq_noise, the only events that have both. */
    trigger->is_osnoise |= has_duration && has_source;
    trigger->has_hex_counts = line_has(line, "hitcount.hex");
    const char *max = line_find(line, "onmax($");
    if (max) {
        const char *begin = max + 7, *close = memchr(begin, ')', (size_t)(end - begin));
        if (close && close - begin < (long)sizeof trigger->tracked) {
            snprintf(trigger->tracked, sizeof trigger->tracked, "%.*s", (int)(close - begin), begin);
            trigger->tracked_unit = unit_of_variable(line, trigger->tracked);
        }
    }
}

/* ---- rows ---- */

bool hist_row_begins(const struct line *line)
{
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    return end - p > 4 && p[0] == '{' && p[1] == ' ' && memchr(p, ':', (size_t)(end - p)) != NULL;
}

static void trim(const char **begin, const char **end)
{
    while (*begin < *end && **begin == ' ')
        ++*begin;
    while (*end > *begin && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
        --*end;
}

/* "12", "1f" if hexadecimal, "~ 2^5", "~ 100-199": the whole of it. */
static bool parse_value(const char *p, const char *end, bool is_hex, struct hist_row *row)
{
    uint64_t high, exponent;
    bool is_range = scan_literal(&p, end, "~");
    scan_blanks(&p, end);
    if (is_range && scan_literal(&p, end, "2^")) {
        if (!scan_u64(&p, end, &exponent) || exponent > 62 || p != end)
            return false;
        row->low = exponent ? (1ull << (exponent - 1)) + 1 : 0;
        row->width = 0;
        return true;
    }
    if (!(is_hex ? scan_hex(&p, end, &row->low) : scan_u64(&p, end, &row->low)))
        return false;
    row->width = 1;
    if (is_range) {
        if (!scan_literal(&p, end, "-") || !scan_u64(&p, end, &high) || high < row->low)
            return false;
        row->width = high - row->low + 1;
    }
    return p == end;
}

/* "612", "cyclictest      [       612]" (.execname) */
static void take_tid(const char *p, const char *end, struct hist_row *row)
{
    uint64_t tid;
    const char *open = end > p && end[-1] == ']' ? memrchr(p, '[', (size_t)(end - p)) : NULL;
    if (open && open - p < (long)sizeof row->comm) {
        const char *name = p, *name_end = open;
        trim(&name, &name_end);
        snprintf(row->comm, sizeof row->comm, "%.*s", (int)(name_end - name), name);
        p = open + 1;
        end--;
        trim(&p, &end);
    }
    if (scan_u64(&p, end, &tid) && p == end && tid <= INT32_MAX)
        row->tid = (int32_t)tid;
}

/* A key that is no time: it names the series. */
static void take_other(const char *name, size_t length, const char *p, const char *end, struct hist_row *row, char *others, size_t size)
{
    size_t n = strlen(others);
    uint64_t cpu;
    const char *s = p;
    if (ends_with(name, length, "pid"))
        take_tid(p, end, row);
    else if (ends_with(name, length, "comm") && end - p < (long)sizeof row->comm)
        snprintf(row->comm, sizeof row->comm, "%.*s", (int)(end - p), p);
    else if ((is_word(name, length, "cpu") || is_word(name, length, "common_cpu")) && scan_u64(&s, end, &cpu) && s == end && cpu < 65536)
        row->cpu = (int32_t)cpu;
    if (n + 1 < size)
        snprintf(others + n, size - n, " %.*s %.*s", (int)(length < 20 ? length : 20), name, (int)(end - p < 28 ? end - p : 28), p);
}

static bool is_hex_key(const struct hist_trigger *trigger, const char *name, size_t length)
{
    char words[64];
    snprintf(words, sizeof words, ",%.*s,", (int)(length < 50 ? length : 50), name);
    return strstr(trigger->hex_keys, words) != NULL;
}

/* The keys from p (behind "{ ") to close; false: this is no such row. */
static bool parse_keys(const char *p, const char *close, const struct hist_trigger *trigger, struct hist_row *row, char *others, size_t size)
{
    for (; p < close;) {
        const char *stop = memmem(p, (size_t)(close - p), ", ", 2), *colon;
        const char *next = stop ? stop + 2 : close;
        if (!stop)
            stop = close;
        trim(&p, &stop);
        colon = memchr(p, ':', (size_t)(stop - p));
        if (memmem(p, (size_t)(stop - p), "stacktrace", 10)) /* its frames name the series: parse_stack() */
            return true;
        if (!colon)
            return p == stop;
        size_t length = (size_t)(colon - p);
        const char *value = colon + 1, *value_end = stop;
        enum hist_unit unit;
        trim(&value, &value_end);
        if (!row->is_time && hist_names_time(p, length, &unit) && parse_value(value, value_end, is_hex_key(trigger, p, length), row)) {
            row->is_time = true;
            row->unit = unit != HIST_UNIT_ASSUMED ? unit : trigger->is_osnoise && is_word(p, length, "duration") ? HIST_UNIT_NS : unit;
            snprintf(row->name, sizeof row->name, "%.*s", (int)(length < 30 ? length : 30), p);
        } else {
            row->is_damaged |= !row->is_time && hist_names_time(p, length, &unit);
            take_other(p, length, value, value_end, row, others, size);
        }
        p = next;
    }
    return true;
}

/* "hitcount:  237  hitcount (%):  3.33  delta:  99756288  hitcount: ####": behind the brace. */
static void parse_values(const char *p, const char *end, const struct hist_trigger *trigger, struct hist_row *row)
{
    while (p < end) {
        scan_blanks(&p, end);
        const char *name = p, *colon = memchr(p, ':', (size_t)(end - p));
        if (!colon)
            return;
        size_t length = (size_t)(colon - name);
        uint64_t value;
        enum hist_unit unit;
        p = colon + 1;
        scan_blanks(&p, end);
        if (is_word(name, length, "hitcount")) {
            if (!row->has_count)
                row->has_count = trigger->has_hex_counts ? scan_hex(&p, end, &row->count) : scan_u64(&p, end, &row->count);
        } else if (!row->has_sum && hist_names_time(name, length, &unit) && length < sizeof row->sum_name && scan_u64(&p, end, &value) &&
                   (p == end || *p == ' ' || *p == '\t')) { /* "12.50" is a share */
            row->has_sum = true;
            row->sum = value;
            row->sum_unit = unit;
            snprintf(row->sum_name, sizeof row->sum_name, "%.*s", (int)length, name);
        }
        while (p < end && *p != ' ')
            p++;
    }
}

/* Where the scheduler and the tracer themselves stand: no place that tells anything. */
static bool is_scheduler(const char *p, size_t length)
{
    static const char *const words[] = {"__schedule", "schedule", "preempt_schedule", "event_hist_trigger", "event_triggers_call",
                                        "trace_event_", "__traceiter_", "__trace_"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length >= strlen(words[i]) && memcmp(p, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* One frame "  wait_for_completion+0x294/0x440": its name joins the series' name; all frames tell stacks apart by the sum. */
static void take_frame(const char *p, const char *end, char *frame, size_t size, uint32_t *sum)
{
    trim(&p, &end);
    const char *plus = memchr(p, '+', (size_t)(end - p));
    for (const char *s = p; s < end; s++)
        *sum = (*sum ^ (unsigned char)*s) * 16777619u; /* FNV-1a */
    if (!frame[0] && plus && !is_scheduler(p, (size_t)(plus - p)))
        snprintf(frame, size, "%.*s", (int)(plus - p < 40 ? plus - p : 40), p);
}

/* The lines of a stack up to the one with the closing brace, which goes to *last (keys may stand before it); false: there is none. */
static bool parse_stack(struct lines *lines, struct hist_row *row, char *others, size_t size, struct line *last)
{
    char frame[41] = "";
    uint32_t sum = 2166136261u;
    struct line line;
    const char *word;
    if (!lines_peek(lines, 0, &line))
        return false;
    word = line_find(&line, "stacktrace");
    if (word && memchr(word, '+', line.length - (size_t)(word - line.text)))
        take_frame(word + strlen("stacktrace"), line.text + line.length, frame, sizeof frame, &sum);
    for (size_t k = 1; k < MAX_STACK_LINES && lines_peek(lines, k, last); k++) {
        const char *p = last->text, *end = p + last->length;
        scan_blanks(&p, end);
        if (p < end && *p == '{')
            return false;
        row->n_lines = k + 1;
        const char *brace = memchr(p, '}', (size_t)(end - p));
        if (brace) {
            size_t n = strlen(others);
            if (n + 1 < size)
                snprintf(others + n, size - n, " at %s (stack %04x)", frame[0] ? frame : "?", (sum ^ sum >> 16) & 0xffff);
            return true;
        }
        take_frame(p, end, frame, sizeof frame, &sum);
    }
    return false;
}

/* "{ ... } hitcount:   4": with a value behind the last colon; a stack's row is whole by its own rules. */
static bool is_whole_row(const struct line *line)
{
    const char *end = line->text + line->length, *close = memmem(line->text, line->length, "} ", 2);
    while (end > line->text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return line_has(line, "stacktrace") || (close && memchr(close, ':', (size_t)(end - close)) && end[-1] != ':');
}

static bool is_rest_of_row(const struct line *line)
{
    return !line_starts(line, "{") && !line_starts(line, "#") && !line_starts(line, "Totals:");
}

static bool parse_row(struct lines *lines, const struct line *line, const struct hist_trigger *trigger, struct hist_row *row)
{
    struct line last;
    char others[HIST_NAME_MAX] = "";
    const char *p = line->text, *end = p + line->length;
    scan_blanks(&p, end);
    const char *close = memmem(p, (size_t)(end - p), "} ", 2);
    if (!close && !line_has(line, "stacktrace"))
        return false;
    if (!parse_keys(p + 2, close ? close : end, trigger, row, others, sizeof others))
        return false;
    if (!close) {
        if (!parse_stack(lines, row, others, sizeof others, &last))
            return false;
        end = last.text + last.length;
        close = memchr(last.text, '}', last.length);
        for (p = last.text; p < close && (*p == ' ' || *p == '\t' || *p == ',');)
            p++;
        if (!parse_keys(p, close, trigger, row, others, sizeof others))
            return false;
    }
    parse_values(close + 1, end, trigger, row);
    size_t used = strlen(row->name);
    snprintf(row->name + used, sizeof row->name - used, "%s", row->is_time ? others : *others ? others + 1 : "");
    return true;
}

/* A terminal broke the last number: "hitcount:    81" and "2". */
static bool number_goes_on(struct lines *lines, size_t k, const struct line *line)
{
    struct line next;
    if (!line->length || line->text[line->length - 1] < '0' || line->text[line->length - 1] > '9' || !lines_peek(lines, k, &next) || !next.length)
        return false;
    for (size_t i = 0; i < next.length; i++)
        if (next.text[i] < '0' || next.text[i] > '9')
            return false;
    return true;
}

bool hist_row_parse(struct lines *lines, const struct hist_trigger *trigger, struct hist_row *row)
{
    struct line line;
    struct text joined = {0};
    *row = (struct hist_row){.tid = TID_UNKNOWN, .cpu = CPU_UNKNOWN, .n_lines = 1};
    if (!lines_peek(lines, 0, &line) || !hist_row_begins(&line))
        return false;
    size_t n_lines = wrapped_row(lines, 0, is_whole_row, is_rest_of_row, &joined, &line);
    bool is_row = parse_row(lines, &line, trigger, row);
    row->is_wrapped = is_row && n_lines > 1;
    if (row->is_wrapped)
        row->n_lines = n_lines;
    if (is_row && !line_has(&line, "stacktrace") && number_goes_on(lines, row->n_lines, &line)) {
        row->n_lines++;
        row->is_time = row->has_sum = false;
        row->is_damaged = true;
    }
    text_release(&joined);
    return is_row;
}
