/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzing the reader of run files. Random bytes would never get past a checksum, so the input is a run file whose
 * checksums are made right before it is opened: of the file header, of every chunk that the walk from the beginning
 * finds, of index entries and trailer.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/memory.h"
#include "store/layout.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend_chunk(unsigned char *bytes, size_t size, size_t at)
{
    uint64_t stored = read_le64(bytes + at + 16), room = size - at - 64;
    write_le32(bytes + at + 12, crc32c(0, bytes + at + 64, stored < room ? stored : room));
    write_le32(bytes + at + 60, crc32c(0, bytes + at, 60));
}

static void mend(unsigned char *bytes, size_t size)
{
    if (size < 64)
        return;
    write_le32(bytes + 60, crc32c(0, bytes, 60));
    for (uint64_t at = 64; at + 64 <= size;) {
        uint64_t stored = read_le64(bytes + at + 16);
        mend_chunk(bytes, size, at);
        if (stored > size - at - 64)
            break;
        at += 64 + layout_align(stored);
    }
    unsigned char *trailer = bytes + size - 64;
    write_le32(trailer + 60, crc32c(0, trailer, 60));
    uint64_t index = read_le64(trailer + 8), n = read_le64(trailer + 24);
    if (size < 192 || index > size - 128)
        return;
    for (uint64_t i = 0; i < n && index + 64 + (i + 1) * 72 <= size - 64; i++)
        write_le32(bytes + index + 64 + i * 72 + 8 + 60, crc32c(0, bytes + index + 64 + i * 72 + 8, 60));
    mend_chunk(bytes, size, index);
}

static void read_series(const struct store *store, uint32_t series)
{
    size_t n;
    uint64_t sum = 0;
    const struct bin *bins = store_bins(store, series, &n);
    for (size_t i = 0; i < n; i++)
        sum += bins[i].count;
    const uint64_t *cycles = store_overflow_cycles(store, series, &n);
    for (size_t i = 0; i < n; i++)
        sum += cycles[i];
    for (size_t c = 0; c < store_count_sample_chunks(store, series); c++) {
        struct sample_view view;
        if (store_sample_chunk(store, series, c, &view, NULL) != OK)
            continue;
        for (size_t i = 0; i < view.n; i++)
            sum += (uint64_t)view.latency_ns[i] + (view.time_ns ? (uint64_t)view.time_ns[i] : 0);
    }
    volatile uint64_t used = sum;
    (void)used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    char text[128];
    unsigned char *bytes = memory_new(size);
    if (size)
        memcpy(bytes, data, size);
    mend(bytes, size);
    struct store *store = store_open_bytes(bytes, size, "fuzz.wl", &error);
    for (uint32_t i = 0; store && i < store->n_series; i++)
        read_series(store, i);
    for (uint32_t run = 0; store && run < store->n_runs && run < 4; run++) {
        struct event_merge *merge = event_merge_new(store, run, ROW_NONE, INT64_MIN, INT64_MAX, &error);
        struct event_ref ref;
        while (event_merge_next(merge, &ref))
            event_format(store, ref.view, ref.i, text, sizeof text);
        event_merge_state(merge, 0);
        event_merge_free(merge);
    }
    store_close(store);
    free(bytes);
    return 0;
}
