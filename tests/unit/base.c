/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/: durations, CPU sets, errors, text, arenas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpuset.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static void durations_are_read_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {{"150us", 150000}, {"1.2ms", 1200000}, {"3 s", 3000000000}, {"0", 0}, {"0.001us", 1}, {"-5us", -5000},
                {"1.5min", 90000000000}, {"12h", 43200000000000}, {"7ns", 7}, {".5 ms", 500000}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t ns = -1;
        assert_true(duration_parse(good[i].text, &ns));
        assert_int_equal(ns, good[i].ns);
    }
    static const char *const bad[] = {"", "us", "5", "1.5ns", "0.0001us", "9999999999999999999s", "1e3us", "5 parsec", "1.2.3ms"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t ns;
        assert_false(duration_parse(bad[i], &ns));
    }
}

static void durations_are_printed_with_units(void **state)
{
    (void)state;
    char text[DURATION_TEXT_BYTES];
    assert_string_equal(duration_format(117000, text), "117 us");
    assert_string_equal(duration_format(1234567, text), "1.235 ms");
    assert_string_equal(duration_format(-999, text), "-999 ns");
    assert_string_equal(duration_format(26232000000, text), "26.232 s");
    assert_string_equal(duration_format(0, text), "0 ns");
    assert_string_equal(duration_format(INT64_MIN, text), "-9223372036.855 s");
    assert_string_equal(duration_format_long(11520000000000, text), "3 h 12 min");
}

static void cpu_lists_and_masks(void **state)
{
    (void)state;
    struct cpuset set;
    char text[64];
    assert_true(cpuset_parse("0-3,8,10-11\n", &set));
    assert_int_equal(cpuset_count(&set), 7);
    cpuset_format(&set, text, sizeof text);
    assert_string_equal(text, "0-3,8,10-11");
    assert_false(cpuset_parse("3-1", &set));
    assert_false(cpuset_parse("1-", &set));
    assert_false(cpuset_parse("99999", &set));
}

static void the_first_error_is_kept(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(error_input(&error, "cannot parse '%s'", "x"), FAILED);
    error_output(&error, "later");
    error_prefix(&error, "%s:%d: ", "a.txt", 7);
    assert_string_equal(error.text, "a.txt:7: cannot parse 'x'");
    assert_int_equal(error_exit_code(&error), 3);
    for (int i = 0; i < 100; i++)
        error_prefix(&error, "%s: ", "a long directory name that goes on");
    assert_true(strlen(error.text) < sizeof error.text);
}

static void text_stops_at_its_maximum(void **state)
{
    (void)state;
    struct text text = {.max_length = 5};
    text_add(&text, "abc");
    text_format(&text, "%d", 123456);
    assert_string_equal(text_string(&text), "abc12");
    assert_true(text.cut);
    text_release(&text);
    assert_string_equal(text_string(&text), "");
}

static void values_that_many_share_are_told_once(void **state)
{
    (void)state;
    static const char *const values[] = {"a", "b", "a", NULL, NULL};
    struct text text = {0};
    text_add_distinct(&text, values, 2, "unknown");
    assert_string_equal(text_string(&text), "a against b");
    text_truncate(&text, 0);
    text_add_distinct(&text, values, 5, "unknown");
    assert_string_equal(text_string(&text), "a (2 runs) against b (1 run) against unknown (2 runs)");
    text_release(&text);
}

static void arenas_hand_out_zeroed_memory(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (size_t i = 1; i < 3000; i += 7) {
        unsigned char *p = arena_new(&arena, i * 11);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < i * 11; k++)
            assert_int_equal(p[k], 0);
        memset(p, 255, i * 11);
    }
    assert_string_equal(arena_format(&arena, "%s-%d", "x", 5), "x-5");
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_read_exactly), cmocka_unit_test(durations_are_printed_with_units),
        cmocka_unit_test(cpu_lists_and_masks),        cmocka_unit_test(the_first_error_is_kept),
        cmocka_unit_test(values_that_many_share_are_told_once),
        cmocka_unit_test(text_stops_at_its_maximum),  cmocka_unit_test(arenas_hand_out_zeroed_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
