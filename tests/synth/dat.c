/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout: importers/trace_dat_v6.c and trace_dat_page.h, from the other side. */
#include "tests/synth/dat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text.h"
#include "tests/synth/dat_formats.h"

#define PAGE_BYTES 4096
#define PAGE_DATA  16
#define MAX_CPUS   64

struct dat_cpu {
    FILE *pages;
    uint64_t n_pages;
    unsigned char page[PAGE_BYTES];
    size_t used;
    int64_t last_ns;
    uint64_t n_lost; /* in front of the page being filled */
};
struct dat_writer {
    int n_cpus;
    char *clock, *release;
    struct dat_cpu cpus[MAX_CPUS];
    struct text cmdlines;
};

/* How a field lies in the record. */
struct layout_field {
    char type, source;
    unsigned index, size, offset;
    char name[32];
};
struct layout {
    unsigned n, size;
    struct layout_field fields[8];
};

static struct layout layout_of(const char *fields, const char *sources)
{
    struct layout layout = {.size = 8};
    const char *f = fields, *s = sources;
    while (*f) {
        struct layout_field *field = &layout.fields[layout.n++];
        unsigned size = 0;
        field->type = *f++;
        for (; *f >= '0' && *f <= '9'; f++)
            size = size * 10 + (unsigned)(*f - '0');
        field->size = size ? size : field->type == 'p' ? 8 : field->type == 'A' ? 48 : field->type == 't' ? 0 : 4;
        unsigned align = field->type == 'c' ? 1 : field->type == 'A' || field->size == 8 ? 8 : field->size == 0 ? 1 : 4;
        layout.size = (layout.size + align - 1) / align * align;
        field->offset = layout.size;
        layout.size += field->size;
        f++;
        size_t length = strcspn(f, "|");
        memcpy(field->name, f, length);
        field->name[length] = 0;
        f += length;
        f += *f == '|';
        field->source = *s++;
        field->index = *s >= '0' && *s <= '9' ? (unsigned)(*s++ - '0') : 0;
        s += *s == ' ';
    }
    return layout;
}

struct dat_writer *dat_new(int n_cpus, const char *clock, const char *release)
{
    struct dat_writer *writer = memory_new(sizeof *writer);
    writer->n_cpus = n_cpus < MAX_CPUS ? n_cpus : MAX_CPUS;
    writer->clock = memory_string(clock);
    writer->release = memory_string(release);
    for (int i = 0; i < writer->n_cpus; i++)
        writer->cpus[i].pages = tmpfile();
    return writer;
}

static void flush_page(struct dat_cpu *cpu)
{
    if (!cpu->used)
        return;
    uint64_t commit = cpu->used - PAGE_DATA;
    memset(cpu->page + cpu->used, 0, PAGE_BYTES - cpu->used);
    if (cpu->n_lost) {
        commit |= UINT64_C(1) << 31;
        if (PAGE_BYTES - cpu->used >= 8) {
            commit |= UINT64_C(1) << 30;
            write_le64(cpu->page + cpu->used, cpu->n_lost);
        }
        cpu->n_lost = 0;
    }
    write_le64(cpu->page + 8, commit);
    fwrite(cpu->page, 1, PAGE_BYTES, cpu->pages);
    cpu->n_pages++;
    cpu->used = 0;
}

static void put_record(struct dat_cpu *cpu, int64_t time_ns, const unsigned char *record, size_t size)
{
    size = (size + 3) / 4 * 4;
    if (cpu->used && cpu->used + size + 16 > PAGE_BYTES)
        flush_page(cpu);
    if (!cpu->used) {
        write_le64(cpu->page, (uint64_t)time_ns);
        cpu->used = PAGE_DATA;
        cpu->last_ns = time_ns;
    }
    uint64_t delta = (uint64_t)(time_ns - cpu->last_ns);
    unsigned char *at = cpu->page + cpu->used;
    if (delta >> 27) {
        write_le32(at, (uint32_t)(delta & 0x7ffffff) << 5 | 30);
        write_le32(at + 4, (uint32_t)(delta >> 27));
        at += 8;
        delta = 0;
    }
    if (size <= 112) {
        write_le32(at, (uint32_t)delta << 5 | (uint32_t)(size / 4));
        at += 4;
    } else {
        write_le32(at, (uint32_t)delta << 5);
        write_le32(at + 4, (uint32_t)size + 4);
        at += 8;
    }
    memcpy(at, record, size);
    cpu->used = (size_t)(at + size - cpu->page);
    cpu->last_ns = time_ns;
}

void dat_lose(struct dat_writer *writer, int cpu, uint64_t n)
{
    flush_page(&writer->cpus[cpu]);
    writer->cpus[cpu].n_lost += n;
}

void dat_task(struct dat_writer *writer, int32_t tid, const char *comm)
{
    text_format(&writer->cmdlines, "%d %s\n", tid, comm);
}

static unsigned vector_id(const char *name)
{
    for (unsigned i = 0; dat_vectors[i]; i++)
        if (!strcmp(dat_vectors[i], name))
            return DAT_VECTOR_ID + 2 * i;
    return DAT_VECTOR_ID;
}

static void put_field(unsigned char *record, const struct layout_field *field, const struct synth_event *event, size_t *tail)
{
    unsigned char *at = record + field->offset;
    const char *string = field->source == 's' || field->source == 'f' ? event->s[field->index] : NULL;
    uint64_t number = field->source == 'v' ? (uint64_t)event->v[field->index] : 0;
    if (field->source == 'f')
        number = symbol_address(string ? string : "tracing_mark_write");
    switch (field->type) {
    case 'c': strncpy((char *)at, string ? string : "", field->size - 1); break;
    case 'd': {
        size_t length = strlen(string ? string : "") + 1;
        write_le32(at, (uint32_t)(length << 16 | *tail));
        memcpy(record + *tail, string ? string : "", length);
        *tail += length;
        break;
    }
    case 't': {
        size_t length = strlen(string) + 1;
        memcpy(record + *tail, string, length);
        *tail += length;
        break;
    }
    case 'o': write_le32(at, (uint32_t)(number - symbol_address("_stext"))); break;
    case 'A': break;
    default:
        if (field->size == 8)
            write_le64(at, number);
        else
            write_le32(at, (uint32_t)number);
    }
}

static bool is_evl;

void dat_use_evl(bool wanted)
{
    is_evl = wanted;
}

static bool is_written(const struct dat_format *format)
{
    return is_evl || format->id < DAT_EVL_ID || format->id >= DAT_EVL_END;
}

/* Layouts are made once per kind; EVL's come behind Cobalt's. */
static const struct layout *layout_for(unsigned kind, unsigned *id)
{
    static struct layout layouts[KIND_END];
    static unsigned ids[KIND_END];
    if (!ids[kind]) {
        for (const struct dat_format *format = dat_formats; format->kind; format++)
            if (format->kind == kind && is_written(format)) {
                layouts[kind] = layout_of(format->fields, format->sources);
                ids[kind] = format->id;
            }
    }
    *id = ids[kind];
    return &layouts[kind];
}

void dat_event(struct dat_writer *writer, const struct synth_event *event)
{
    unsigned char record[1024] = {0};
    size_t size;
    unsigned id;
    if (event->kind == KIND_VECTOR_ENTRY || event->kind == KIND_VECTOR_EXIT) {
        id = vector_id(event->s[0]) + (event->kind == KIND_VECTOR_EXIT);
        write_le32(record + 8, (uint32_t)event->v[0]);
        size = 12;
    } else {
        const struct layout *layout = layout_for(event->kind, &id);
        if (!id)
            return;
        size = layout->size;
        for (unsigned i = 0; i < layout->n; i++)
            put_field(record, &layout->fields[i], event, &size);
    }
    write_le16(record, (uint16_t)id);
    record[2] = event->flags;
    record[3] = event->depth;
    write_le32(record + 4, (uint32_t)event->tid);
    put_record(&writer->cpus[event->cpu], event->time_ns, record, size);
}

/* ---- the file around the pages ---- */

static void put_field_row(struct text *text, const struct layout_field *field)
{
    static const struct {
        char type;
        const char *declaration;
        int is_signed;
    } types[] = {{'c', "char %s[16]", 0}, {'i', "int %s", 1}, {'u', "unsigned int %s", 0}, {'l', "long %s", 1},
                 {'U', "unsigned long %s", 0}, {'p', "void * %s", 0}, {'o', "s32 %s", 1}, {'d', "__data_loc char[] %s", 0},
                 {'A', "unsigned long %s[6]", 0}, {'t', "char %s[]", 0}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == field->type) {
            text_add(text, "\tfield:");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            text_format(text, types[i].declaration, field->name);
#pragma GCC diagnostic pop
            text_format(text, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", field->offset, field->size, types[i].is_signed);
        }
}

static void put_format_text(struct text *text, const char *event, unsigned id, const struct layout *layout, const char *print)
{
    text_format(text, "name: %s\nID: %u\nformat:\n", event, id);
    text_add(text, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
    for (unsigned i = 0; i < layout->n; i++)
        put_field_row(text, &layout->fields[i]);
    text_format(text, "\nprint fmt: ");
    text_add(text, print);
    text_add(text, "\n");
}

struct out {
    FILE *file;
    uint64_t size;
};

static void put(struct out *out, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, out->file);
    out->size += size;
}
static void put_string(struct out *out, const char *string)
{
    put(out, string, strlen(string) + 1);
}
static void put_u16(struct out *out, uint16_t value)
{
    unsigned char bytes[2];
    write_le16(bytes, value);
    put(out, bytes, 2);
}
static void put_u32(struct out *out, uint32_t value)
{
    unsigned char bytes[4];
    write_le32(bytes, value);
    put(out, bytes, 4);
}
static void put_u64(struct out *out, uint64_t value)
{
    unsigned char bytes[8];
    write_le64(bytes, value);
    put(out, bytes, 8);
}
static void put_text64(struct out *out, const char *text)
{
    put_u64(out, strlen(text));
    put(out, text, strlen(text));
}

static void put_one_format(struct out *out, const char *event, unsigned id, const struct layout *layout, const char *print)
{
    struct text text = {0};
    put_format_text(&text, event, id, layout, print);
    put_text64(out, text_string(&text));
    text_release(&text);
}

static void put_formats_of(struct out *out, const char *system)
{
    uint32_t n = 0;
    for (const struct dat_format *format = dat_formats; format->kind; format++)
        n += !strcmp(format->system, system) && is_written(format);
    put_u32(out, n);
    for (const struct dat_format *format = dat_formats; format->kind; format++)
        if (!strcmp(format->system, system) && is_written(format)) {
            struct layout layout = layout_of(format->fields, format->sources);
            put_one_format(out, format->event, format->id, &layout, format->print);
        }
}

static void put_vectors(struct out *out)
{
    uint32_t n = 0;
    while (dat_vectors[n])
        n++;
    put_u32(out, n * 2);
    for (uint32_t i = 0; i < n * 2; i++) {
        char name[64];
        struct layout layout = layout_of("i4 vector", "v0");
        snprintf(name, sizeof name, "%s_%s", dat_vectors[i / 2], i & 1 ? "exit" : "entry");
        put_one_format(out, name, DAT_VECTOR_ID + i, &layout, "\"vector=%d\", REC->vector");
    }
}

static void put_events(struct out *out)
{
    static const char *const systems[] = {"sched", "irq", "timer", "preemptirq", "power", "raw_syscalls", "exceptions", "lock", "nmi", "cobalt_core", "cobalt_posix", "evl"};
    uint32_t n = sizeof systems / sizeof *systems;
    put_formats_of(out, "ftrace");
    put_u32(out, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        put_string(out, systems[i]);
        put_formats_of(out, systems[i]);
    }
    put_string(out, "irq_vectors");
    put_vectors(out);
}

static void put_option(struct out *out, unsigned id, const char *text)
{
    put_u16(out, (uint16_t)id);
    put_u32(out, (uint32_t)strlen(text) + 1);
    put_string(out, text);
}

static void put_headers(struct dat_writer *writer, struct out *out)
{
    static const unsigned char magic[] = "\x17\x08\x44tracing6";
    put(out, magic, sizeof magic);
    put(out, "\0\10", 2);
    put_u32(out, PAGE_BYTES);
    put_string(out, "header_page");
    put_text64(out, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
    put_string(out, "header_event");
    put_text64(out, "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
                    "\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n");
    put_events(out);
    char *symbols = symbol_table();
    put_u32(out, (uint32_t)strlen(symbols));
    put(out, symbols, strlen(symbols));
    free(symbols);
    put_u32(out, 0);
    put_text64(out, text_string(&writer->cmdlines));
    put_u32(out, (uint32_t)writer->n_cpus);
    put(out, "options  ", 10);
    char text[256];
    snprintf(text, sizeof text, "[%s]", writer->clock);
    put_option(out, 4, text);
    snprintf(text, sizeof text, "Linux synth %s x86_64", writer->release);
    put_option(out, 5, text);
    put_option(out, 9, "3.1.6 synth");
    put_u16(out, 0);
}

static void put_pages(struct dat_writer *writer, struct out *out)
{
    put(out, "flyrecord", 10);
    uint64_t offset = (out->size + 16 * (uint64_t)writer->n_cpus + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES, start = offset;
    for (int i = 0; i < writer->n_cpus; i++) {
        put_u64(out, offset);
        put_u64(out, writer->cpus[i].n_pages * PAGE_BYTES);
        offset += writer->cpus[i].n_pages * PAGE_BYTES;
    }
    while (out->size < start)
        put(out, "", 1);
    for (int i = 0; i < writer->n_cpus; i++) {
        unsigned char page[PAGE_BYTES];
        rewind(writer->cpus[i].pages);
        while (fread(page, 1, sizeof page, writer->cpus[i].pages) == sizeof page)
            put(out, page, sizeof page);
    }
}

bool dat_finish(struct dat_writer *writer, const char *path)
{
    struct out out = {fopen(path, "wb"), 0};
    for (int i = 0; i < writer->n_cpus; i++)
        flush_page(&writer->cpus[i]);
    if (out.file) {
        put_headers(writer, &out);
        put_pages(writer, &out);
    }
    bool done = out.file && !ferror(out.file);
    done = out.file && !fclose(out.file) && done;
    for (int i = 0; i < writer->n_cpus; i++)
        fclose(writer->cpus[i].pages);
    free(writer->clock);
    free(writer->release);
    text_release(&writer->cmdlines);
    free(writer);
    return done;
}
