/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All analyzers on stores of random rows, in which sentinels and nonsense are frequent: no crash, no hang, and a verdict for each series. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/analyzer.h"
#include "tests/store_fixture.h"

static void any_rows_are_analysed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct error error = {0};
        struct fixture f = {.seed = seed * 0x9e3779b97f4a7c15u};
        struct store_writer *writer = store_writer_new(NULL, &error);
        assert_non_null(writer);
        fixture_write(&f, writer, seed % 8, 50 * seed);
        int fd = store_writer_finish_fd(writer, &error);
        assert_true(fd >= 0);
        struct store *store = store_open_fd(fd, "random", &error);
        assert_non_null(store);
        struct analysis_options options = analysis_options_default;
        options.jobs = JOB_INFO | JOB_VALIDATE | JOB_COMPARE | JOB_CHECK;
        options.baseline = (uint32_t)(seed % 3);
        struct analysis analysis = {0};
        assert_int_not_equal(analysis_run(&analysis, store, &options, &error), FAILED);
        for (size_t i = 0; i < store->n_series; i++)
            assert_int_not_equal(analysis.series[i].verdict, VERDICT_NONE);
        analysis_release(&analysis);
        store_close(store);
        fixture_release(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_rows_are_analysed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
