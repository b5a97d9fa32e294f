/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events whose payload is not a row of numbers: printed texts, stacks, events that have no kind of their own.
 *
 * Odd: trace_printk() leaves its format's address and the raw arguments (bprint); the format is in the printk table,
 * and arguments are packed as vbin_printf() does: words of 4 bytes, 8-byte values at a multiple of 4, strings inline.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "importers/trace_dat_decode.h"

#define MAX_TEXT_BYTES 4096
#define MAX_FRAMES     1024

struct writer {
    char *text;
    size_t length, capacity;
};

static void put_bytes(struct writer *writer, const char *bytes, size_t n)
{
    size_t room = writer->capacity - writer->length;
    n = n < room ? n : room;
    memcpy(writer->text + writer->length, bytes, n);
    writer->length += n;
}

static __attribute__((format(printf, 2, 3))) void put_format(struct writer *writer, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_bytes(writer, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* ---- bprint ---- */

struct packed {
    const unsigned char *begin, *p, *end;
    bool big, failed;
};

static uint64_t packed_take(struct packed *packed, unsigned size)
{
    if (size > 1) {
        size_t at = (size_t)(packed->p - packed->begin), step = size < 4 ? size : 4;
        packed->p = packed->begin + (at + step - 1) / step * step;
    }
    if (packed->p > packed->end || (size_t)(packed->end - packed->p) < size) {
        packed->failed = true;
        return 0;
    }
    uint64_t value = size == 8   ? page_load64(packed->p, packed->big)
                     : size == 4 ? page_load32(packed->p, packed->big)
                     : size == 2 ? page_load16(packed->p, packed->big)
                                 : *packed->p;
    packed->p += size;
    return value;
}

struct conversion {
    char flags[8];        /* "%", then what stood between it and the width */
    int width, precision; /* -1: none */
    unsigned longs;
    char letter;
};

/* Digits, or '*': the next argument. */
static int take_number(const char **fmt, struct packed *packed)
{
    int number = 0;
    if (**fmt == '*') {
        ++*fmt;
        return (int)packed_take(packed, 4);
    }
    for (; isdigit((unsigned char)**fmt); ++*fmt)
        number = number % 1000 * 10 + (**fmt - '0');
    return number;
}

/* *fmt stands behind the '%', then behind the conversion's letter. */
static struct conversion take_conversion(const char **fmt, struct packed *packed)
{
    struct conversion c = {.flags = "%", .width = -1, .precision = -1};
    size_t n = 1;
    for (; **fmt && strchr("-+ #0", **fmt); ++*fmt)
        if (n < 6)
            c.flags[n++] = **fmt;
    if (**fmt == '*' || isdigit((unsigned char)**fmt))
        c.width = take_number(fmt, packed);
    if (**fmt == '.') {
        ++*fmt;
        c.precision = take_number(fmt, packed);
    }
    if (c.width > 200 || c.width < 0)
        c.width = 0;
    for (; **fmt && strchr("lhzjtLq", **fmt); ++*fmt)
        c.longs = **fmt == 'L' || **fmt == 'q' ? 2 : c.longs + (**fmt != 'h');
    c.letter = **fmt;
    *fmt += c.letter != 0;
    return c;
}

/* The kernel's 'd', 'u', 'x' ... through the C library's. */
static void put_integer(struct writer *writer, const struct conversion *c, unsigned size, uint64_t value)
{
    bool is_signed = c->letter == 'd' || c->letter == 'i', has_precision = is_signed && c->precision >= 0;
    char format[32];
    if (is_signed && size == 4)
        value = (uint64_t)(int32_t)value;
    snprintf(format, sizeof format, "%s*%sll%c", c->flags, has_precision ? ".*" : "", is_signed ? 'd' : c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (has_precision)
        put_format(writer, format, c->width, c->precision > 60 ? 60 : c->precision, (long long)value);
    else
        put_format(writer, format, c->width, (long long)value);
#pragma GCC diagnostic pop
}

static void put_string(struct writer *writer, int precision, struct packed *packed)
{
    size_t room = (size_t)(packed->end - packed->p), length = strnlen((const char *)packed->p, room);
    put_bytes(writer, (const char *)packed->p, precision >= 0 && (size_t)precision < length ? (size_t)precision : length);
    packed->p += length < room ? length + 1 : length;
}

/* "%ps" and the like name the function; the letters belong to the conversion. */
static void put_pointer(struct writer *writer, const struct trace_formats *formats, const char **fmt, uint64_t address)
{
    const char *name = **fmt && strchr("sSfFB", **fmt) ? trace_symbol_find(formats, address) : NULL;
    while (isalnum((unsigned char)**fmt))
        ++*fmt;
    if (name)
        put_bytes(writer, name, strlen(name));
    else
        put_format(writer, "0x%llx", (unsigned long long)address);
}

/* One conversion: *fmt stands behind the '%'. */
static void put_conversion(const struct trace_formats *formats, struct writer *writer, const char **fmt,
                           struct packed *packed)
{
    struct conversion c = take_conversion(fmt, packed);
    unsigned size = c.longs == 0 ? 4 : c.longs > 1 ? 8 : formats->kernel_long;
    switch (c.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': put_integer(writer, &c, size, packed_take(packed, size)); break;
    case 'c': put_format(writer, "%c", (int)packed_take(packed, 1)); break;
    case 's': put_string(writer, c.precision, packed); break;
    case 'p': put_pointer(writer, formats, fmt, packed_take(packed, formats->kernel_long)); break;
    case '%': put_bytes(writer, "%", 1); break;
    default: packed->failed = true; break;
    }
}

size_t trace_bprint_format(const struct trace_formats *formats, const char *fmt, const unsigned char *arguments,
                           size_t size, char *text, size_t capacity)
{
    struct writer writer = {text, 0, capacity};
    struct packed packed = {arguments, arguments, arguments + size, formats->big, false};
    while (*fmt && !packed.failed) {
        size_t plain = strcspn(fmt, "%");
        put_bytes(&writer, fmt, plain);
        fmt += plain;
        if (*fmt == '%') {
            fmt++;
            put_conversion(formats, &writer, &fmt, &packed);
        }
    }
    return writer.length;
}

/* ---- generic text ---- */

static int64_t load_field(const unsigned char *p, unsigned size, bool is_signed, bool big)
{
    switch (size) {
    case 1: return is_signed ? (int8_t)*p : *p;
    case 2: return is_signed ? (int16_t)page_load16(p, big) : page_load16(p, big);
    case 4: return is_signed ? (int32_t)page_load32(p, big) : (int64_t)page_load32(p, big);
    default: return (int64_t)page_load64(p, big);
    }
}

static bool is_number_size(unsigned size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static void put_array(struct writer *writer, const struct trace_formats *formats, const struct trace_field *field,
                      struct span bytes)
{
    if (field->is_char) {
        size_t length = strnlen((const char *)bytes.bytes, bytes.size);
        put_bytes(writer, (const char *)bytes.bytes, length);
        return;
    }
    unsigned size = is_number_size(field->element_size) ? field->element_size : 1;
    put_bytes(writer, "{", 1);
    for (size_t at = 0; at + size <= bytes.size && at < 64 * size; at += size)
        put_format(writer, "%s0x%llx", at ? "," : "",
                   (unsigned long long)load_field(bytes.bytes + at, size, false, formats->big));
    put_bytes(writer, "}", 1);
}

static void put_field(struct writer *writer, const struct trace_formats *formats, const struct trace_field *field,
                      struct page_record record)
{
    if (field->offset > record.size || field->size > record.size - field->offset)
        return;
    put_format(writer, "%s%s=", writer->length ? " " : "", field->name);
    const unsigned char *at = record.bytes + field->offset;
    if ((field->is_data_loc || field->is_rel_loc) && field->size == 4) {
        uint32_t word = page_load32(at, formats->big), offset = (word & 0xffff) + (field->is_rel_loc ? field->offset + 4 : 0);
        uint32_t length = word >> 16;
        if (offset > record.size)
            return;
        put_array(writer, formats, field,
                  (struct span){record.bytes + offset, length < record.size - offset ? length : record.size - offset});
        return;
    }
    if (field->is_array || !is_number_size(field->size)) {
        put_array(writer, formats, field, (struct span){at, field->size ? field->size : record.size - field->offset});
        return;
    }
    int64_t value = load_field(at, field->size, field->is_signed, formats->big);
    const struct trace_map *map = field->map ? &formats->maps[field->map - 1] : NULL;
    for (uint32_t i = 0; map && i < map->n; i++)
        if (map->names[i].value == value) {
            const char *name = formats->atoms[map->names[i].atom];
            put_bytes(writer, name, strlen(name));
            return;
        }
    /* Small numbers behind a pointer's type (ARM has vectors at 0) are no functions. */
    bool may_be_code = field->is_pointer && (uint64_t)value >= (formats->text_start ? formats->text_start : 65536);
    const char *symbol = may_be_code ? trace_symbol_find(formats, (uint64_t)value) : NULL;
    if (symbol)
        put_bytes(writer, symbol, strlen(symbol));
    else if (field->is_pointer)
        put_format(writer, "0x%llx", (unsigned long long)value);
    else if (field->is_signed)
        put_format(writer, "%lld", (long long)value);
    else
        put_format(writer, "%llu", (unsigned long long)value);
}

size_t trace_fields_format(const struct trace_formats *formats, const struct trace_decoder *decoder,
                           struct page_record record, char *text, size_t capacity)
{
    struct writer writer = {text, 0, capacity};
    for (uint32_t i = 0; i < decoder->n_fields; i++)
        put_field(&writer, formats, &decoder->fields[i], record);
    return writer.length;
}

/* Texts of unknown events are new strings again and again; beyond the budget only the event itself is kept. */
static bool budget_allows(struct trace_worker *worker, size_t length)
{
    if (__atomic_load_n(worker->text_budget, __ATOMIC_RELAXED) < length) {
        worker->result->n_texts_dropped++;
        return false;
    }
    __atomic_fetch_sub(worker->text_budget, length, __ATOMIC_RELAXED);
    return true;
}

static uint32_t text_within_budget(struct trace_worker *worker, const char *text, size_t length)
{
    while (length && (text[length - 1] == '\n' || text[length - 1] == 0))
        length--;
    return length && budget_allows(worker, length) ? worker_text(worker, text, length) : 0;
}

static void put_unknown(struct trace_worker *worker, struct page_record record, struct kind_columns *columns, size_t row)
{
    unsigned id = page_load16(record.bytes, worker->formats->big);
    worker->result->n_unknown_ids++;
    char text[256];
    struct writer writer = {text, 0, sizeof text};
    put_format(&writer, "unknown:%u", id);
    columns->narrow[0][row] = worker_text(worker, text, writer.length);
    writer.length = 0;
    for (uint32_t i = 0; i < record.size && i < 64; i++)
        put_format(&writer, "%02x", record.bytes[i]);
    columns->narrow[1][row] = text_within_budget(worker, text, writer.length);
}

/* ---- special events ---- */

uint32_t worker_stack(struct trace_worker *worker, const struct trace_decoder *decoder, struct page_record record)
{
    unsigned size = worker->formats->kernel_long;
    uint32_t n = 0;
    for (uint32_t at = decoder->special_offset[0]; at + size <= record.size && n < MAX_FRAMES; at += size) {
        uint64_t address = (uint64_t)load_field(record.bytes + at, size, false, worker->formats->big);
        if (!address || address == (size == 8 ? UINT64_MAX : UINT32_MAX)) /* old kernels end it so */
            break;
        event_columns_add_to_list(worker->batch->columns, worker_symbol(worker, address));
        n++;
    }
    return n;
}

/* The wakeup tracers store the index of a state, not its bits (4.14 and later: task_state_index()). */
static uint32_t state_letter(unsigned index)
{
    static const char letters[] = "RSDTtXZPI";
    return index < sizeof letters - 1 ? (uint32_t)(unsigned char)letters[index] : UINT32_MAX;
}

static uint32_t printed(struct trace_worker *worker, const struct trace_decoder *decoder, struct page_record record)
{
    const struct trace_formats *formats = worker->formats;
    const uint32_t *at = decoder->special_offset;
    char text[MAX_TEXT_BYTES];
    if (decoder->special == SPECIAL_PRINT) {
        const char *bytes = (const char *)record.bytes + at[1];
        return text_within_budget(worker, bytes, strnlen(bytes, record.size - at[1]));
    }
    uint64_t address = (uint64_t)load_field(record.bytes + at[1], formats->kernel_long, false, formats->big);
    const char *string = trace_printk_find(formats, address);
    if (!string) {
        int n = snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
        return text_within_budget(worker, text, (size_t)n);
    }
    if (decoder->special == SPECIAL_BPUTS)
        return text_within_budget(worker, string, strlen(string));
    size_t n = trace_bprint_format(formats, string, record.bytes + at[2], record.size - at[2], text, sizeof text);
    return text_within_budget(worker, text, n);
}

void worker_special(struct trace_worker *worker, const struct trace_decoder *decoder, struct page_record record,
                    struct kind_columns *columns, size_t row)
{
    const struct trace_formats *formats = worker->formats;
    const uint32_t *at = decoder->special_offset;
    char text[MAX_TEXT_BYTES];
    switch (decoder->special) {
    case SPECIAL_UNKNOWN: put_unknown(worker, record, columns, row); break;
    case SPECIAL_OTHER:
        columns->narrow[0][row] = worker_atom(worker, decoder->name_atom);
        columns->narrow[1][row] = text_within_budget(worker, text, trace_fields_format(formats, decoder, record, text, sizeof text));
        break;
    case SPECIAL_PRINT:
    case SPECIAL_BPRINT:
    case SPECIAL_BPUTS: {
        uint64_t ip = (uint64_t)load_field(record.bytes + at[0], formats->kernel_long, false, formats->big);
        const char *where = trace_symbol_find(formats, ip);
        columns->narrow[0][row] = where ? worker_text(worker, where, strlen(where)) : 0;
        columns->narrow[1][row] = printed(worker, decoder, record);
        break;
    }
    case SPECIAL_GRAPH_EXIT: {
        uint64_t call = page_load64(record.bytes + at[0], formats->big), ret = page_load64(record.bytes + at[1], formats->big);
        columns->wide[2][row] = ret >= call && call ? ret - call : (uint64_t)NS_UNKNOWN;
        break;
    }
    case SPECIAL_HWLAT_TIME: {
        uint64_t seconds = page_load64(record.bytes + at[0], formats->big), ns = page_load64(record.bytes + at[1], formats->big);
        columns->wide[2][row] = seconds < INT64_MAX / 1000000000 ? seconds * 1000000000 + ns : (uint64_t)NS_UNKNOWN;
        break;
    }
    case SPECIAL_WAKE: {
        const char *name = trace_comm_find(formats, page_load32(record.bytes + at[0], formats->big));
        columns->narrow[2][row] = state_letter(record.bytes[at[1]]);
        columns->narrow[4][row] = name ? worker_text(worker, name, strlen(name)) : 0;
        columns->narrow[7][row] = state_letter(record.bytes[at[2]]);
        break;
    }
    default: break; /* stacks are lists: worker_stack() */
    }
}
