/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What importers name as their marks, against what their probes say: at every line of every text among the test data (and of the
 * files and folders named on the command line), an importer that says more than "not mine" must have a mark there.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "importers/marks.h"

static const char *const usual[] = {"tests/data", "tests/fuzz/corpus/tool_results", "samples", "docs"};
static const char *const *inputs = usual;
static size_t n_inputs = sizeof usual / sizeof *usual;
static size_t n_lines, n_offered, n_wanted, n_missed;

static void check_line(struct lines *lines, const struct line *line, const struct member *member, uint64_t by_name)
{
    uint64_t offered = by_name | marks_of_line(line);
    n_lines++;
    for (uint64_t rest = marks_all(); rest; rest &= rest - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(rest);
        const struct importer *importer = marks_importer(bit);
        bool is_offered = offered >> bit & 1, is_wanted = importer->probe_lines(lines, member).sureness > 0;
        n_offered += is_offered;
        n_wanted += is_wanted;
        if (is_wanted && !is_offered && lines_number(lines) > 1) { /* some forms are known by the name and the first line, which is offered to all */
            n_missed++;
            print_error("%s:%llu: %s has no mark for it: %.*s\n", member->path, (unsigned long long)line->number, importer->name,
                        (int)(line->length < 120 ? line->length : 120), line->text);
        }
    }
}

static void check_member(const struct member *member, const unsigned char *bytes, size_t size)
{
    if (!lines_is_text(bytes, size) || size > 4 << 20)
        return;
    uint64_t by_name = marks_of_member(member);
    struct lines *lines = lines_new(bytes, size);
    struct line line;
    for (; lines_peek(lines, 0, &line); lines_skip(lines, 1))
        if (!line_is_blank(&line) && line.length < 4096)
            check_line(lines, &line, member, by_name);
    lines_free(lines);
}

static void test_probes(void **state)
{
    (void)state;
    for (size_t k = 0; k < n_inputs; k++) {
        struct input *input;
        struct error error = {0};
        if (input_open(&input, inputs[k], &input_limits_default, &error) == FAILED)
            continue;
        for (size_t i = 0; i < input_count(input); i++) {
            const unsigned char *bytes;
            size_t size;
            if (input_map(input, i, &bytes, &size, &error) == FAILED)
                continue;
            check_member(input_member(input, i), bytes, size);
            input_unmap(input, i);
        }
        input_close(input);
    }
    assert_int_equal(n_missed, 0);
    assert_true(n_lines > 2000 && n_wanted > 2000);
    assert_true(n_offered < n_lines * 20); /* else the marks tell nothing */
    print_message("%zu lines, offered %zu times, wanted %zu times\n", n_lines, n_offered, n_wanted);
}

static bool offers(const char *text, const char *name)
{
    const struct line line = {.text = text, .length = strlen(text), .number = 1};
    uint64_t found = marks_of_line(&line);
    for (unsigned bit = 0; bit < 64 && marks_all() >> bit & 1; bit++)
        if (strcmp(marks_importer(bit)->name, name) == 0)
            return found >> bit & 1;
    fail_msg("no importer '%s'", name);
    return false;
}

static void test_lines(void **state)
{
    (void)state;
    const struct member member = {.path = "x", .directory = "", .name = "x"};
    assert_int_equal(marks_of_member(&member), 0);
    assert_true(offers("xx ccpu0 1", "proc-stat"));       /* a mark behind a false start of itself */
    assert_true(offers("MIN", "reported-table"));         /* case aside */
    assert_true(offers("  | 17", "cyclictest"));          /* the first character, but for blanks and bars */
    assert_false(offers("a 17 b", "cyclictest"));
    assert_false(offers("", "cyclictest"));
    assert_false(offers("the quick brown fox", "ftrace"));
    const struct line line = {.text = "the quick", .length = 9, .prefix = "[    1.2] "};
    assert_int_equal(marks_of_line(&line), marks_all()); /* a console's prefix: any */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_probes), cmocka_unit_test(test_lines)};
    if (argc > 1) {
        inputs = (const char *const *)argv + 1;
        n_inputs = (size_t)argc - 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
