/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYNTH_DAT_FORMATS_H
#define SYNTH_DAT_FORMATS_H

#include "tests/synth/event.h"

/*
 * fields: "type name|..."; types c16 char[16], i4 u4 l8 U8 numbers, p pointer, o offset from _stext, d __data_loc char[],
 * A unsigned long[6], t char[] to the end. sources, one per field: s0 s1 strings, v0.. numbers, f0 f1 the address of the
 * function that s0 or s1 names, z zero.
 */
struct dat_format {
    unsigned kind, id;
    const char *system, *event, *fields, *sources, *print;
};
extern const struct dat_format dat_formats[]; /* kind 0 ends it */

/* EVL's own take the place of Cobalt's. */
#define DAT_EVL_ID 380
#define DAT_EVL_END 400

/* irq_vectors:NAME_entry and NAME_exit: ids 400 + 2 * i and one more. */
extern const char *const dat_vectors[];
#define DAT_VECTOR_ID 400

#define DAT_PREEMPTIRQ_PRINT                                                                                  \
    "\"caller=%pS parent=%pS\", (void *)((unsigned long)(_stext) + REC->caller_offs), (void *)((unsigned long)(_stext) + " \
    "REC->parent_offs)"

#endif
