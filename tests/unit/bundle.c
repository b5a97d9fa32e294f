/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bundle/: tables and sample records, whole, cut and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bundle/bundle.h"
#include "bundle/samples.h"

static void a_row_comes_back_as_it_was_written(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    int fd = fileno(file);
    struct error error = {0};
    const char *const columns[] = {"# name", "value_ns", "text"};
    const char *const row[] = {"a\tb\\c\nd", "-117", NULL};
    assert_int_equal(bundle_row_write(fd, columns, 3, &error), OK);
    assert_int_equal(bundle_row_write(fd, row, 3, &error), OK);
    char bytes[256];
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    struct bundle_table *table = bundle_table_read(bytes, (size_t)n);
    int64_t value;
    assert_int_equal(bundle_table_rows(table), 1);
    assert_string_equal(bundle_table_field(table, 0, "name"), "a\tb\\c\nd");
    assert_true(bundle_table_i64(table, 0, "value_ns", &value));
    assert_int_equal(value, -117);
    assert_null(bundle_table_field(table, 0, "text"));
    assert_null(bundle_table_field(table, 0, "nothing"));
    bundle_table_free(table);
    /* cut anywhere: never more than what is whole */
    for (size_t cut = 0; cut < (size_t)n; cut++) {
        table = bundle_table_read(bytes, cut);
        assert_int_equal(bundle_table_rows(table), 0);
        bundle_table_free(table);
    }
    fclose(file);
}

static void the_last_value_of_a_key_holds(void **state)
{
    (void)state;
    static const char bytes[] = "whylate-bundle\t1\nstate\trunning\nstate\tcomplete\nload\t-\n";
    struct bundle_table *table = bundle_table_read(bytes, sizeof bytes - 1);
    assert_string_equal(bundle_table_value(table, "state"), "complete");
    assert_null(bundle_table_value(table, "load"));
    bundle_table_free(table);
}

static void samples_keep_every_field_and_show_damage(void **state)
{
    (void)state;
    unsigned char header_bytes[BUNDLE_SAMPLES_HEADER_BYTES], bytes[BUNDLE_SAMPLE_BYTES + 16];
    struct bundle_samples_header header = {.thread = 3, .n_counters = 2, .interval_ns = 20000, .first_due_ns = 123456789};
    bundle_samples_header_write(header_bytes, &header);
    struct bundle_samples_header read_back;
    assert_true(bundle_samples_header_read(header_bytes, sizeof header_bytes, &read_back));
    assert_int_equal(read_back.thread, 3);
    assert_int_equal(read_back.record_bytes, 48);
    assert_int_equal(read_back.interval_ns, 20000);
    for (size_t i = 0; i < sizeof header_bytes; i++) {
        header_bytes[i] ^= 0x10;
        assert_false(bundle_samples_header_read(header_bytes, sizeof header_bytes, &read_back));
        header_bytes[i] ^= 0x10;
    }
    struct bundle_sample sample = {.sequence = 7, .due_ns = 1000, .wake_ns = 118000, .n_missed = 5, .counters = {11, UINT64_MAX}}, got = {0};
    bundle_sample_write(bytes, &sample, 2);
    assert_true(bundle_sample_read(bytes, 2, &got));
    assert_int_equal(got.sequence, 7);
    assert_int_equal(got.wake_ns - got.due_ns, 117000);
    assert_int_equal(got.n_missed, 5);
    assert_true(got.counters[0] == 11 && got.counters[1] == UINT64_MAX);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] ^= 0x01;
        assert_false(bundle_sample_read(bytes, 2, &got));
        bytes[i] ^= 0x01;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_comes_back_as_it_was_written),
        cmocka_unit_test(the_last_value_of_a_key_holds),
        cmocka_unit_test(samples_keep_every_field_and_show_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
