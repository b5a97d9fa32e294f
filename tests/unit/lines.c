/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/lines.h"

/* Joins the repaired lines with '\n'. */
static char *all_lines(const char *bytes, size_t size, unsigned *repairs)
{
    static char text[65536];
    struct lines *lines = lines_new(bytes, size);
    size_t n = 0;
    struct line line;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1))
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s\n", (int)line.length, line.text);
    text[n] = '\0';
    if (repairs)
        *repairs = lines_repairs(lines);
    lines_free(lines);
    return text;
}
#define CHECK(in, out, bits)                                                                                 \
    do {                                                                                                     \
        unsigned repairs_;                                                                                   \
        assert_string_equal(all_lines(in, sizeof(in) - 1, &repairs_), out);                                  \
        assert_int_equal(repairs_, bits);                                                                    \
    } while (0)

static void test_repairs(void **state)
{
    (void)state;
    CHECK("a\nb\n\nc", "a\nb\n\nc\n", 0);
    CHECK("a\r\nb\r\n", "a\nb\n", REPAIR_CRLF);
    CHECK("\xef\xbb\xbf" "a\n", "a\n", REPAIR_ENCODING);
    CHECK("\xff\xfe" "a\0b\0\r\0\n\0c\0", "ab\nc\n", REPAIR_ENCODING | REPAIR_CRLF);
    CHECK("\xfe\xff\0a\0b\0\n\0c", "ab\nc\n", REPAIR_ENCODING);
    CHECK("> T: 0\n>> deep\n> > deeper\nflat\n", "T: 0\ndeep\ndeeper\nflat\n", REPAIR_QUOTING);
    CHECK(":|  # func\n:   # a\n:   # b\n>   # begin\n:   # c\n:   # d\n", ":|  # func\n:   # a\n:   # b\n>   # begin\n:   # c\n:   # d\n", 0);
    CHECK("isolcpus=3D1 =\nmore=20\n", "isolcpus=1 more \n", REPAIR_QUOTED_PRINTABLE);
    CHECK("T:\xc2\xa0" "0 \xe2\x88\x92" "5\n", "T: 0 -5\n", REPAIR_SPACES);
    CHECK("caf\xc3\xa9 \xc2\xb5s\n", "caf\xc3\xa9 \xc2\xb5s\n", 0);
    CHECK("\x1b[2Jx\x1b[31mred\x1b[0m\n10%\r20%\rdone\n", "xred\ndone\n", REPAIR_ANSI);
    CHECK("&gt; a &lt;b&gt;\n&gt; c &amp; d\n", "a <b>\nc & d\n", REPAIR_HTML | REPAIR_QUOTING);
    CHECK("15&#x27; &#39;&lt;\na&#160;b&#x3e;&#7;&#;&#x2700;&lt;\n", "15' '<\na b>&#7;&#;&#x2700;<\n", REPAIR_HTML);
    CHECK("\0\0\0\0abc\n", "abc\n", REPAIR_NULS);
    CHECK("[   12.345678] text\n<4>[  1.000001] x\nJan  1 12:00:00 host kernel: y\n[not] me\n", "text\nx\ny\n[not] me\n",
          REPAIR_CONSOLE_PREFIX);
}

/* What the arrangement of lines suffered, and what only looks like it. */
static void test_arrangement(void **state)
{
    (void)state;
    CHECK("a\n\nb\n\nc\n\n\n\nd\n\ne\n\nf\n", "a\nb\nc\n\nd\ne\nf\n", REPAIR_SPACING);
    CHECK("> a\n> \n> b\n>\n> c\n> \n> d\n> \n> e\n> \n> f\n", "a\nb\nc\nd\ne\nf\n", REPAIR_SPACING | REPAIR_QUOTING);
    CHECK("a\n\nb\n\nc\nd\n\ne\nf\n\ng\n", "a\n\nb\n\nc\nd\n\ne\nf\n\ng\n", 0);
    CHECK("   1  # x\n   2  T: 0\n   3\n   4  # y\n   5  000001 3\n   6    z\n", "# x\nT: 0\n\n# y\n000001 3\n  z\n", REPAIR_MARGIN);
    CHECK("     1\t# x\n     2\t  T: 0\n     3\tz\n     4\t7 8\n     5\t9\n     6\t0 1\n", "# x\n  T: 0\nz\n7 8\n9\n0 1\n", REPAIR_MARGIN);
    CHECK("1: 4 timer\n2: 5 eth0\n3: 6 eth1\n4: 7 a\n5: 8 b\n6: 9 c\n", "1: 4 timer\n2: 5 eth0\n3: 6 eth1\n4: 7 a\n5: 8 b\n6: 9 c\n", 0);
    CHECK("# h\n1 a\n2 b\n3 c\n4 d\n5 e\n6 f\n", "# h\n1 a\n2 b\n3 c\n4 d\n5 e\n6 f\n", 0);
    CHECK("T: 0 ( 2234) P: 2 I:10000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:   =\n  129\n",
          "T: 0 ( 2234) P: 2 I:10000 C:  10000 Min:      9 Act:   30 Avg:   21 Max:     129\n", REPAIR_QUOTED_PRINTABLE);
    CHECK("====== a ======\nb =\nc\n", "====== a ======\nb =\nc\n", 0);
}

static void test_cursor_up_and_prefix(void **state)
{
    (void)state;
    const char text[] = "T: 0\n\x1b[3AT: 1\n[    1.000000] z\n";
    struct lines *lines = lines_new(text, sizeof text - 1);
    struct line line;
    assert_true(lines_peek(lines, 1, &line));
    assert_int_equal(line.cursor_up, 3);
    assert_memory_equal(line.text, "T: 1", line.length);
    assert_true(lines_peek(lines, 2, &line));
    assert_memory_equal(line.prefix, "[    1.000000] ", line.prefix_length);
    assert_int_equal(line.number, 3);
    assert_false(lines_peek(lines, 3, &line));
    lines_free(lines);
}

/* Going back and forth gives the same lines and numbers, for plain and for repaired text. */
static void test_seek(void **state)
{
    (void)state;
    for (int crlf = 0; crlf < 2; crlf++) {
        char *text = malloc(200000);
        size_t n = 0;
        for (int i = 0; i < 9000; i++)
            n += (size_t)sprintf(text + n, "line %d%s\n", i, crlf ? "\r" : "");
        struct lines *lines = lines_new(text, n);
        struct line line;
        lines_skip(lines, 10);
        size_t early = lines_tell(lines);
        assert_true(lines_peek(lines, 5000, &line));
        assert_int_equal(line.number, 5011);
        lines_skip(lines, 5000);
        size_t late = lines_tell(lines);
        lines_skip(lines, 100);
        lines_seek(lines, late);
        assert_true(lines_peek(lines, 0, &line));
        assert_int_equal(line.number, 5011);
        lines_seek(lines, early);
        assert_true(lines_peek(lines, 0, &line));
        assert_int_equal(line.number, 11);
        assert_memory_equal(line.text, "line 10", 7);
        assert_int_equal(line.length, 7);
        const char *begin, *end;
        assert_int_equal(lines_raw(lines, &begin, &end), !crlf);
        if (!crlf) {
            assert_memory_equal(begin, "line 10\n", 8);
            lines_raw_skip(lines, begin + 16, 2);
            assert_int_equal(lines_number(lines), 13);
            lines_seek(lines, early);
            assert_int_equal(lines_number(lines), 11);
        }
        uint64_t first;
        assert_int_equal(lines_repair_count(lines, REPAIR_CRLF, &first) > 5000, crlf);
        lines_free(lines);
        free(text);
    }
}

static void test_scan(void **state)
{
    (void)state;
    const char *text = "  42 -7 0x1f 12.3456 12,5 18446744073709551616 x", *p = text, *end = text + strlen(text);
    uint64_t u;
    int64_t i;
    assert_true(scan_blanks(&p, end) && scan_u64(&p, end, &u) && u == 42);
    assert_true(scan_blanks(&p, end) && scan_i64(&p, end, &i) && i == -7);
    assert_true(scan_blanks(&p, end) && scan_hex(&p, end, &u) && u == 0x1f);
    assert_true(scan_blanks(&p, end) && scan_decimal(&p, end, 3, &i) && i == 12345);
    assert_true(scan_blanks(&p, end) && scan_decimal(&p, end, 3, &i) && i == 12500);
    assert_true(scan_blanks(&p, end) && !scan_u64(&p, end, &u) && *p == '1');
}

static void test_is_text(void **state)
{
    (void)state;
    assert_true(lines_is_text("T: 0 ( 1)\n", 10));
    const char *hard = "\xc2\xa0\xc2\xa0\xc2\xa0\xc2\xa0\xc2\xa0\xc2\xa0" "4 us\n"; /* blanks of a web page */
    assert_true(lines_is_text(hard, strlen(hard)));
    assert_false(lines_is_text("\0\0\0\0", 4));
    assert_true(lines_is_text("\0\0\0\0# cyclictest current status", 31));
    assert_false(lines_is_text("\x7f" "ELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3e\x00\x01", 19));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repairs), cmocka_unit_test(test_arrangement), cmocka_unit_test(test_cursor_up_and_prefix), cmocka_unit_test(test_seek),
        cmocka_unit_test(test_scan), cmocka_unit_test(test_is_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
