/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the user's inputs to an analysed store: what most commands begin with. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/command.h"
#include "report/document.h"

struct session {
    struct store *store;
    struct analysis analysis;
    json_t *document;
};

/* Opens the one run file, or imports all paths into an unlinked temporary one. NULL: the error is filled. */
struct store *session_store(const struct request *request, const char *const *paths, size_t n_paths,
                            struct error *error);
/* Store, analysis of the request's jobs, document. Release in any case. */
enum status session_open(struct session *session, const struct request *request, const char *const *paths,
                         size_t n_paths, struct error *error);
void session_release(struct session *session);

/* The outlier that --outlier names (worst first, from 1), with its span and --context around it. */
const struct outlier *session_outlier(const struct session *session, const struct request *request, int64_t *begin_ns,
                                      int64_t *end_ns, struct error *error);

/* Flushes standard output; a full disk or closed pipe is an error. */
enum status stdout_finish(struct error *error);

/*
 * For commands that wrote a run file: shows it, by their jobs, from the file itself, so that what is said is what others
 * will read. The exit code.
 */
int session_show_file(struct request *request, struct error *error);

/* The whole of a command that only analyses and prints, with the limits of cli/gates.h. */
int session_command(struct request *request, struct error *error);

#endif
