/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "importers/cells.h"

static struct cell of(const char *text)
{
    return (struct cell){text, strlen(text)};
}

static void test_numbers(void **state)
{
    (void)state;
    int64_t ns = 7;
    assert_true(cell_ns(of("121.659"), 3, &ns));
    assert_int_equal(ns, 121659);
    assert_true(cell_ns(of("-1.856"), 3, &ns));
    assert_int_equal(ns, -1856);
    assert_true(cell_ns(of("-0.5"), 3, &ns));
    assert_int_equal(ns, -500);
    assert_true(cell_ns(of("12"), 0, &ns));
    assert_int_equal(ns, 12);
    ns = 7;
    const char *const bad[] = {"", "-", "with", "1.2x", "--1", "0x10", "99999999999999999999", "9999999999999999.9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(cell_ns(of(bad[i]), 3, &ns));
    assert_int_equal(ns, 7);
    uint64_t u;
    assert_true(cell_u64(of("18446744073709551615"), &u));
    assert_true(u == UINT64_MAX);
    assert_false(cell_u64(of("18446744073709551616"), &u));
    assert_false(cell_u64(of("-1"), &u));
    int i;
    assert_true(cell_int(of("-1"), &i));
    assert_int_equal(i, -1);
    assert_false(cell_int(of("2147483648"), &i));
}

static void test_times(void **state)
{
    (void)state;
    int64_t ns;
    assert_true(cell_clock_ns(of("00:54:31"), &ns));
    assert_int_equal(ns, INT64_C(3271000000000));
    assert_true(cell_clock_ns(of("100:00:01"), &ns));
    assert_int_equal(ns, INT64_C(360001000000000));
    assert_false(cell_clock_ns(of("00:61:00"), &ns));
    assert_false(cell_clock_ns(of("00:54"), &ns));
    assert_false(cell_clock_ns(of("00:54:31x"), &ns));
}

static void test_splitting(void **state)
{
    (void)state;
    struct cells cells = {0};
    const char *row = "RTD|      0.710|  2.346|    121.659 |    3245|";
    cells_add_parts(&cells, row, strlen(row), '|');
    assert_int_equal(cells.n, 6);
    assert_true(cell_is(cells.cell[3], "121.659"));
    assert_true(cell_is(cells.cell[5], ""));
    cells_clear(&cells);
    row = "  0 #252 \t x ";
    cells_add_words(&cells, row, strlen(row));
    assert_int_equal(cells.n, 3);
    assert_true(cell_is(cells_at(&cells, 1), "#252"));
    assert_int_equal(cells_at(&cells, 9).length, 0);
    cells_release(&cells);
    assert_true(cell_is(cell_after(of("Max latency was  17 us"), "was"), "17 us"));
    assert_int_equal(cell_after(of("abc"), "x").length, 0);
    char text[4];
    assert_string_equal(cell_copy(of("abcdef"), text, sizeof text), "abc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_times), cmocka_unit_test(test_splitting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
