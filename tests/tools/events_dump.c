/* SPDX-License-Identifier: GPL-3.0-or-later */
/* events_dump INPUT...: imports and prints every event: tid [cpu] flags seconds.ns: text; notes and gaps first. */
#include <inttypes.h>
#include <stdio.h>

#include "importers/importer.h"
#include "store/store.h"

static int fail(const struct error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return 3;
}

static void print_time(int64_t ns)
{
    if (ns == NS_UNKNOWN)
        printf("?");
    else
        printf("%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
}

static void print_rows(const struct store *store)
{
    for (size_t i = 0; i < store->n_notes; i++)
        printf("# note %s %" PRIu64 ": %s\n", store->notes[i].code, store->notes[i].count, store->notes[i].text);
    for (size_t i = 0; i < store->n_streams; i++)
        printf("# stream '%s' clock %s events %" PRIu64 "\n", store->streams[i].name ? store->streams[i].name : "",
               store->streams[i].clock ? store->streams[i].clock : "?", store->streams[i].n_events);
    for (size_t i = 0; i < store->n_gaps; i++) {
        const struct gap *gap = &store->gaps[i];
        printf("# gap cpu %d ", gap->cpu);
        print_time(gap->begin_ns);
        printf(" to ");
        print_time(gap->end_ns);
        printf(" lost %" PRId64 " (%s)\n", (int64_t)gap->n_lost, gap->reason);
    }
}

int main(int argc, char **argv)
{
    struct error error = {0};
    const struct import_options options = {.quiet = true, .no_hash = true};
    struct store_writer *writer = store_writer_new(NULL, &error);
    if (!writer)
        return fail(&error);
    if (import_inputs(writer, (const char *const *)(argv + 1), (size_t)argc - 1, &options, &error) == FAILED) {
        store_writer_abandon(writer);
        return fail(&error);
    }
    int fd = store_writer_finish_fd(writer, &error);
    struct store *store = fd < 0 ? NULL : store_open_fd(fd, "temporary", &error);
    if (!store)
        return fail(&error);
    print_rows(store);
    for (uint32_t run = 0; run < store->n_runs; run++) {
        struct event_merge *merge = event_merge_new(store, run, ROW_NONE, INT64_MIN, INT64_MAX, &error);
        struct event_ref ref;
        while (merge && event_merge_next(merge, &ref)) {
            static char text[65536];
            event_format(store, ref.view, ref.i, text, sizeof text);
            printf("%d [%03d] %08x ", ref.view->tid[ref.i], ref.cpu, ref.view->flags[ref.i]);
            print_time(event_time_ns(&ref));
            printf(": %s\n", text);
        }
        if (!merge || event_merge_status(merge) == FAILED)
            return fail(&error);
        event_merge_free(merge);
    }
    store_close(store);
    return 0;
}
