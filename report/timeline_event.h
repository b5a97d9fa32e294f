/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event of a timeline, in one short line: who left, who came, what began. */
#ifndef REPORT_TIMELINE_EVENT_H
#define REPORT_TIMELINE_EVENT_H

#include "store/store.h"

/* "switch: swapper/1 -> cyclictest:508 (prio 4)"; events without a short form as event_format() shows them. */
void timeline_event_format(const struct store *store, const struct event_view *view, size_t i, char *text, size_t size);

#endif
