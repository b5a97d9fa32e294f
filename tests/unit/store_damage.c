/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store/: files that are cut, damaged, newer or unfinished. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "store/layout.h"
#include "tests/store_fixture.h"

static unsigned char *bytes; /* of a small run file, 64-byte aligned, with room behind it */
static size_t n_bytes;

static int make_file(void **state)
{
    (void)state;
    struct error error = {0};
    struct fixture f = {.seed = 12345};
    struct store_writer *writer = store_writer_new(NULL, &error);
    fixture_write(&f, writer, 1, 6);
    int fd = store_writer_finish_fd(writer, &error);
    struct stat stat_of;
    if (fd < 0 || fstat(fd, &stat_of))
        return -1;
    n_bytes = (size_t)stat_of.st_size;
    bytes = aligned_alloc(64, n_bytes + 64);
    ssize_t n = pread(fd, bytes, n_bytes, 0);
    close(fd);
    fixture_release(&f);
    return n == (ssize_t)n_bytes ? 0 : -1;
}

static int drop_file(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

static uint64_t mix(uint64_t hash, const void *data, size_t n)
{
    return hash * 0x9e3779b97f4a7c15u + crc32c((uint32_t)hash, data, n);
}

static uint64_t mix_rows(uint64_t hash, enum row_table_id id, const void *rows, size_t n_rows)
{
    const struct row_table *table = &row_tables[id];
    for (size_t i = 0; i < n_rows; i++)
        for (size_t k = 0; k < table->n_fields; k++) {
            const char *member = (const char *)rows + i * table->row_size + table->fields[k].offset, *string;
            static const size_t size[] = {[FIELD_U32] = 4, [FIELD_I32] = 4, [FIELD_I64] = 8, [FIELD_U64] = 8, [FIELD_F64] = 8,
                                          [FIELD_BOOL] = 1, [FIELD_HEX] = 65, [FIELD_DECIMAL] = 8};
            if (table->fields[k].type == FIELD_STRING) {
                memcpy(&string, member, sizeof string);
                hash = mix(hash, string ? string : "0", string ? strlen(string) : 1);
            } else
                hash = mix(hash, member, size[table->fields[k].type]);
        }
    return hash;
}

/* Reads all there is; 0 if something was found damaged on the way. */
static uint64_t hash_all(const struct store *store)
{
    struct error error = {0};
    uint64_t hash = 1;
    hash = mix_rows(hash, TABLE_RUNS, store->runs, store->n_runs);
    hash = mix_rows(hash, TABLE_ARTEFACTS, store->artefacts, store->n_artefacts);
    hash = mix_rows(hash, TABLE_STREAMS, store->streams, store->n_streams);
    hash = mix_rows(hash, TABLE_SERIES, store->series, store->n_series);
    hash = mix_rows(hash, TABLE_CLAIMS, store->claims, store->n_claims);
    hash = mix_rows(hash, TABLE_FACTS, store->facts, store->n_facts);
    hash = mix_rows(hash, TABLE_NOTES, store->notes, store->n_notes);
    hash = mix_rows(hash, TABLE_COUNTERS, store->counters, store->n_counters);
    hash = mix_rows(hash, TABLE_GAPS, store->gaps, store->n_gaps);
    hash = mix_rows(hash, TABLE_CLOCK_PAIRS, store->clock_pairs, store->n_clock_pairs);
    hash = mix_rows(hash, TABLE_TASKS, store->tasks, store->n_tasks);
    for (uint32_t i = 0; i < store->n_series; i++) {
        size_t n;
        const struct bin *bins = store_bins(store, i, &n);
        hash = mix(hash, bins, n * sizeof *bins);
        const uint64_t *cycles = store_overflow_cycles(store, i, &n);
        hash = mix(hash, cycles, n * sizeof *cycles);
        for (size_t c = 0; c < store_count_sample_chunks(store, i); c++) {
            struct sample_view view;
            if (store_sample_chunk(store, i, c, &view, &error) != OK)
                return 0;
            hash = mix(hash, view.latency_ns, view.n * 8);
            hash = mix(hash, view.time_ns, view.time_ns ? view.n * 8 : 0);
            hash = mix(hash, view.cycle, view.cycle ? view.n * 8 : 0);
            for (size_t k = 0; k < view.n_counters; k++)
                hash = mix(hash, view.counters[k], view.n * 8);
        }
    }
    for (size_t c = 0; c < store->n_event_chunks; c++) {
        struct event_view view;
        char text[300];
        int64_t *time_ns = memory_resize(NULL, store->event_chunks[c].n, sizeof *time_ns);
        bool has_times = store_event_times(store, c, time_ns, &error) == OK;
        hash = has_times ? mix(hash, time_ns, store->event_chunks[c].n * sizeof *time_ns) : 0;
        free(time_ns);
        if (!has_times || store_event_view(store, c, &view, &error) != OK)
            return 0;
        for (size_t i = 0; i < view.n; i++) {
            event_format(store, &view, i, text, sizeof text);
            hash = mix(hash, text, strlen(text));
            hash = mix(hash, &view.time_ns[i], 8);
            hash = mix(hash, &view.flags[i], 4);
        }
        hash = mix(hash, view.state, sizeof *view.state);
    }
    for (uint32_t run = 0; run < store->n_runs; run++) {
        struct event_merge *merge = event_merge_new(store, run, ROW_NONE, INT64_MIN, INT64_MAX, &error);
        struct event_ref ref;
        while (event_merge_next(merge, &ref))
            hash = mix(hash, event_words(&ref), 4 * (event_n_words(ref.view, ref.i) ? 1 : 0));
        for (int cpu = -1; cpu < 4; cpu++)
            event_merge_state(merge, cpu);
        if (event_merge_status(merge) != OK)
            hash = 0;
        event_merge_free(merge);
    }
    return hash;
}

/* How many events of whole chunks end at or before the cut, from the chunk headers alone. */
static uint64_t events_before(size_t cut)
{
    uint64_t n = 0;
    for (size_t at = 64; at + 64 <= cut;) {
        struct chunk_header header;
        memcpy(&header, bytes + at, sizeof header);
        if (header.magic != CHUNK_MAGIC || at + 64 + header.stored_bytes > cut)
            break;
        n += header.type == CHUNK_EVENTS ? header.n : 0;
        at += 64 + layout_align(header.stored_bytes);
    }
    return n;
}

static void a_file_cut_at_any_byte_opens_with_what_is_whole(void **state)
{
    (void)state;
    uint64_t most = 0;
    for (size_t cut = 0; cut < n_bytes; cut++) {
        struct error error = {0};
        unsigned char *part = aligned_alloc(64, (cut + 64) & ~(size_t)63); /* so that sanitizers see the end */
        memcpy(part, bytes, cut);
        struct store *store = store_open_bytes(part, cut, "cut.wl", &error);
        if (cut < 64) {
            assert_null(store);
            assert_string_equal(error.text, "cut.wl: not a run file");
        } else {
            if (!store)
                fail_msg("cut at %zu: %s", cut, error.text);
            assert_true(store->is_recovered && store->recovery);
            assert_int_equal(store->n_events, events_before(cut));
            assert_true(store->n_events >= most);
            most = store->n_events;
            uint64_t n = 0;
            size_t n_gaps = 0;
            for (size_t i = 0; i < store->n_streams; i++)
                n += store->streams[i].n_events;
            assert_int_equal(n, store->n_events);
            for (size_t i = 0; i < store->n_gaps; i++)
                n_gaps += store->gaps[i].reason && !strcmp(store->gaps[i].reason, "run file cut");
            assert_int_equal(n_gaps > 0, store->n_events > 0);
            if (cut % 64 < 2)
                assert_true(hash_all(store) != 0);
        }
        store_close(store);
        free(part);
    }
    assert_true(most > 100);
}

static struct store *open_copy(const unsigned char *copy, struct error *error)
{
    *error = (struct error){0};
    return store_open_bytes(copy, n_bytes, "damaged.wl", error);
}

/* Whatever bit flips: an error, a recovery that says so, or the same content (the bit was in a superseded chunk). */
static void no_flipped_bit_changes_an_answer_silently(void **state)
{
    (void)state;
    struct error error;
    struct store *store = open_copy(bytes, &error);
    uint64_t whole = hash_all(store), seed = 88172645463325252u;
    store_close(store);
    assert_true(whole != 0);
    size_t n_told = 0, n_same = 0;
    for (int i = 0; i < 4000; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        size_t at = seed % n_bytes;
        unsigned char bit = (unsigned char)(1u << (seed >> 40 & 7));
        bytes[at] ^= bit;
        store = open_copy(bytes, &error);
        uint64_t hash = store ? hash_all(store) : 0;
        if (!store)
            assert_int_equal(error.kind, ERROR_INPUT);
        if (!store || store->is_recovered || !hash)
            n_told++;
        else if (hash == whole)
            n_same++;
        else
            fail_msg("bit %u at %zu changed the content without a word", bit, at);
        store_close(store);
        bytes[at] ^= bit;
    }
    assert_true(n_told > 1000 && n_same < 2500);
}

/* Checksums made right again after the damage: only the structural checks stand between it and the reader. */
static void damage_with_right_checksums_never_crashes(void **state)
{
    (void)state;
    struct error error;
    uint64_t seed = 362436069;
    unsigned char *copy = aligned_alloc(64, n_bytes + 64);
    for (int i = 0; i < 6000; i++) {
        memcpy(copy, bytes, n_bytes);
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        struct trailer trailer;
        memcpy(&trailer, copy + n_bytes - 64, sizeof trailer);
        size_t chunk = seed % trailer.n_chunks;
        unsigned char *entry = copy + trailer.index_offset + 64 + chunk * 72;
        struct chunk_header header;
        memcpy(&header, entry + 8, sizeof header);
        unsigned char *payload = copy + read_le64(entry) + 64;
        static const uint32_t odd[] = {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 65536, 16};
        if (seed & 1 << 20) { /* the payload */
            size_t at = (seed >> 24) % header.stored_bytes & ~(size_t)3;
            uint32_t value = odd[seed >> 50 & 3 ? seed >> 52 & 3 : 4 + (seed >> 54) % 3];
            memcpy(payload + at, &value, header.stored_bytes - at < 4 ? header.stored_bytes - at : 4);
            header.payload_crc = crc32c(0, payload, header.stored_bytes);
        } else { /* the header, from its lengths on */
            size_t at = 4 + (seed >> 24) % 56;
            ((unsigned char *)&header)[at] ^= (unsigned char)(1u << (seed >> 40 & 7));
        }
        header.header_crc = crc32c(0, &header, offsetof(struct chunk_header, header_crc));
        memcpy(entry + 8, &header, sizeof header);
        memcpy(&header, copy + trailer.index_offset, sizeof header);
        header.payload_crc = crc32c(0, copy + trailer.index_offset + 64, header.stored_bytes);
        header.header_crc = crc32c(0, &header, offsetof(struct chunk_header, header_crc));
        memcpy(copy + trailer.index_offset, &header, sizeof header);
        struct store *store = open_copy(copy, &error);
        if (store)
            hash_all(store);
        else
            assert_int_equal(error.kind, ERROR_INPUT);
        store_close(store);
    }
    free(copy);
}

static void set_version(unsigned char *copy, uint16_t major, uint16_t minor)
{
    struct file_header header;
    memcpy(&header, copy, sizeof header);
    header.major = major;
    header.minor = minor;
    header.crc = crc32c(0, &header, offsetof(struct file_header, crc));
    memcpy(copy, &header, sizeof header);
}

static void a_newer_major_version_is_refused_a_minor_one_is_not(void **state)
{
    (void)state;
    struct error error;
    set_version(bytes, 2, 3);
    assert_null(open_copy(bytes, &error));
    assert_string_equal(error.text, "damaged.wl: run file of version 2.3; this program reads versions up to 1");
    assert_int_equal(error_exit_code(&error), 3);
    set_version(bytes, LAYOUT_MAJOR, 9);
    struct store *store = open_copy(bytes, &error);
    assert_non_null(store);
    store_close(store);
    set_version(bytes, LAYOUT_MAJOR, LAYOUT_MINOR);
}

/* Changes the header of the last chunk of a type, in place and in the index. */
static void change_chunk(unsigned char *copy, uint16_t type, uint16_t new_type, uint16_t version)
{
    struct trailer trailer;
    struct chunk_header header;
    memcpy(&trailer, copy + n_bytes - 64, sizeof trailer);
    for (size_t i = trailer.n_chunks; i-- > 0;) {
        unsigned char *entry = copy + trailer.index_offset + 64 + i * 72;
        memcpy(&header, entry + 8, sizeof header);
        if (header.type != type)
            continue;
        header.type = new_type;
        header.version = version;
        header.header_crc = crc32c(0, &header, offsetof(struct chunk_header, header_crc));
        memcpy(entry + 8, &header, sizeof header);
        memcpy(copy + read_le64(entry), &header, sizeof header);
        break;
    }
    memcpy(&header, copy + trailer.index_offset, sizeof header);
    header.payload_crc = crc32c(0, copy + trailer.index_offset + 64, header.stored_bytes);
    header.header_crc = crc32c(0, &header, offsetof(struct chunk_header, header_crc));
    memcpy(copy + trailer.index_offset, &header, sizeof header);
}

/* A chunk's payload was changed: its checksum, and the copies of its header, follow. */
static void mend_payload(unsigned char *copy, size_t at)
{
    struct trailer trailer;
    struct chunk_header header;
    memcpy(&trailer, copy + n_bytes - 64, sizeof trailer);
    memcpy(&header, copy + at, sizeof header);
    header.payload_crc = crc32c(0, copy + at + 64, header.stored_bytes);
    header.header_crc = crc32c(0, &header, offsetof(struct chunk_header, header_crc));
    memcpy(copy + at, &header, sizeof header);
    for (size_t i = 0; i < trailer.n_chunks; i++)
        if (read_le64(copy + trailer.index_offset + 64 + i * 72) == at)
            memcpy(copy + trailer.index_offset + 64 + i * 72 + 8, &header, sizeof header);
    memcpy(&header, copy + trailer.index_offset, sizeof header);
    header.payload_crc = crc32c(0, copy + trailer.index_offset + 64, header.stored_bytes);
    header.header_crc = crc32c(0, &header, offsetof(struct chunk_header, header_crc));
    memcpy(copy + trailer.index_offset, &header, sizeof header);
}

static bool first_events_are_refused(unsigned char *copy, size_t at)
{
    struct error error;
    struct event_view view;
    bool is_refused = false, is_there = false;
    mend_payload(copy, at);
    struct store *store = open_copy(copy, &error);
    assert_non_null(store);
    for (size_t c = 0; c < store->n_event_chunks; c++)
        if (store->event_chunks[c].offset == at) {
            is_there = true;
            is_refused = store_event_view(store, c, &view, &error) == FAILED;
        }
    assert_true(is_there);
    store_close(store);
    return is_refused;
}

/* Counts, widths, kinds and indices of narrow columns that do not agree with each other, under good checksums. */
static void columns_that_do_not_agree_are_refused(void **state)
{
    (void)state;
    struct error error;
    struct store *store = open_copy(bytes, &error);
    size_t at = store->event_chunks[0].offset, kinds, columns;
    store_close(store);
    uint32_t n_kinds = read_le32(bytes + at + 64 + 8), n_columns = read_le32(bytes + at + 64 + 12);
    kinds = at + 64 + EVENTS_FRONT_BYTES;
    columns = kinds + 16 * n_kinds;
    assert_true(n_kinds > 20);
    const struct {
        size_t at;
        unsigned char add;
    } lies[] = {
        {at + 64 + 4, 1},   {at + 64 + 8, 1},   {at + 64 + 8, 255},  {at + 64 + 12, 1}, {at + 64 + 12, 255},
        {at + 64 + 16, 2},  {at + 64 + 16, 255}, {at + 64 + 20, 2},  {at + 64 + 20, 254}, {at + 64 + 7, 1},
        {kinds + 2, 1},     {kinds + 2, 255},   {kinds + 3, 1},      {kinds + 3, 2},    {kinds + 4, 1},
        {kinds + 4, 255},   {kinds + 8, 1},     {kinds + 12, 1},     {kinds + 13, 128}, {kinds + 14, 1},
        {kinds + 15, 128},  {columns + 8, 1},   {columns + 8, 16},   {columns + 24, 16}, {columns + 7, 1},
        {columns + 32, 200}, {columns + 48, 200},
    };
    unsigned char *copy = aligned_alloc(64, n_bytes + 64);
    memcpy(copy, bytes, n_bytes);
    assert_false(first_events_are_refused(copy, at));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        memcpy(copy, bytes, n_bytes);
        copy[lies[i].at] = (unsigned char)(copy[lies[i].at] + lies[i].add);
        if (!first_events_are_refused(copy, at))
            fail_msg("lie %zu was believed", i);
    }
    /* Whatever byte of the tables is another one: no crash, and no width that no column has. */
    for (size_t byte = at + 64; byte < columns + 16 * n_columns; byte += byte == at + 64 + 63 ? 321 : 1) {
        memcpy(copy, bytes, n_bytes);
        copy[byte] ^= (unsigned char)(1u << byte % 8);
        bool is_width = byte >= columns && (byte - columns) % 16 == 8;
        bool is_refused = first_events_are_refused(copy, at);
        assert_true(is_refused || !is_width);
    }
    free(copy);
}

static void unknown_chunks_are_skipped_and_newer_known_ones_refused(void **state)
{
    (void)state;
    struct error error;
    unsigned char *copy = aligned_alloc(64, n_bytes + 64);
    memcpy(copy, bytes, n_bytes);
    struct store *store = open_copy(copy, &error);
    uint64_t n_events = store->n_events;
    const struct event_chunk *last = &store->event_chunks[0]; /* in the file */
    for (size_t i = 1; i < store->n_event_chunks; i++)
        if (store->event_chunks[i].offset > last->offset)
            last = &store->event_chunks[i];
    uint32_t n_last = last->n;
    store_close(store);
    change_chunk(copy, CHUNK_EVENTS, 900, 77);
    store = open_copy(copy, &error);
    assert_non_null(store);
    assert_true(!store->is_recovered && store->n_events == n_events - n_last);
    assert_true(hash_all(store) != 0);
    store_close(store);
    memcpy(copy, bytes, n_bytes);
    change_chunk(copy, CHUNK_EVENTS, CHUNK_EVENTS, CHUNK_EVENTS_VERSION + 1);
    assert_null(open_copy(copy, &error));
    assert_non_null(strstr(error.text, "has version 3; this program reads version 2"));
    free(copy);
}

static const char *name_of_id(void *context, uint32_t id)
{
    (void)context;
    return id ? "text" : NULL;
}

static void members_that_an_older_file_lacks_are_unknown(void **state)
{
    (void)state;
    unsigned char row[512] = {0};
    size_t n_rows[N_TABLES] = {[TABLE_RUNS] = 5, [TABLE_ARTEFACTS] = 5};
    struct series series = {0};
    row[8] = 1; /* the name */
    assert_true(row_decode(&row_tables[TABLE_SERIES], row, 12, &series, n_rows, name_of_id, NULL));
    assert_string_equal(series.name, "text");
    assert_true(!series.tool && series.tid == TID_UNKNOWN && series.n_samples == COUNT_UNKNOWN && series.min_ns == NS_UNKNOWN);
    assert_true(isnan(series.avg_ns) && series.policy == POLICY_UNKNOWN && !series.is_cut);
    row[0] = 5;
    assert_false(row_decode(&row_tables[TABLE_SERIES], row, 12, &series, n_rows, name_of_id, NULL));
}

static size_t n_files(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static void nothing_is_left_behind_when_the_disk_is_full(void **state)
{
    (void)state;
    char folder[] = "/tmp/whylate-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.wl", folder);
    struct rlimit old, limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &limit);
    struct error error = {0};
    struct fixture f = {.seed = 1};
    struct store_writer *writer = store_writer_new(path, &error);
    assert_non_null(writer);
    fixture_write(&f, writer, 200, 20000);
    assert_int_equal(store_writer_finish(writer, &error), FAILED);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(error_exit_code(&error), 4);
    assert_non_null(strstr(error.text, "a.wl: cannot write: "));
    assert_int_equal(n_files(folder), 0);
    fixture_release(&f);

    writer = store_writer_new(path, NULL); /* abandoned */
    store_writer_abandon(writer);
    assert_int_equal(n_files(folder), 0);
    for (int i = 0; i < 2; i++) { /* finished, and finished over it */
        writer = store_writer_new(path, NULL);
        assert_int_equal(store_writer_finish(writer, NULL), OK);
        assert_int_equal(n_files(folder), 1);
    }
    assert_true(store_path_is_run_file(path));
    unlink(path);
    error_clear(&error);
    assert_null(store_writer_new(folder, &error)); /* a folder is no file */
    error_clear(&error);
    snprintf(path, sizeof path, "%s/none/x.wl", folder);
    assert_null(store_writer_new(path, &error));
    assert_int_equal(error_exit_code(&error), 4);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_cut_at_any_byte_opens_with_what_is_whole),
        cmocka_unit_test(no_flipped_bit_changes_an_answer_silently),
        cmocka_unit_test(damage_with_right_checksums_never_crashes),
        cmocka_unit_test(a_newer_major_version_is_refused_a_minor_one_is_not),
        cmocka_unit_test(columns_that_do_not_agree_are_refused),
        cmocka_unit_test(unknown_chunks_are_skipped_and_newer_known_ones_refused),
        cmocka_unit_test(members_that_an_older_file_lacks_are_unknown),
        cmocka_unit_test(nothing_is_left_behind_when_the_disk_is_full),
    };
    return cmocka_run_group_tests(tests, make_file, drop_file);
}
