/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page walker against pages made by hand, in both byte orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "importers/trace_dat_page.h"

#define PAGE 256

/* A page being written; every number goes through put(). */
struct page {
    unsigned char bytes[PAGE];
    bool big;
    struct page_layout layout;
    size_t used;
};

static void put(unsigned char *p, uint64_t value, unsigned size, bool big)
{
    for (unsigned i = 0; i < size; i++)
        p[big ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

static void begin(struct page *page, bool big, unsigned commit_size, uint64_t time)
{
    memset(page, 0, sizeof *page);
    page->big = big;
    page->layout = (struct page_layout){big, commit_size, 8 + commit_size};
    put(page->bytes, time, 8, big);
    page->used = 0;
}

static void word(struct page *page, uint32_t value)
{
    put(page->bytes + page->layout.data_offset + page->used, value, 4, page->big);
    page->used += 4;
}

static void head(struct page *page, unsigned type, uint32_t delta)
{
    word(page, page->big ? type << 27 | delta : delta << 5 | type);
}

static void commit(struct page *page, uint64_t flags)
{
    put(page->bytes + 8, page->used | flags, page->layout.commit_size, page->big);
}

#define BOTH_ORDERS(big) for (int big = 0; big < 2; big++)

static bool next(struct page_cursor *cursor, bool big, struct page_record *record)
{
    return big ? page_next(cursor, true, record) : page_next(cursor, false, record);
}

static void deltas_add_up(void **state)
{
    (void)state;
    BOTH_ORDERS(big)
    {
        struct page page;
        struct page_cursor cursor = {0};
        struct page_record record;
        begin(&page, big, 8, 1000);
        head(&page, 2, 5);
        word(&page, 0xaabbccdd);
        word(&page, 0);
        head(&page, 1, 7);
        word(&page, 42);
        commit(&page, 0);
        assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
        assert_true(next(&cursor, big, &record));
        assert_int_equal(cursor.time, 1005);
        assert_int_equal(record.size, 8);
        assert_int_equal(page_load32(record.bytes, big), 0xaabbccdd);
        assert_true(next(&cursor, big, &record));
        assert_int_equal(cursor.time, 1012);
        assert_int_equal(page_load32(record.bytes, big), 42);
        assert_false(next(&cursor, big, &record));
        assert_false(cursor.is_damaged);
        assert_false(cursor.has_lost);
    }
}

static void time_extends_and_stamps(void **state)
{
    (void)state;
    BOTH_ORDERS(big)
    {
        struct page page;
        struct page_cursor cursor = {0};
        struct page_record record;
        uint64_t start = (UINT64_C(3) << 59) + 100;
        begin(&page, big, 8, start);
        head(&page, 30, 3); /* + (2 << 27 | 3) */
        word(&page, 2);
        head(&page, 1, 1);
        word(&page, 0);
        head(&page, 31, 9); /* absolute: 0x10000 << 27 | 9, upper bits kept */
        word(&page, 0x10000);
        head(&page, 1, 0);
        word(&page, 0);
        commit(&page, 0);
        assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
        assert_true(next(&cursor, big, &record));
        assert_true(cursor.time == start + (UINT64_C(2) << 27) + 3 + 1);
        assert_true(next(&cursor, big, &record));
        assert_true(cursor.time == (UINT64_C(3) << 59 | UINT64_C(0x10000) << 27 | 9));
        assert_false(next(&cursor, big, &record));
    }
}

static void padding_counts_its_delta_or_ends_the_page(void **state)
{
    (void)state;
    BOTH_ORDERS(big)
    {
        struct page page;
        struct page_cursor cursor = {0};
        struct page_record record;
        begin(&page, big, 8, 0);
        head(&page, 29, 50); /* a discarded event of 12 bytes behind its head */
        word(&page, 12);
        word(&page, 1);
        word(&page, 2);
        head(&page, 1, 5);
        word(&page, 7);
        head(&page, 29, 0); /* the rest of the page */
        head(&page, 1, 5);
        word(&page, 8);
        commit(&page, 0);
        assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
        assert_true(next(&cursor, big, &record));
        assert_int_equal(cursor.time, 55);
        assert_int_equal(page_load32(record.bytes, big), 7);
        assert_false(next(&cursor, big, &record));
        assert_false(cursor.is_damaged);
    }
}

static void long_records_have_their_length_in_front(void **state)
{
    (void)state;
    BOTH_ORDERS(big)
    {
        struct page page;
        struct page_cursor cursor = {0};
        struct page_record record;
        begin(&page, big, 4, 0);
        head(&page, 0, 1);
        word(&page, 4 + 10); /* 10 bytes, rounded up to 12 */
        word(&page, 1);
        word(&page, 2);
        word(&page, 3);
        head(&page, 1, 1);
        word(&page, 99);
        commit(&page, 0);
        assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
        assert_true(next(&cursor, big, &record));
        assert_int_equal(record.size, 10);
        assert_true(next(&cursor, big, &record));
        assert_int_equal(page_load32(record.bytes, big), 99);
        assert_int_equal(cursor.time, 2);
    }
}

static void lost_events_with_and_without_count(void **state)
{
    (void)state;
    BOTH_ORDERS(big)
    {
        for (unsigned commit_size = 4; commit_size <= 8; commit_size += 4) {
            struct page page;
            struct page_cursor cursor = {0};
            begin(&page, big, commit_size, 0);
            head(&page, 30, 1); /* a page that starts with a time extend keeps its mark */
            word(&page, 1);
            commit(&page, UINT64_C(1) << 31);
            assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
            assert_true(cursor.has_lost);
            assert_true(cursor.n_lost == UINT64_MAX);
            put(page.bytes + page.layout.data_offset + page.used, 1234, commit_size, big);
            commit(&page, UINT64_C(3) << 30);
            assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
            assert_int_equal(cursor.n_lost, 1234);
        }
    }
}

static void damage_is_said_and_stays_within_the_page(void **state)
{
    (void)state;
    BOTH_ORDERS(big)
    {
        struct page page;
        struct page_cursor cursor = {0};
        struct page_record record;
        begin(&page, big, 8, 0);
        head(&page, 28, 1); /* 112 bytes, of which 4 are there */
        word(&page, 0);
        commit(&page, 0);
        assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
        assert_false(next(&cursor, big, &record));
        assert_true(cursor.is_damaged);
        put(page.bytes + 8, 0x7ffffff, 8, big); /* more used than the page has */
        assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
        assert_true(cursor.is_damaged);
        assert_ptr_equal(cursor.end, page.bytes + PAGE);
        assert_false(page_begin(&cursor, &page.layout, page.bytes, 15));
        static const unsigned types[] = {0, 29, 30, 31};
        for (size_t i = 0; i < 4; i++) { /* cut behind its first word */
            begin(&page, big, 8, 0);
            head(&page, types[i], 1);
            commit(&page, 0);
            assert_true(page_begin(&cursor, &page.layout, page.bytes, PAGE));
            assert_false(next(&cursor, big, &record));
            assert_true(cursor.is_damaged);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deltas_add_up),
        cmocka_unit_test(time_extends_and_stamps),
        cmocka_unit_test(padding_counts_its_delta_or_ends_the_page),
        cmocka_unit_test(long_records_have_their_length_in_front),
        cmocka_unit_test(lost_events_with_and_without_count),
        cmocka_unit_test(damage_is_said_and_stays_within_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
