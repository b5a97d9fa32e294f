/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the JSON of all rt-tests tools has in common: who, when, on which kernel. */
#ifndef IMPORTERS_RT_TESTS_H
#define IMPORTERS_RT_TESTS_H

#include "importers/tool_command.h"
#include "importers/json_block.h"

struct rt_tests_head {
    const char *tool;         /* "cyclictest": the program's name, a loan from a static table; NULL unknown */
    const char *command_line; /* a loan from the JSON */
    const char *version;
    int64_t duration_ns;      /* end_time - start_time, whole seconds; NS_UNKNOWN */
    int64_t return_code;      /* INT64_MIN unknown */
    struct tool_command command;
};

/* Reads the head; facts are stated by rt_tests_facts() once the run is settled. */
void rt_tests_read_head(const json_t *json, struct rt_tests_head *head);
void rt_tests_facts(struct import *import, const json_t *json, const struct rt_tests_head *head);
/* "Mon, 30 Nov 2026 11:00:06 +0000" as seconds since 1970. */
bool rt_tests_parse_date(const char *text, int64_t *seconds);

#endif
