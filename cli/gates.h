/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits for continuous integration: --fail-above, --fail-verdict, --fail-regression; told as text, JUnit XML or TAP. */
#ifndef CLI_GATES_H
#define CLI_GATES_H

#include "cli/session.h"

struct gate_result {
    char *name;    /* "run a.txt, T0: maximum at most 100 us" */
    char *problem; /* NULL: kept */
    bool is_skipped; /* unknown: neither kept nor broken; problem says why */
};
struct gates {
    struct gate_result *results;
    size_t n, capacity, n_failed;
};

/* Words of the request that no gate understands (a verdict that does not exist ...). */
enum status gates_check_request(const struct request *request, struct error *error);
void gates_run(struct gates *gates, const struct request *request, const struct session *session);
/* Broken limits to stderr; --tap to stdout; --junit to its file. */
enum status gates_report(const struct gates *gates, const struct request *request, struct error *error);
void gates_release(struct gates *gates);

#endif
