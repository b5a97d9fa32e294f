/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words, sentences, JSON text and pages: the parts of report/ that need no store. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/json.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/sentences.h"
#include "report/words.h"

static void expect_words(bool known, struct text *text, bool is_known, const char *words)
{
    assert_int_equal(known, is_known);
    assert_string_equal(text_string(text), words);
    text_truncate(text, 0);
}

static void test_words_by_unit(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "");
    expect_words(words_integer("max_ns", 117000, &text), &text, true, "117 us");
    expect_words(words_integer("max_ns", NS_UNKNOWN, &text), &text, false, "");
    expect_words(words_integer("n_samples", 43200000, &text), &text, true, "43,200,000");
    expect_words(words_integer("n_samples", -1, &text), &text, false, "");
    expect_words(words_number("p", 0.00001, &text), &text, true, "1e-05");
    expect_words(words_number("p", 0.0123, &text), &text, true, "0.012");
    expect_words(words_number("share_pct", 84.4, &text), &text, true, "84 %");
    expect_words(words_number("level_ns", INFINITY, &text), &text, true, "without bound");
    expect_words(words_number("level_ns", NAN, &text), &text, false, "");
    words_interval(0.849, NAN, &text);
    expect_words(true, &text, true, "0.849..?");
    expect_words(words_integer("size_bytes", 999999, &text), &text, true, "1.0 MB");
    text_release(&text);
}

static void test_clean(void **state)
{
    (void)state;
    struct text text = {0};
    words_clean("a\033[31mb\ttab \xc3\xa4 \xff \xe2\x80\xae" "c", &text);
    assert_string_equal(text_string(&text), "a?[31mb tab \xc3\xa4 ? ?c");
    assert_int_equal(words_width("\xc3\xa4" "b"), 2);
    text_release(&text);
}

static void test_plot_quote_cannot_be_left(void **state)
{
    (void)state;
    struct text text = {0};
    text_add_quoted(&text, "it's `rm` \n@x");
    assert_string_equal(text_string(&text), "'it''s \"rm\" ?@x'");
    text_release(&text);
}

static char *json_to_string(json_t *json)
{
    char *string = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&string, &size);
    json_write(json, file);
    fclose(file);
    json_decref(json);
    return string;
}

static void test_json_text(void **state)
{
    (void)state;
    char *string = json_to_string(json_pack("{s:o, s:o, s:o, s:o, s:o}", "a", json_ns(NS_UNKNOWN), "b", json_double(0.1), "c",
                                            json_double(INFINITY), "d", json_word("x\xff\"\x01"), "e", json_count(0)));
    assert_string_equal(string, "{\"a\": null, \"b\": 0.1, \"c\": null, \"d\": \"x\xef\xbf\xbd\\\"\\u0001\", \"e\": 0}\n");
    free(string);
    double value = 5432.1000000000004;
    string = json_to_string(json_double(value));
    assert_true(strtod(string, NULL) == value);
    free(string);
    string = json_to_string(json_pack("[{s:[]}, i]", "deep", 1));
    assert_string_equal(string, "[\n  {\n    \"deep\": []\n  },\n  1\n]\n");
    free(string);
}

static void test_table_fits(void **state)
{
    (void)state;
    static const struct table_column columns[] = {{.title = "name", .flexible = true}, {.title = "n", .right = true}};
    char *string = NULL, longest[200];
    size_t size = 0;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    struct page page = {.file = open_memstream(&string, &size)};
    struct table *table = table_new(columns, 2);
    table_cell(table, longest);
    table_cell(table, "7");
    table_print(table, &page, 2);
    table_free(table);
    page_paragraph(&page, 2, STYLE_PLAIN, "note:", longest);
    fclose(page.file);
    for (char *line = strtok(string, "\n"); line; line = strtok(NULL, "\n"))
        assert_in_range(strlen(line), 1, PAGE_COLUMNS);
    free(string);
}

/* A finding of a code that no table has still tells all it holds. */
static void test_sentence_without_row(void **state)
{
    (void)state;
    struct value values[] = {{.key = "max_ns", .kind = VALUE_INTEGER, .integer = 1500}};
    struct finding finding = {.code = "code-of-the-future", .subject = "T0", .cpu = CPU_UNKNOWN, .run = ROW_NONE, .series = ROW_NONE, .n_values = 1, .values = values};
    struct store store = {0};
    struct text text = {0};
    sentence_text(&store, &finding, &text);
    assert_string_equal(text_string(&text), "code-of-the-future: T0: max_ns 1.5 us");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_by_unit),       cmocka_unit_test(test_clean),
        cmocka_unit_test(test_plot_quote_cannot_be_left), cmocka_unit_test(test_json_text),
        cmocka_unit_test(test_table_fits),          cmocka_unit_test(test_sentence_without_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
