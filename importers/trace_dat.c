/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.dat, the file of trace-cmd: the kernel's ring buffer pages as they are, with what is needed to read them.
 * Defined by trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). Read: versions 6 and 7, plain, zlib and zstd, either byte
 * order, kernels of 32 and 64 bits, any page size, instances (-B), latency traces (text).
 *
 * How it is laid out inside: importers/trace_dat.h.
 */
#include "importers/trace_dat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "importers/trace_dat_formats.h"
#include "importers/trace_dat_walk.h"
#include "importers/private.h"

static struct probe_result trace_dat_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    (void)member;
    if (size < 10 || memcmp(bytes, "\x17\x08\x44tracing", 10) != 0)
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){CERTAIN, NULL};
}

/* "Linux host 6.1.0-57-rt-amd64 x86_64" */
static void state_uname(struct import *import, const char *uname)
{
    const char *release = strchr(uname, ' ');
    release = release ? strchr(release + 1, ' ') : NULL;
    if (!release)
        return;
    int length = (int)strcspn(release + 1, " ");
    const char *machine = strrchr(release, ' ');
    import_fact(import, "kernel.release", "%.*s", length, release + 1);
    if (machine > release)
        import_fact(import, "kernel.machine", "%s", machine + 1);
}

static void state_facts(struct import *import, const struct trace_file *file)
{
    if (file->tool_version)
        import_tool_version(import, "%s", file->tool_version);
    if (file->uname)
        state_uname(import, file->uname);
    if (file->n_cpus)
        import_fact(import, "cpu.count", "%" PRIu32, file->n_cpus);
    /* A guest's clock: pairs with the host's. */
    for (size_t i = 0; i < file->n_time_shifts && i < 1000; i++) {
        const struct trace_time_shift *shift = &file->time_shifts[i];
        store_add_clock_pair(import->store, &(struct clock_pair){
                                                .run = import->run, .clock_a = "guest", .clock_b = "host",
                                                .a_ns = shift->time_ns,
                                                .b_ns = (int64_t)((uint64_t)shift->time_ns + (uint64_t)shift->offset_ns)});
    }
}

/* The word in brackets of "local global [mono] boot". */
static const char *current_clock(struct arena *arena, const char *clocks)
{
    const char *open = clocks ? strchr(clocks, '[') : NULL, *close = open ? strchr(open, ']') : NULL;
    return close ? arena_string_n(arena, open + 1, (size_t)(close - open - 1)) : NULL;
}

/*
 * The clock whose times the store gets. Stamps moved by --date or --ts-offset are no longer those of the kernel's
 * clock, and must not be compared with times that events carry (hrtimer expiries): so they get a name of their own.
 */
static const char *clock_name(struct trace_file *file, const struct trace_buffer *buffer)
{
    const char *clock = buffer->clock ? buffer->clock : current_clock(&file->arena, file->trace_clock);
    if (clock && file->has_tsc && !strcmp(clock, "x86-tsc"))
        clock = "tsc2nsec";
    if (clock && file->has_offset)
        clock = arena_format(&file->arena, "%s%s", clock, file->has_date ? "+date" : "+offset");
    return clock;
}

static void note_clock(struct import *import, const char *clock)
{
    if (!clock)
        return;
    if (!strcmp(clock, "counter"))
        import_note(import, "unit-assumed", 0, "trace clock 'counter' counts events: stamps are an order, not times");
    else if (!strcmp(clock, "uptime"))
        import_note(import, "clock-granularity", 0, "trace clock 'uptime' counts ticks: stamps are taken as they are");
    else if (!strcmp(clock, "x86-tsc"))
        import_note(import, "unit-assumed", 0, "trace clock 'x86-tsc' without its rate: stamps are ticks, taken as ns");
}

static uint32_t add_stream(struct import *import, struct trace_file *file, const struct trace_buffer *buffer)
{
    struct stream stream = stream_unknown();
    stream.run = import->run;
    stream.artefact = import->artefact;
    stream.name = buffer->name;
    stream.clock = clock_name(file, buffer);
    bool has_ns = stream.clock && strncmp(stream.clock, "counter", 7) && strncmp(stream.clock, "uptime", 6) && strncmp(stream.clock, "x86-tsc", 7);
    stream.resolution_ns = has_ns ? 1 : NS_UNKNOWN;
    stream.n_cpus = file->n_cpus ? (int32_t)file->n_cpus : -1;
    if (file->uname) {
        const char *release = strchr(file->uname, ' ');
        release = release ? strchr(release + 1, ' ') : NULL;
        stream.kernel = release ? arena_string_n(&file->arena, release + 1, strcspn(release + 1, " ")) : NULL;
    }
    note_clock(import, stream.clock);
    return store_add_stream(import->store, &stream);
}

static enum status trace_dat_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    struct trace_file file = {0};
    struct trace_formats *formats = memory_new(sizeof *formats);
    uint32_t *streams = NULL;
    uint64_t n_events = 0;
    enum status status = trace_file_read(&file, import, (struct span){bytes, size}, error);
    if (status == FAILED) {
        error_prefix(error, "%s: ", import->member->path);
        goto out;
    }
    state_facts(import, &file);
    trace_formats_build(formats, &file, import);
    streams = memory_resize(NULL, file.n_buffers + 1, sizeof *streams);
    bool has_text = false;
    for (size_t i = 0; i < file.n_buffers; i++) {
        const struct trace_buffer *buffer = &file.buffers[i];
        /* A main buffer that nothing was recorded into is no stream (trace-cmd extract -B). */
        bool is_stream = buffer->n_cpus && !buffer->is_text;
        streams[i] = is_stream ? add_stream(import, &file, buffer) : ROW_NONE;
        has_text = has_text || buffer->text.size;
    }
    trace_walk(import, &file, formats, streams, &n_events);
    for (size_t i = 0; i < file.n_buffers && has_text; i++)
        if (file.buffers[i].text.size && text_read(import, file.buffers[i].text.bytes, file.buffers[i].text.size, error) == FAILED)
            status = FAILED;
    if (status != FAILED && !n_events && !has_text)
        import_note(import, "no-samples", 0, "the trace holds no events");
out:
    free(streams);
    trace_formats_release(formats);
    free(formats);
    trace_file_release(&file);
    return status;
}

const struct importer importer_trace_dat = {
    .name = "trace.dat",
    .summary = "trace.dat of trace-cmd (v6, v7)",
    .reads = "trace-cmd record and extract, versions 6 and 7, plain, zlib or zstd, instances, latency traces",
    .probe_bytes = trace_dat_probe,
    .read_bytes = trace_dat_read,
};
