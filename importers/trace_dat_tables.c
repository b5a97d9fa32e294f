/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of names in a trace file: kallsyms, printk formats, saved command lines.
 *
 *     ffffffff81000000 T _stext        0xffffffff82a1b2c3 : "hit %d"        1234 cyclictest
 *
 * Odd: kallsyms of a user without the right to it has addresses 0; a table that was cut on purpose (it lacks _stext)
 * would give any address to the last function it happens to have, so there only entry points count.
 */
#include <stdlib.h>
#include <string.h>

#include "importers/trace_dat_formats.h"

#include "base/memory.h"

/* An entry point may be reported a few bytes in: behind endbr64, at the call of the tracer. */
#define ENTRY_POINT_BYTES 16
#define MAX_FUNCTION_BYTES (1 << 20)

static int compare_symbols(const void *a, const void *b)
{
    const struct trace_symbol *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void sort_symbols(struct trace_symbol *symbols, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (symbols[i].address < symbols[i - 1].address) {
            memory_sort(symbols, n, sizeof *symbols, compare_symbols);
            return;
        }
}

/* Index of the last symbol at or below the address; SIZE_MAX: none. */
static size_t symbol_below(const struct trace_symbol *symbols, size_t n, uint64_t address)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : SIZE_MAX;
}

const char *trace_symbol_find(const struct trace_formats *formats, uint64_t address)
{
    size_t i = symbol_below(formats->symbols, formats->n_symbols, address);
    if (i == SIZE_MAX)
        return NULL;
    uint64_t reach = formats->text_start ? MAX_FUNCTION_BYTES : ENTRY_POINT_BYTES;
    uint64_t start = formats->symbols[i].address;
    if (address - start > reach)
        return NULL;
    /* Of several names of one address the kernel's own print takes the first of the table: qsort is not stable. */
    const char *name = formats->symbols[i].name;
    for (; i > 0 && formats->symbols[i - 1].address == start; i--)
        if (formats->symbols[i - 1].name < name)
            name = formats->symbols[i - 1].name;
    return name;
}

static const char *find_exact(const struct trace_symbol *symbols, size_t n, uint64_t address)
{
    size_t i = symbol_below(symbols, n, address);
    return i != SIZE_MAX && symbols[i].address == address ? symbols[i].name : NULL;
}

const char *trace_comm_find(const struct trace_formats *formats, uint32_t tid)
{
    return find_exact(formats->comms, formats->n_comms, tid);
}

const char *trace_printk_find(const struct trace_formats *formats, uint64_t address)
{
    return find_exact(formats->printk, formats->n_printk, address);
}

static bool parse_hex(const char **p, const char *end, uint64_t *value)
{
    const char *begin = *p;
    *value = 0;
    for (; *p < end; ++*p) {
        int c = (unsigned char)**p, letter = c | 32;
        if (c >= '0' && c <= '9')
            *value = *value << 4 | (unsigned)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            *value = *value << 4 | (unsigned)(letter - 'a' + 10);
        else
            break;
    }
    return *p > begin;
}

static void read_kallsyms(struct trace_formats *formats, struct span text)
{
    const char *p = text.size ? (const char *)text.bytes : "", *end = p + text.size;
    bool has_start = false;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;
        uint64_t address;
        if (parse_hex(&p, stop, &address) && stop - p > 3 && p[0] == ' ' && p[2] == ' ' && address) {
            char type = p[1];
            const char *name = p + 3;
            size_t length = 0;
            while (name + length < stop && name[length] != '\t' && name[length] != ' ' && name[length])
                length++;
            /* Only code: data symbols between functions would swallow addresses. */
            if (length && (type == 't' || type == 'T' || type == 'w' || type == 'W')) {
                memory_reserve(formats->symbols, formats->symbols_capacity, formats->n_symbols + 1);
                const char *kept = arena_string_n(&formats->arena, name, length);
                formats->symbols[formats->n_symbols++] = (struct trace_symbol){address, kept};
                if (!has_start && !strcmp(kept, "_stext")) {
                    formats->text_start = address;
                    has_start = true;
                } else if (!has_start && !strcmp(kept, "_text")) {
                    formats->text_start = address;
                }
            }
        }
        p = stop + 1;
    }
    sort_symbols(formats->symbols, formats->n_symbols);
}

/* 0xADDRESS : "text" with \n, \t, \" and \\ escaped. */
static void read_printk(struct trace_formats *formats, struct span text)
{
    const char *p = text.size ? (const char *)text.bytes : "", *end = p + text.size;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;
        uint64_t address;
        if (stop - p > 2 && p[0] == '0' && (p[1] | 32) == 'x')
            p += 2;
        const char *quote = NULL, *last = stop;
        if (parse_hex(&p, stop, &address))
            quote = memchr(p, '"', (size_t)(stop - p));
        while (quote && last > quote + 1 && last[-1] != '"')
            last--;
        if (quote && last > quote + 1) {
            char *kept = arena_new(&formats->arena, (size_t)(last - quote));
            size_t length = 0;
            for (const char *c = quote + 1; c < last - 1; c++) {
                if (*c == '\\' && c + 1 < last - 1) {
                    c++;
                    kept[length++] = *c == 'n' ? '\n' : *c == 't' ? '\t' : *c;
                } else {
                    kept[length++] = *c;
                }
            }
            memory_reserve(formats->printk, formats->printk_capacity, formats->n_printk + 1);
            formats->printk[formats->n_printk++] = (struct trace_symbol){address, kept};
        }
        p = stop + 1;
    }
    sort_symbols(formats->printk, formats->n_printk);
}

/* "1234 cyclictest" per line: becomes rows of tasks, and which tids have a name. */
static void read_cmdlines(struct trace_formats *formats, struct span text, struct import *import)
{
    formats->tid_has_name = memory_new(TRACE_TID_BITS / 8);
    formats->tid_has_name[0] |= 1; /* the idle task */
    const char *p = text.size ? (const char *)text.bytes : "", *end = p + text.size;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;
        while (p < stop && *p == ' ')
            p++;
        uint64_t tid = 0;
        const char *digits = p;
        for (; p < stop && *p >= '0' && *p <= '9' && tid < TRACE_TID_BITS; p++)
            tid = tid * 10 + (uint64_t)(*p - '0');
        if (p > digits && p < stop && *p == ' ' && tid < TRACE_TID_BITS) {
            p++;
            size_t length = strnlen(p, (size_t)(stop - p));
            formats->tid_has_name[tid / 8] |= (uint8_t)(1u << tid % 8);
            const char *comm = arena_string_n(&formats->arena, p, length < 63 ? length : 63);
            memory_reserve(formats->comms, formats->comms_capacity, formats->n_comms + 1);
            formats->comms[formats->n_comms++] = (struct trace_symbol){tid, comm};
            if (import && length) {
                struct task task = task_unknown();
                task.run = import->run;
                task.artefact = import->artefact;
                task.tid = (int32_t)tid;
                task.comm = comm;
                store_add_task(import->store, &task);
            }
        }
        p = stop + 1;
    }
    sort_symbols(formats->comms, formats->n_comms);
}

void trace_tables_read(struct trace_formats *formats, const struct trace_file *file, struct import *import)
{
    read_kallsyms(formats, file->kallsyms);
    if (formats->n_symbols && !formats->text_start)
        TRACE_NOTE(import, "symbols-cut", 0,
                   "the table of functions is cut (it lacks _stext): %zu names are used for entry points only", formats->n_symbols);
    read_printk(formats, file->printk);
    read_cmdlines(formats, file->cmdlines, import);
}
