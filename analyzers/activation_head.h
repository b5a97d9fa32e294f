/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Activations of Cobalt and EVL threads, out of the co-kernel's own events:
 *
 *     tick shot due ─ clock interrupt ─ timer expiry ─ thread resumed ─ context switch ─ return of its system call
 *
 * and their excursions into Linux: from the relax to the switch back (is_relax).
 *
 * A tick shot says when the hardware was told to interrupt: the due time of the timer that was the first then. Of a
 * timer that was started relative to the present its start says so too; where the shot lies later, the programming was late.
 */
#ifndef ANALYZERS_ACTIVATION_HEAD_H
#define ANALYZERS_ACTIVATION_HEAD_H

#include "analyzers/activation.h"

struct head_activations;
/* As activations_new(), and part of its pass; the caller frees. */
struct head_activations *head_activations_new(const struct activations_config *config);
/* Takes every event of the co-kernel; others change nothing. */
void head_activations_apply(struct head_activations *head, const struct event_ref *ref);
/* Linux put a thread to sleep of its own will: if it is relaxed, its time there is no delay. */
void head_activations_sleep(struct head_activations *head, int32_t tid);
/* Events of this CPU were lost. */
void head_activations_loss(struct head_activations *head, int32_t cpu);
void head_activations_finish(struct head_activations *head);
void head_activations_free(struct head_activations *head);

static inline bool kind_is_head(unsigned kind)
{
    return kind >= KIND_COBALT_SWITCH && kind <= KIND_COBALT_SYSEXIT;
}

#endif
