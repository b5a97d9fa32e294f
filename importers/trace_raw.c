/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Raw ring buffer pages, as `cat per_cpu/cpuN/trace_pipe_raw` gives them, with the format files beside:
 *
 *     DIR/cpu0.raw  DIR/cpu1.raw  (or per_cpu/cpu0/trace_pipe_raw)   pages, one CPU each
 *     DIR/events/SYSTEM/EVENT/format   DIR/header_page (or DIR/events/header_page)
 *     optional: trace_clock, saved_cmdlines[.txt], kallsyms, printk_formats, cpu0-stats.txt, kernel.txt (uname -a)
 *
 * Pages say nothing about themselves: without the format files they cannot be read, and neither a version nor a byte
 * order is in them. The first CPU's file stands for all of its directory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "importers/trace_dat_formats.h"
#include "importers/trace_dat_walk.h"

#define DEFAULT_PAGE_BYTES 4096
#define MAX_MAPPED         65536

/* "cpu3.raw", or trace_pipe_raw in a folder cpu3: the number, or -1; *base_length: of the part of the path before it. */
static int cpu_of(const char *path, size_t *base_length)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int cpu = -1, end = 0;
    if (sscanf(name, "cpu%5d.raw%n", &cpu, &end) == 1 && end && !name[end]) {
        *base_length = (size_t)(name - path);
        return cpu;
    }
    if (strcmp(name, "trace_pipe_raw") != 0 || !slash)
        return -1;
    const char *folder = slash;
    while (folder > path && folder[-1] != '/')
        folder--;
    if (sscanf(folder, "cpu%5d/%n", &cpu, &end) != 1 || !end)
        return -1;
    static const char per_cpu[] = "per_cpu/";
    size_t length = (size_t)(folder - path), tail = sizeof per_cpu - 1;
    if (length >= tail && !memcmp(folder - tail, per_cpu, tail))
        length -= tail;
    *base_length = length;
    return cpu;
}

static bool is_plausible_page(const unsigned char *bytes, size_t size, bool big)
{
    if (size < 16)
        return false;
    uint64_t time = big ? read_be64(bytes) : read_le64(bytes);
    uint64_t commit = big ? read_be64(bytes + 8) : read_le64(bytes + 8);
    /* The kernel's 1 << 31 is an int: a page with lost events has all upper bits set. */
    uint32_t upper = (uint32_t)(commit >> 32);
    return time && time < UINT64_C(1) << 62 && (commit & 0x7ffffff) <= 1 << 20 && (upper == 0 || upper == UINT32_MAX);
}

/*
 * Files beside the pages are read together with them; alone they say nothing. They are taken here so that nobody is
 * told that they were not understood.
 */
static bool is_companion(const unsigned char *bytes, size_t size, const struct member *member)
{
    static const struct {
        const char *name, *mark;
    } companions[] = {{"format", "\nformat:\n"}, {"header_page", "field: u64 timestamp;"}, {"header_event", "type_len"},
                      {"saved_cmdlines", " "}, {"saved_cmdlines.txt", " "}, {"trace_clock", "["}, {"printk_formats", " : \""},
                      {"stats", "commit overrun:"}};
    size_t seen = size < 4096 ? size : 4096;
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++)
        if (!strcmp(member->name, companions[i].name))
            return memmem(bytes, seen, companions[i].mark, strlen(companions[i].mark)) != NULL;
    int cpu, end = 0;
    return sscanf(member->name, "cpu%5d-stats.txt%n", &cpu, &end) == 1 && end && memmem(bytes, seen, "commit overrun:", 15);
}

static struct probe_result trace_raw_probe(const unsigned char *bytes, size_t size, const struct member *member)
{
    size_t base;
    if (cpu_of(member->path, &base) < 0)
        return (struct probe_result){is_companion(bytes, size, member) ? LIKELY : NOT_MINE, NULL};
    if (!is_plausible_page(bytes, size, false) && !is_plausible_page(bytes, size, true))
        return (struct probe_result){NOT_MINE, NULL};
    return (struct probe_result){CERTAIN, NULL};
}

/* What lies beside the pages. */
struct raw {
    struct import *import;
    const char *path;  /* of the member being read */
    size_t base_length;
    struct trace_file file;
    size_t n_mapped, mapped_capacity;
    size_t *mapped;    /* members to unmap at the end */
};

static struct span map_member(struct raw *raw, size_t i)
{
    const unsigned char *bytes;
    size_t size;
    if (raw->n_mapped >= MAX_MAPPED || input_map(raw->import->input, i, &bytes, &size, NULL) == FAILED)
        return (struct span){(const unsigned char *)"", 0};
    memory_reserve(raw->mapped, raw->mapped_capacity, raw->n_mapped + 1);
    raw->mapped[raw->n_mapped++] = i;
    return (struct span){bytes, size};
}

/* The path behind the common folder; NULL for a member elsewhere. */
static const char *relative_path(const struct raw *raw, size_t i)
{
    const char *path = input_member(raw->import->input, i)->path;
    return strncmp(path, raw->path, raw->base_length) ? NULL : path + raw->base_length;
}

static void add_format(struct raw *raw, const char *system, size_t length, struct span text)
{
    struct trace_file *file = &raw->file;
    memory_reserve(file->formats, file->formats_capacity, file->n_formats + 1);
    file->formats[file->n_formats++] = (struct trace_format_text){arena_string_n(&file->arena, system, length), text};
}

static const char *first_line(struct raw *raw, struct span text)
{
    const char *newline = text.size ? memchr(text.bytes, '\n', text.size) : NULL;
    return arena_string_n(&raw->file.arena, (const char *)text.bytes,
                          newline ? (size_t)(newline - (const char *)text.bytes) : text.size);
}

static bool is_one_of(const char *path, const char *a, const char *b)
{
    return !strcmp(path, a) || !strcmp(path, b);
}

static void gather(struct raw *raw)
{
    struct trace_file *file = &raw->file;
    for (size_t i = 0; i < input_count(raw->import->input); i++) {
        const char *path = relative_path(raw, i);
        if (!path)
            continue;
        const char *slash = strncmp(path, "events/", 7) ? NULL : strchr(path + 7, '/');
        const char *name = strrchr(path, '/');
        if (slash && name > slash && !strcmp(name, "/format"))
            add_format(raw, path + 7, (size_t)(slash - path - 7), map_member(raw, i));
        else if (is_one_of(path, "header_page", "events/header_page"))
            file->header_page = map_member(raw, i);
        else if (is_one_of(path, "kallsyms", "kallsyms.txt"))
            file->kallsyms = map_member(raw, i);
        else if (is_one_of(path, "saved_cmdlines", "saved_cmdlines.txt"))
            file->cmdlines = map_member(raw, i);
        else if (is_one_of(path, "printk_formats", "printk_formats.txt"))
            file->printk = map_member(raw, i);
        else if (is_one_of(path, "trace_clock", "trace_clock.txt"))
            file->trace_clock = first_line(raw, map_member(raw, i));
        else if (is_one_of(path, "kernel.txt", "uname.txt"))
            file->uname = first_line(raw, map_member(raw, i));
    }
    if (file->uname && strncmp(file->uname, "Linux ", 6) != 0)
        file->uname = NULL;
}

/* Is there a file of a lower CPU in the same folder? Then that one reads all. */
static bool is_follower(const struct raw *raw, int cpu)
{
    for (size_t i = 0; i < input_count(raw->import->input); i++) {
        const char *path = input_member(raw->import->input, i)->path;
        size_t base;
        int other = cpu_of(path, &base);
        if (other >= 0 && other < cpu && base == raw->base_length && !strncmp(path, raw->path, base))
            return true;
    }
    return false;
}

/* "offset:16; size:4080" of header_page's data: together the page. */
static uint32_t page_size_of(struct span header)
{
    const char *data = header.size ? memmem(header.bytes, header.size, " data;", 6) : NULL;
    unsigned offset, size;
    char row[128] = "";
    if (data) {
        size_t left = header.size - (size_t)(data - (const char *)header.bytes);
        memcpy(row, data, left < sizeof row - 1 ? left : sizeof row - 1);
    }
    if (sscanf(row, " data; offset:%u; size:%u;", &offset, &size) == 2 && offset <= 16 && size >= 64 && size <= 64u << 20)
        return offset + size;
    return DEFAULT_PAGE_BYTES;
}

static void read_stats(struct raw *raw, struct trace_buffer *buffer, int cpu)
{
    for (size_t i = 0; i < input_count(raw->import->input); i++) {
        const char *path = relative_path(raw, i);
        char flat[64], nested[64];
        snprintf(flat, sizeof flat, "cpu%d-stats.txt", cpu);
        snprintf(nested, sizeof nested, "per_cpu/cpu%d/stats", cpu);
        if (path && is_one_of(path, flat, nested)) {
            buffer->stats = arena_new(&raw->file.arena, sizeof *buffer->stats);
            *buffer->stats = trace_stats_parse(map_member(raw, i));
            buffer->stats->cpu = cpu;
            buffer->n_stats = 1;
            return;
        }
    }
}

/* One CPU's pages: a trace file of one buffer with one CPU, into the stream of all. */
static uint64_t walk_cpu(struct raw *raw, const struct trace_formats *formats, uint32_t stream, int cpu, struct span pages)
{
    struct trace_cpu extent = {cpu, 0, pages.size};
    struct trace_buffer buffer = {.name = "", .page_size = raw->file.page_size, .n_cpus = 1, .cpus = &extent};
    struct trace_file view = raw->file;
    uint64_t n_events = 0;
    read_stats(raw, &buffer, cpu);
    view.file = pages;
    view.n_buffers = 1;
    view.buffers = &buffer;
    trace_walk(raw->import, &view, formats, &stream, &n_events);
    return n_events;
}

static uint32_t add_stream(struct raw *raw, int n_cpus)
{
    struct stream stream = stream_unknown();
    const char *open = raw->file.trace_clock ? strchr(raw->file.trace_clock, '[') : NULL;
    stream.run = raw->import->run;
    stream.artefact = raw->import->artefact;
    stream.name = "";
    stream.clock = open ? arena_string_n(&raw->file.arena, open + 1, strcspn(open + 1, "]")) : NULL;
    stream.resolution_ns = 1;
    stream.n_cpus = n_cpus;
    const char *release = raw->file.uname ? strchr(raw->file.uname + 6, ' ') : NULL;
    if (release)
        stream.kernel = arena_string_n(&raw->file.arena, release + 1, strcspn(release + 1, " "));
    return store_add_stream(raw->import->store, &stream);
}

static void walk_all(struct raw *raw, const struct trace_formats *formats)
{
    int n_cpus = 0;
    for (size_t i = 0; i < input_count(raw->import->input); i++) {
        size_t base;
        const char *path = input_member(raw->import->input, i)->path;
        n_cpus += cpu_of(path, &base) >= 0 && base == raw->base_length && !strncmp(path, raw->path, base);
    }
    uint32_t stream = add_stream(raw, n_cpus);
    uint64_t n_events = 0;
    for (size_t i = 0; i < input_count(raw->import->input); i++) {
        size_t base;
        const char *path = input_member(raw->import->input, i)->path;
        int cpu = cpu_of(path, &base);
        if (cpu >= 0 && cpu < TRACE_MAX_CPUS && base == raw->base_length && !strncmp(path, raw->path, base))
            n_events += walk_cpu(raw, formats, stream, cpu, map_member(raw, i));
    }
    if (!n_events)
        import_note(raw->import, "no-samples", 0, "the pages hold no events");
}

static enum status trace_raw_read(struct import *import, const unsigned char *bytes, size_t size, struct error *error)
{
    struct raw raw = {.import = import, .path = import->member->path};
    int cpu = cpu_of(raw.path, &raw.base_length);
    if (cpu < 0 || is_follower(&raw, cpu))
        return OK;
    enum status status = OK;
    struct trace_formats *formats = NULL;
    gather(&raw);
    if (!raw.file.n_formats) {
        status = error_input(error, "%s: raw ring buffer pages need their events/SYSTEM/EVENT/format files beside them",
                             raw.path);
        goto out;
    }
    raw.file.big = !is_plausible_page(bytes, size, false);
    raw.file.user_long = 8;
    raw.file.page_size = page_size_of(raw.file.header_page);
    formats = memory_new(sizeof *formats);
    trace_formats_build(formats, &raw.file, import);
    walk_all(&raw, formats);
out:
    if (formats)
        trace_formats_release(formats);
    free(formats);
    for (size_t i = 0; i < raw.n_mapped; i++)
        input_unmap(import->input, raw.mapped[i]);
    free(raw.mapped);
    trace_file_release(&raw.file);
    return status;
}

const struct importer importer_trace_raw = {
    .name = "trace-raw",
    .summary = "raw ring buffer pages (trace_pipe_raw) with their format files",
    .reads = "cpuN.raw or per_cpu/cpuN/trace_pipe_raw in a folder with events/*/*/format and header_page",
    .probe_bytes = trace_raw_probe,
    .read_bytes = trace_raw_read,
};
