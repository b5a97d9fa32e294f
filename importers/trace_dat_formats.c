/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text of events/SYSTEM/EVENT/format:
 *
 *     name: softirq_entry
 *     ID: 150
 *     format:
 *             field:unsigned short common_type;       offset:0;       size:2; signed:0;
 *             field:unsigned int vec; offset:12;      size:4; signed:0;
 *     print fmt: "vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, ...)
 *
 * and what the kernel's flag letters mean, which differs by version (struct trace_formats: flag_bits).
 * Odd: offsets of the common fields differ between mainline, -rt and 2.6.3x, and are taken from the texts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importers/trace_dat_formats.h"

uint32_t trace_atom(struct trace_formats *formats, const char *text)
{
    memory_reserve(formats->atoms, formats->atoms_capacity, formats->n_atoms + 1);
    formats->atoms[formats->n_atoms] = text;
    return (uint32_t)formats->n_atoms++;
}

static struct span line_of(struct span *rest)
{
    const unsigned char *newline = rest->size ? memchr(rest->bytes, '\n', rest->size) : NULL;
    struct span line = {rest->bytes, newline ? (size_t)(newline - rest->bytes) : rest->size};
    size_t taken = line.size + (newline != NULL);
    rest->bytes += taken;
    rest->size -= taken;
    return line;
}

static bool starts_with(struct span span, const char *text)
{
    size_t length = strlen(text);
    return span.size >= length && !memcmp(span.bytes, text, length);
}

/* The number after "key:" in a field row; false without it. */
static bool row_number(struct span row, const char *key, uint32_t *value)
{
    const char *at = memmem(row.bytes, row.size, key, strlen(key));
    if (!at)
        return false;
    const char *end = (const char *)row.bytes + row.size;
    at += strlen(key);
    uint64_t number = 0;
    if (at == end || *at < '0' || *at > '9')
        return false;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
        if (number > 1 << 26)
            return false;
    }
    *value = (uint32_t)number;
    return true;
}

static bool contains(struct span span, const char *text)
{
    return memmem(span.bytes, span.size, text, strlen(text)) != NULL;
}

static bool is_word(unsigned char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* "field:char prev_comm[16];	offset:12;	size:16;	signed:1;" */
static bool field_parse(struct arena *arena, struct span row, struct trace_field *field)
{
    const char *colon = memchr(row.bytes, ':', row.size);
    if (!colon)
        return false;
    struct span declaration = {(const unsigned char *)colon + 1, row.size - (size_t)(colon + 1 - (const char *)row.bytes)};
    const char *semicolon = memchr(declaration.bytes, ';', declaration.size);
    uint32_t is_signed = 0;
    *field = (struct trace_field){0};
    if (!semicolon || !row_number(row, "offset:", &field->offset) || !row_number(row, "size:", &field->size))
        return false;
    row_number(row, "signed:", &is_signed); /* 2.6.30 and before have none */
    declaration.size = (size_t)(semicolon - (const char *)declaration.bytes);
    size_t end = declaration.size;
    uint32_t dimension = 0;
    if (end && declaration.bytes[end - 1] == ']') {
        field->is_array = true;
        while (end && declaration.bytes[end - 1] != '[')
            end--;
        if (!end)
            return false;
        struct span digits = {declaration.bytes + end - 1, declaration.size - end + 1};
        row_number(digits, "[", &dimension);
        end--;
    }
    size_t begin = end;
    while (begin && is_word(declaration.bytes[begin - 1]))
        begin--;
    if (begin == end)
        return false;
    field->name = arena_string_n(arena, (const char *)declaration.bytes + begin, end - begin);
    struct span type = {declaration.bytes, begin};
    field->is_signed = is_signed == 1;
    field->is_data_loc = starts_with(type, "__data_loc");
    field->is_rel_loc = starts_with(type, "__rel_loc");
    if (contains(type, "[]")) /* "__data_loc char[] name" */
        field->is_array = true;
    field->is_char = contains(type, "char") && field->is_array;
    field->is_pointer = contains(type, "*") && !field->is_array;
    if (field->is_array && dimension && field->size && field->size % dimension == 0)
        field->element_size = (uint16_t)(field->size / dimension);
    return true;
}

/* The common fields: the same in all events of a kernel, so those of any event will do. */
static void common_field(struct trace_formats *formats, const struct trace_field *field)
{
    if (field->offset + field->size > 64)
        return;
    const char *name = field->name + strlen("common_");
    if (!strcmp(name, "flags"))
        formats->flags_offset = field->offset;
    else if (!strcmp(name, "preempt_count"))
        formats->depth_offset = field->offset;
    else if (!strcmp(name, "pid") && field->size == 4)
        formats->tid_offset = field->offset;
    else if (!strcmp(name, "migrate_disable") && field->size == 1)
        formats->migrate_offset = field->offset;
    if (field->offset + field->size > formats->common_size)
        formats->common_size = field->offset + field->size;
}

bool trace_format_parse(struct trace_formats *formats, const char *system, struct span text, bool *damaged)
{
    struct trace_field fields[FORMAT_MAX_FIELDS];
    size_t n_fields = 0;
    uint32_t id = UINT32_MAX;
    const char *event = NULL;
    struct span print_fmt = {text.bytes, 0}, rest = text;
    while (rest.size) {
        struct span line = line_of(&rest);
        while (line.size && (*line.bytes == ' ' || *line.bytes == '\t')) {
            line.bytes++;
            line.size--;
        }
        if (starts_with(line, "name: ")) {
            event = arena_string_n(&formats->arena, (const char *)line.bytes + 6, line.size - 6);
        } else if (starts_with(line, "ID: ")) {
            if (!row_number(line, "ID: ", &id))
                id = UINT32_MAX;
        } else if (starts_with(line, "field:") || starts_with(line, "field special:")) {
            struct trace_field field;
            if (!field_parse(&formats->arena, line, &field))
                *damaged = true;
            else if (!strncmp(field.name, "common_", 7))
                common_field(formats, &field);
            else if (n_fields < FORMAT_MAX_FIELDS)
                fields[n_fields++] = field;
        } else if (starts_with(line, "print fmt:")) {
            print_fmt = (struct span){line.bytes + 10, (size_t)(text.bytes + text.size - line.bytes) - 10};
            break;
        }
    }
    if (!event || id > UINT16_MAX || formats->n_decoders > UINT16_MAX)
        return false;
    if (formats->decoder_of[id])
        return true; /* the first statement holds */
    memory_reserve(formats->decoders, formats->decoders_capacity, formats->n_decoders + 1);
    formats->decoder_of[id] = (uint16_t)formats->n_decoders;
    struct trace_decoder *decoder = &formats->decoders[formats->n_decoders++];
    *decoder = (struct trace_decoder){.id = (uint16_t)id};
    trace_format_bind(formats, decoder, system, event, fields, n_fields, print_fmt);
    return true;
}

/* header_page tells the size of the commit word, that is of the kernel's long, and where the data begins. */
static void read_header_page(struct trace_formats *formats, const struct trace_file *file)
{
    formats->commit_size = file->user_long;
    formats->page_data_offset = 8 + file->user_long;
    struct span rest = file->header_page;
    while (rest.size) {
        struct span line = line_of(&rest);
        uint32_t size, offset;
        if (contains(line, " commit;") && row_number(line, "size:", &size) && (size == 4 || size == 8))
            formats->commit_size = size;
        if (contains(line, " data;") && row_number(line, "offset:", &offset) && (offset == 12 || offset == 16))
            formats->page_data_offset = offset;
    }
    formats->kernel_long = formats->commit_size;
}

/* "Linux host 6.1.0-57-rt-amd64 x86_64": the release as 1000 * major + minor, 0 if unknown. */
static unsigned release_of(const char *uname)
{
    unsigned major, minor;
    const char *word = uname;
    for (int i = 0; i < 2 && word; i++) {
        word = strchr(word, ' ');
        word = word ? word + 1 : NULL;
    }
    return word && sscanf(word, "%u.%u", &major, &minor) == 2 && minor < 1000 ? major * 1000 + minor : 0;
}

/*
 * common_flags and common_preempt_count by kernel (include/linux/trace_events.h of each):
 *   01 irqs off   04 need-resched   08 hardirq   10 softirq   40 NMI
 *   02 no support for irqs-off (to 6.12), need-resched-lazy (6.13 and later), hard irqs off (Dovetail)
 *   20 preempt-need-resched (says nothing beyond 04); need-resched-lazy on -rt kernels with common_preempt_lazy_count
 *      since 5.17 (seen in 6.1-rt: its own text prints L for it)
 *   80 BH off (5.17 and later, 6.1-rt too); need-resched-lazy on -rt kernels before
 *   Dovetail: 40 is NMI or out-of-band; told as the head domain
 */
static void bind_flags(struct trace_formats *formats, const struct trace_file *file, bool has_lazy_count)
{
    unsigned release = file->uname ? release_of(file->uname) : 0;
    bool is_dovetail = file->uname && (strstr(file->uname, "dovetail") || strstr(file->uname, "evl") || strstr(file->uname, "cobalt") ||
                                       strstr(file->uname, "xenomai"));
    bool is_pipeline = is_dovetail || (file->uname && strstr(file->uname, "ipipe"));
    uint32_t bit02 = 0, bit20 = 0, bit80 = 0;
    formats->flags_known = FLAG_IRQS_OFF | FLAG_NEED_RESCHED | FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI | FLAG_PREEMPT_DEPTH |
                           FLAG_TASK_UNKNOWN;
    if (is_dovetail)
        bit02 = FLAG_HARD_IRQS_OFF;
    else if (release >= 6013)
        bit02 = FLAG_NEED_RESCHED_LAZY;
    if (has_lazy_count && release >= 5017)
        bit20 = FLAG_NEED_RESCHED_LAZY;
    if (release >= 5017)
        bit80 = FLAG_BH_OFF;
    else if (has_lazy_count)
        bit80 = FLAG_NEED_RESCHED_LAZY;
    formats->flags_known |= bit02 | bit20 | bit80;
    if (is_pipeline) /* irqs off is the root domain's word there */
        formats->flags_known |= FLAG_ROOT_STALLED;
    if (is_dovetail)
        formats->flags_known |= FLAG_DOMAIN_HEAD;
    for (unsigned flags = 0; flags < 256; flags++) {
        uint32_t bits = 0;
        bits |= flags & 0x01 ? FLAG_IRQS_OFF | (is_pipeline ? (uint32_t)FLAG_ROOT_STALLED : 0u) : 0;
        bits |= flags & 0x02 ? bit02 : 0;
        bits |= flags & 0x04 ? FLAG_NEED_RESCHED : 0;
        bits |= flags & 0x08 ? FLAG_HARDIRQ : 0;
        bits |= flags & 0x10 ? FLAG_SOFTIRQ : 0;
        bits |= flags & 0x20 ? bit20 : 0;
        bits |= flags & 0x40 ? (is_dovetail ? FLAG_DOMAIN_HEAD : FLAG_NMI) : 0;
        bits |= flags & 0x80 ? bit80 : 0;
        formats->flag_bits[flags] = bits;
    }
    /* Since 5.15 the high nibble is the migrate-disable depth; -rt kernels before have a field of their own, or none. */
    bool has_nibbles = release >= 5015 && !formats->migrate_offset;
    if (has_nibbles || formats->migrate_offset)
        formats->flags_known |= FLAG_MIGRATE_DEPTH;
    for (unsigned depth = 0; depth < 256; depth++)
        formats->depth_bits[depth] = has_nibbles ? flags_make(0, depth & 15, depth >> 4) : flags_make(0, depth, 0);
}

void trace_formats_build(struct trace_formats *formats, const struct trace_file *file, struct import *import)
{
    formats->big = file->big;
    formats->flags_offset = 2;
    formats->depth_offset = 3;
    formats->tid_offset = 4;
    formats->common_size = 8;
    memory_reserve(formats->decoders, formats->decoders_capacity, 1);
    formats->decoders[0] = (struct trace_decoder){.kind = KIND_OTHER, .special = SPECIAL_UNKNOWN};
    formats->n_decoders = 1;
    read_header_page(formats, file);
    bool has_lazy_count = false;
    for (size_t i = 0; i < file->n_formats; i++) {
        bool damaged = false;
        const struct span text = file->formats[i].text;
        if (!trace_format_parse(formats, file->formats[i].system, text, &damaged) || damaged)
            formats->damaged_formats++;
        has_lazy_count = has_lazy_count || contains(text, "common_preempt_lazy_count");
    }
    for (size_t i = 0; i < formats->n_decoders; i++)
        if (formats->decoders[i].min_size < formats->common_size)
            formats->decoders[i].min_size = formats->common_size;
    if (formats->damaged_formats)
        TRACE_NOTE(import, "damaged-lines", 0, "%" PRIu64 " event formats are damaged", formats->damaged_formats);
    bind_flags(formats, file, has_lazy_count);
    trace_tables_read(formats, file, import);
}

void trace_formats_release(struct trace_formats *formats)
{
    arena_release(&formats->arena);
    free(formats->decoders);
    free(formats->maps);
    free(formats->atoms);
    free(formats->symbols);
    free(formats->printk);
    free(formats->comms);
    free(formats->tid_has_name);
    *formats = (struct trace_formats){0};
}
