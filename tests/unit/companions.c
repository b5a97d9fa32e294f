/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Switches in one stream, functions in another: used together if their clocks are one, and said if they are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/analyzer.h"
#include "tests/unit/trace_builder.h"

#define RT  100
#define LOW 300

/* Of the second stream. */
struct second {
    const char *clock;
    double apart_us;  /* its clock is ahead by this */
    bool in_own_file;
    bool is_dense;    /* rows of bash in the time before, too */
};

static void function_row(struct trace_builder *b, double us, int32_t tid, const char *name)
{
    uint32_t *w;
    b->current[0] = tid;
    struct event_batch *batch = trace_add(b, 0, us, KIND_FUNCTION, flags_make(FLAG_NEED_RESCHED, 1, 0), &w);
    trace_string(batch, &w[0], name);
    trace_string(batch, &w[1], "ext4_sync_file");
}

/* bash has the CPU from 20.9 ms on; the real-time thread is woken at 21 ms and waits for 2 ms. */
static void first_stream(struct trace_builder *b)
{
    trace_task(b, RT, 4, "cyclictest");
    trace_task(b, LOW, 120, "bash");
    trace_timer_start(b, 0, 10, 0xa0, "hrtimer_wakeup", 1000);
    for (int i = 1; i <= 20; i++)
        trace_cycle(b, 0, 1000 * i, RT, 1000 * (i + 1));
    trace_switch(b, 0, 20600, 'R', LOW);
    trace_vector(b, 0, 21002, true, "local_timer", 236, HARD);
    trace_expire(b, 0, 21003, 0xa0, "hrtimer_wakeup", 21003);
    trace_wake(b, 0, 21004, KIND_SCHED_WAKING, RT, 0);
    trace_wake(b, 0, 21005, KIND_SCHED_WAKEUP, RT, 0);
    trace_expired(b, 0, 21006, 0xa0);
    trace_vector(b, 0, 21008, false, "local_timer", 236, HARD_RESCHED);
    trace_switch(b, 0, 23000, 'R', RT);
    trace_switch(b, 0, 23010, 'S', 0);
    trace_switch(b, 0, 23100, 'R', LOW);
    trace_switch(b, 0, 26000, 'S', 0);
}

static void second_stream(struct trace_builder *b, const struct second *s)
{
    event_sink_free(b->sink);
    uint32_t artefact = 0;
    if (s->in_own_file)
        artefact = store_add_artefact(b->writer, &(struct artefact){.run = b->run, .path = "functions", .format = "test"});
    struct stream stream = {.run = b->run, .artefact = artefact, .name = "functions", .clock = s->clock, .resolution_ns = 1, .n_cpus = -1,
                            .n_shown = COUNT_UNKNOWN, .n_written = COUNT_UNKNOWN};
    b->stream = store_add_stream(b->writer, &stream);
    b->sink = event_sink_new(b->writer, b->stream);
    event_sink_set_flags_known(b->sink, FLAG_NEED_RESCHED | FLAG_PREEMPT_DEPTH);
    double apart = s->apart_us;
    for (int i = 0; s->is_dense && i < 60; i++)
        function_row(b, 20605 + 5 * i + apart, LOW, "ext4_map_blocks");
    for (int i = 0; i < 3; i++)
        function_row(b, 21020 + 20 * i + apart, LOW, "ext4_map_blocks");
    function_row(b, 21090 + apart, LOW, "jbd2_log_do_checkpoint"); /* nothing more for 1.8 ms */
    function_row(b, 22890 + apart, LOW, "ext4_da_write_end");
}

static void explained(const struct second *s, const char *code, const char *variant, bool names_function)
{
    struct trace_builder b = trace_begin("mono");
    first_stream(&b);
    second_stream(&b, s);
    struct store *store = trace_end(&b);
    struct analysis analysis = {0};
    struct analysis_options options = analysis_options_default;
    struct error error = {0};
    options.jobs = JOB_EXPLAIN;
    assert_int_not_equal(analysis_run(&analysis, store, &options, &error), FAILED);
    const struct outlier *o = analysis.outliers[0];
    int64_t sum = 0;
    for (size_t i = 0; i < o->n_slices; i++)
        sum += o->slices[i].amount_ns;
    assert_int_equal(sum, o->latency_ns);
    assert_int_equal(o->latency_ns, 2000000);
    assert_int_equal(strstr(o->culprit, "jbd2_log_do_checkpoint") != NULL, names_function);
    assert_non_null(strstr(o->culprit, "bash:300"));
    if (names_function) { /* the flags of its rows tell why it stayed */
        assert_int_equal(o->cause, CAUSE_PREEMPT_OFF);
    } else {
        assert_int_equal(o->cause, CAUSE_LOWER_PRIORITY_TASK);
    }
    size_t n = 0;
    for (size_t i = 0; i < analysis.findings.n; i++)
        if (!strncmp(analysis.findings.items[i]->code, "streams-", 8)) {
            assert_string_equal(analysis.findings.items[i]->code, code);
            assert_string_equal(analysis.findings.items[i]->variant, variant);
            n++;
        }
    assert_int_equal(n, 1);
    analysis_release(&analysis);
    store_close(store);
}

static void an_instance_of_the_same_file_is_used(void **state)
{
    (void)state;
    explained(&(struct second){"mono", 0, false, true}, "streams-joined", "", true);
    explained(&(struct second){"mono", 0, false, false}, "streams-joined", "", true); /* few rows: the file's clock is one */
}

static void another_file_is_used_if_its_rows_agree(void **state)
{
    (void)state;
    explained(&(struct second){"mono", 0, true, true}, "streams-joined", "", true);
    explained(&(struct second){"mono", 0, true, false}, "streams-apart", "unknown", false);
}

static void clocks_that_are_apart_are_said(void **state)
{
    (void)state;
    explained(&(struct second){"local", 0, true, true}, "streams-apart", "clock", false);
    explained(&(struct second){"mono", -400, true, true}, "streams-apart", "tasks", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_of_the_same_file_is_used),
        cmocka_unit_test(another_file_is_used_if_its_rows_agree),
        cmocka_unit_test(clocks_that_are_apart_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
