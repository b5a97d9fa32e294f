/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/gates.h"
#include "report/plot.h"
#include "report/text_view.h"

struct store *session_store(const struct request *request, const char *const *paths, size_t n_paths,
                            struct error *error)
{
    bool is_one_file = n_paths == 1 && strcmp(paths[0], "-") != 0;
    bool is_run_file = is_one_file && store_path_is_run_file(paths[0]);
    if (is_run_file && request->import.format) {
        error_usage(error, "%s is a run file: there is nothing to read as %s", paths[0], request->import.format);
        return NULL;
    }
    if (is_run_file && request->import.n_settings == 0)
        return store_open(paths[0], error);
    struct store_writer *writer = store_writer_new(NULL, error);
    if (!writer)
        return NULL;
    store_writer_no_sync(writer);
    if (import_inputs(writer, paths, n_paths, &request->import, error) == FAILED) {
        store_writer_abandon(writer);
        return NULL;
    }
    int fd = store_writer_finish_fd(writer, error);
    return fd < 0 ? NULL : store_open_fd(fd, "temporary run file", error);
}

enum status session_open(struct session *session, const struct request *request, const char *const *paths,
                         size_t n_paths, struct error *error)
{
    memset(session, 0, sizeof *session);
    session->store = session_store(request, paths, n_paths, error);
    if (!session->store)
        return FAILED;
    struct analysis_options options = request->analysis;
    if (session->store->n_runs < 2 && strcmp(request->command->name, "report") == 0)
        options.jobs &= ~(unsigned)JOB_COMPARE; /* a report compares where there is something to compare */
    if (analysis_run(&session->analysis, session->store, &options, error) == FAILED)
        return FAILED;
    session->document = document_new(request->command->name, session->store, &session->analysis, &request->analysis);
    return OK;
}

const struct outlier *session_outlier(const struct session *session, const struct request *request, int64_t *begin_ns,
                                      int64_t *end_ns, struct error *error)
{
    const struct analysis *analysis = &session->analysis;
    size_t i = (size_t)request->outlier - 1;
    if (i >= analysis->n_outliers) {
        if (analysis->n_outliers)
            error_usage(error, "there is no outlier %d, the last is %zu", (int)request->outlier, analysis->n_outliers);
        else
            error_input(error, "the input holds no outlier");
        return NULL;
    }
    const struct outlier *outlier = analysis->outliers[i];
    *begin_ns = outlier->begin_ns;
    *end_ns = outlier->end_ns;
    if (outlier->begin_ns == NS_UNKNOWN || outlier->end_ns == NS_UNKNOWN)
        return outlier;
    int64_t length_ns = outlier->end_ns - outlier->begin_ns, context_ns = request->context_ns;
    if (context_ns == NS_UNKNOWN)
        context_ns = length_ns > 1000000 ? length_ns > INT64_MAX / 16 ? length_ns : 10 * length_ns : 10000000;
    if (__builtin_sub_overflow(*begin_ns, context_ns, begin_ns))
        *begin_ns = INT64_MIN + 1; /* INT64_MIN is "unknown" */
    if (__builtin_add_overflow(*end_ns, context_ns, end_ns))
        *end_ns = INT64_MAX;
    return outlier;
}

void session_release(struct session *session)
{
    json_decref(session->document);
    analysis_release(&session->analysis);
    if (session->store)
        store_close(session->store);
    memset(session, 0, sizeof *session);
}

enum status stdout_finish(struct error *error)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return error_output(error, "cannot write standard output: %s", strerror(errno));
    return OK;
}

/* The distribution drawn with characters; without gnuplot or data, a word on stderr. */
static void print_plot(const struct session *session)
{
    struct plot_source source = {session->document, session->store, &session->analysis};
    const struct plot_kind *kind = plot_kind_find("histogram");
    struct error error = {0};
    if (!kind->count(&source))
        fputs("whylate: nothing to plot: the input holds no distribution\n", stderr);
    else if (plot_print(kind, &source, 0, stdout, &error) == FAILED)
        fprintf(stderr, "whylate: no plot: %s\n", error.text);
}

/* Prints the document as the request wants it: JSON, or text. */
static enum status session_print(const struct session *session, const struct request *request, struct error *error)
{
    if (request->json) {
        json_write(session->document, stdout);
    } else if (!request->quiet) {
        struct text_options options = {
            .color = !request->no_color && text_view_has_color(stdout),
            .timeline = request->analysis.timeline,
        };
        text_view_print(session->document, session->store, &session->analysis, &options, stdout);
        if (request->plot)
            print_plot(session);
    }
    return stdout_finish(error);
}

int session_show_file(struct request *request, struct error *error)
{
    if (request->quiet && !request->json)
        return 0;
    struct session session = {0};
    request->import.n_settings = 0; /* they are in the file */
    request->import.format = NULL;
    int code = 0;
    if (session_open(&session, request, &request->output, 1, error) == FAILED ||
        session_print(&session, request, error) == FAILED)
        code = error_exit_code(error);
    session_release(&session);
    return code;
}

int session_command(struct request *request, struct error *error)
{
    struct session session = {0};
    struct gates gates = {0};
    int code = 0;
    if (gates_check_request(request, error) == FAILED ||
        session_open(&session, request, request->words, request->n_words, error) == FAILED) {
        code = error_exit_code(error);
        goto out;
    }
    gates_run(&gates, request, &session);
    if ((!request->tap && session_print(&session, request, error) == FAILED) ||
        gates_report(&gates, request, error) == FAILED)
        code = error_exit_code(error);
    else
        code = gates.n_failed ? EXIT_LIMIT : 0;
out:
    gates_release(&gates);
    session_release(&session);
    return code;
}
