/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Event formats made plain: for every event id of a trace file, where each argument of its kind lies and how it is
 * turned into words. Built once, by one thread, from the format texts; read only afterwards, so that any number of
 * workers may use it.
 *
 * The texts are parsed here and not with libtraceevent: they come from the file, that is from anybody, and only the
 * field rows and the tables of __print_symbolic() are needed. (tests/unit/trace_dat_formats.c compares with
 * tep_parse_event().)
 */
#ifndef IMPORTERS_TRACE_DAT_FORMATS_H
#define IMPORTERS_TRACE_DAT_FORMATS_H

#include "importers/trace_dat.h"

#define FORMAT_MAX_FIELDS 128
#define FORMAT_MAX_OPS    12

struct trace_field {
    const char *name;
    uint32_t offset, size;  /* in the record; size 0: to its end */
    uint16_t element_size;  /* of an array */
    bool is_signed, is_array, is_char, is_data_loc, is_rel_loc, is_pointer;
    uint32_t map;           /* + 1: index of its table of names */
};

/* One step of decoding: bytes at src become the kind's argument dst. */
enum trace_op_code {
    OP_NONE = 0,
    OP_NUMBER32,    /* any size and sign into one word */
    OP_NUMBER64,    /* into two words */
    OP_CHARS,       /* fixed array of characters, or to the end of the record */
    OP_COMM,        /* char[16] */
    OP_DATA_LOC,    /* text elsewhere in the record */
    OP_REL_LOC,
    OP_STATE,       /* sched_switch's prev_state into letters */
    OP_SYMBOL,      /* address into a function's name */
    OP_SYMBOL_FROM_TEXT, /* signed offset from _stext into a function's name */
    OP_NAME,        /* number into a name by a table of names */
    OP_ATOM,        /* a constant string */
    OP_CONST32,     /* a constant: the sentinel of what this kernel does not tell */
    OP_CONST64,
    OP_CPU_MASK,    /* data_loc cpumask into a list of CPUs */
    OP_PRINTK,      /* address of a string that the printk table has */
    OP_TID,         /* the record's own task */
};
struct trace_op {
    uint8_t code, dst;
    uint8_t size;
    bool is_signed;
    uint32_t src;
    uint32_t aux; /* atom, table of names, constant */
};

/* Events whose payload is not a row of numbers. */
enum trace_special {
    SPECIAL_NONE = 0, SPECIAL_UNKNOWN, SPECIAL_OTHER, SPECIAL_PRINT, SPECIAL_BPRINT, SPECIAL_BPUTS, SPECIAL_STACK, SPECIAL_GRAPH_EXIT,
    SPECIAL_HWLAT_TIME, SPECIAL_WAKE,
};
struct trace_decoder {
    uint16_t id, kind;
    uint8_t n_ops, special;
    uint32_t min_size; /* of the record: the common and all fixed fields lie within */
    struct trace_op ops[FORMAT_MAX_OPS];
    uint32_t name_atom;            /* "system:event" */
    uint32_t n_fields;
    const struct trace_field *fields; /* without the common ones */
    uint32_t special_offset[3];       /* fields that a special decoder needs */
};

struct trace_name {
    int64_t value;
    uint32_t atom;
};
struct trace_map {
    uint32_t n;
    const struct trace_name *names; /* in the order of the text */
};

struct trace_symbol {
    uint64_t address;
    const char *name;
};

struct trace_formats {
    struct arena arena;
    bool big;
    unsigned kernel_long;
    uint32_t page_data_offset; /* 12 or 16 */
    unsigned commit_size;
    uint32_t flags_offset, depth_offset, tid_offset, migrate_offset; /* migrate 0: in the depth's high nibble or none */
    uint32_t common_size;
    uint32_t flag_bits[256], depth_bits[256];
    uint32_t flags_known;
    uint16_t decoder_of[65536]; /* by event id; 0: decoders[0], of ids without a format */
    size_t n_decoders, decoders_capacity;
    struct trace_decoder *decoders;
    size_t n_maps, maps_capacity;
    struct trace_map *maps;
    size_t n_atoms, atoms_capacity;
    const char **atoms;
    uint64_t damaged_formats;
    /* prev_state of sched_switch: index by its low 12 bits. */
    uint32_t state_words[4096];

    size_t n_symbols, symbols_capacity;
    struct trace_symbol *symbols;   /* kallsyms, sorted */
    uint64_t text_start;            /* _stext; 0: the table lacks it, so it is cut */
    size_t n_printk, printk_capacity;
    struct trace_symbol *printk;    /* printk formats and strings, sorted */
    uint8_t *tid_has_name;          /* bitmap of saved_cmdlines, TRACE_TID_BITS bits */
    size_t n_comms, comms_capacity;
    struct trace_symbol *comms;     /* address: the tid; sorted */
};
#define TRACE_TID_BITS (1u << 22) /* PID_MAX_LIMIT */

/* What the file tells about the kernel's flag letters. */
void trace_formats_build(struct trace_formats *formats, const struct trace_file *file, struct import *import);
void trace_formats_release(struct trace_formats *formats);

/* The function that an address lies in, NULL when the table does not tell. */
const char *trace_symbol_find(const struct trace_formats *formats, uint64_t address);
const char *trace_comm_find(const struct trace_formats *formats, uint32_t tid);
const char *trace_printk_find(const struct trace_formats *formats, uint64_t address);

/* ---- between the files of this part ---- */
bool trace_format_parse(struct trace_formats *formats, const char *system, struct span text, bool *damaged);
void trace_format_bind(struct trace_formats *formats, struct trace_decoder *decoder, const char *system,
                       const char *event, const struct trace_field *fields, size_t n_fields, struct span print_fmt);
uint32_t trace_atom(struct trace_formats *formats, const char *text);
void trace_tables_read(struct trace_formats *formats, const struct trace_file *file, struct import *import);

#endif
