/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events that the simulated machine gives, before they are written in one format or another. */
#ifndef SYNTH_EVENT_H
#define SYNTH_EVENT_H

#include <stdint.h>

#include "store/events.h"

/* Raw common_flags of a mainline kernel of 6.1. */
#define RAW_IRQS_OFF 0x01
#define RAW_RESCHED  0x04
#define RAW_HARDIRQ  0x08
#define RAW_SOFTIRQ  0x10
#define RAW_NMI      0x40
/* Dovetail's. */
#define RAW_HARD_OFF 0x02
#define RAW_HEAD     0x40

/*
 * One event. s and v hold the arguments of its kind in the order of store/kinds.def, strings and numbers apart:
 * SCHED_SWITCH has s {prev_comm, next_comm}, v {prev_tid, prev_prio, prev_state's bits, next_tid, next_prio}.
 */
struct synth_event {
    int64_t time_ns;
    int32_t cpu, tid;
    const char *comm; /* of the current task */
    uint16_t kind;
    uint8_t flags, depth;
    const char *s[2];
    int64_t v[6];
};

/* Functions of the simulated kernel: an address for each, the same in every run. */
uint64_t symbol_address(const char *function);
/* "address T name" lines; the caller frees. */
char *symbol_table(void);

#endif
