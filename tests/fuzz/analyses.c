/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any events through the analyses, without an importer in front: the bytes are read as orders to build a store of two
 * streams (events of every kind with words that mean something, gaps, claims, clock pairs, samples), and everything is
 * analysed and printed. Text that is changed a byte at a time hardly ever becomes another trace; this always does.
 */
#include "analysed.h"

#include <string.h>

#include "importers/importer.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define N_STREAMS  2
#define N_CPUS     4
#define MAX_EVENTS 3000

struct orders {
    const uint8_t *p, *end;
};

struct built {
    struct store_writer *writer;
    uint32_t run, artefact;
    uint32_t streams[N_STREAMS];
    struct event_sink *sinks[N_STREAMS];
    int64_t now_ns;
    int32_t current[N_CPUS];
    size_t n_events;
};

static unsigned next_byte(struct orders *orders)
{
    return orders->p < orders->end ? *orders->p++ : 0;
}

static int64_t next_span_ns(struct orders *orders)
{
    static const int64_t units_ns[] = {0, 1, 10, 100, 1000, 10000, 100000, 1000000};
    unsigned byte = next_byte(orders);
    return units_ns[byte & 7] * (byte >> 3);
}

static const char *next_name(struct orders *orders)
{
    static const char *const names[] = {
        NULL, "", "swapper/0", "cyclictest", "ksoftirqd/0", "irq/24-eth0", "migration/0", "ktimers/0", "rcu_preempt", "kworker/0:1",
        "hrtimer_wakeup", "tick_sched_timer", "tick_nohz_handler", "sched_rt_period_timer", "it_real_fn", "timerlat_irq",
        "local_timer", "reschedule", "call_function", "irq_work", "timer", "eth0", "NET_RX", "SCHED", "TIMER", "RCU",
        "_raw_spin_lock_irqsave", "_raw_spin_unlock_irqrestore", "schedule", "__schedule", "do_idle", "default_idle", "exc_page_fault",
        "smp_apic_timer_interrupt", "do_softirq", "rt_mutex_slowlock", "trace_stop_sched_switched", "hit latency threshold (117 > 100)",
        "tracing_mark_write", "whylate: outlier 1 thread 100", "thread", "irq", "context", "gatekeeper", "sampling-100", "stress-ng",
        "a name with\nline", "\xff\xfe", "<script>", "$(x)\"'",
    };
    return names[next_byte(orders) % (sizeof names / sizeof names[0])];
}

static int32_t next_number(struct orders *orders)
{
    static const int32_t numbers[] = {0, 1, 2, 3, 4, 19, 24, 98, 99, 100, 120, 139, 200, 236, 300, -1, INT32_MIN, INT32_MAX};
    unsigned byte = next_byte(orders);
    return byte < 200 ? numbers[byte % (sizeof numbers / sizeof numbers[0])] : (int32_t)(byte << next_byte(orders) % 24);
}

static int64_t time_from(int64_t time_ns, int64_t span_ns)
{
    int64_t sum_ns;
    return __builtin_add_overflow(time_ns, span_ns, &sum_ns) ? time_ns : sum_ns;
}

static void move_on(struct built *b, int64_t span_ns)
{
    b->now_ns = time_from(b->now_ns, span_ns);
}

static int64_t next_wide(struct orders *orders, int64_t now_ns)
{
    unsigned byte = next_byte(orders);
    switch (byte % 6) {
    case 0: return time_from(now_ns, -next_span_ns(orders));
    case 1: return time_from(now_ns, next_span_ns(orders));
    case 2: return next_span_ns(orders);
    case 3: return byte % 5 ? 0xa0 + byte % 5 : INT64_MIN;
    case 4: return byte & 1 ? INT64_MAX : INT64_MIN;
    default: return (int64_t)((uint64_t)next_number(orders) << byte % 33);
    }
}

static void fill_words(struct built *b, struct orders *orders, struct event_batch *batch, uint32_t *w, const struct event_kind_info *info,
                       size_t n_listed)
{
    for (unsigned a = 0; a < info->n_arguments; a++) {
        const char *name;
        switch (info->arguments[a].type) {
        case 'l':
        case 'X':
            event_words_set_i64(w, next_wide(orders, b->now_ns));
            w += 2;
            break;
        case 's':
            name = next_name(orders);
            event_batch_set_string(batch, w++, name ? event_batch_intern(batch, name, strlen(name)) : 0);
            break;
        case 'S':
            for (size_t i = 0; i < n_listed; i++) {
                name = next_name(orders);
                event_batch_set_string(batch, w++, name ? event_batch_intern(batch, name, strlen(name)) : 0);
            }
            break;
        default:
            *w++ = (uint32_t)next_number(orders);
        }
    }
}

static void add_event(struct built *b, struct orders *orders, unsigned stream)
{
    unsigned kind = next_byte(orders) % KIND_END;
    /* Half of them are what most rules look at. */
    static const uint8_t often[] = {KIND_SCHED_SWITCH, KIND_SCHED_WAKING, KIND_SCHED_WAKEUP, KIND_HRTIMER_START, KIND_HRTIMER_EXPIRE_ENTRY,
                                    KIND_VECTOR_ENTRY, KIND_VECTOR_EXIT, KIND_IRQ_HANDLER_ENTRY, KIND_IRQ_HANDLER_EXIT, KIND_PRINT};
    if (!event_kind_info(kind) || kind & 1)
        kind = often[kind % sizeof often];
    const struct event_kind_info *info = event_kind_info(kind);
    unsigned place = next_byte(orders);
    int32_t cpu = (int32_t)(place % N_CPUS);
    uint32_t flags = flags_make((uint32_t)next_byte(orders) | (place & 0x40 ? FLAG_HARDIRQ | FLAG_IRQS_OFF : 0), place >> 6, 0);
    size_t n_listed = info->n_arguments && info->arguments[info->n_arguments - 1].type == 'S' ? next_byte(orders) % 6 : 0;
    move_on(b, next_span_ns(orders));
    struct event_batch *batch = event_sink_batch(b->sinks[stream], cpu);
    uint32_t *w = event_batch_add(batch, b->now_ns, place & 0x20 ? next_number(orders) : b->current[cpu], kind, flags,
                                  info->n_words + n_listed);
    fill_words(b, orders, batch, w, info, n_listed);
    if (kind == KIND_SCHED_SWITCH || kind == KIND_COBALT_SWITCH) {
        if (place & 0x10)
            w[1] = (uint32_t)b->current[cpu];
        b->current[cpu] = (int32_t)w[5];
    }
    b->n_events++;
}

static void add_claim(struct built *b, struct orders *orders, unsigned stream)
{
    struct claim claim = claim_unknown();
    claim.run = b->run;
    claim.artefact = b->artefact;
    claim.kind = (enum claim_kind)(CLAIM_MARK + next_byte(orders) % CLAIM_LOG);
    claim.section = (enum claim_section)(next_byte(orders) % (SECTION_BLOCKED + 1));
    unsigned byte = next_byte(orders);
    claim.stream = byte & 1 ? b->streams[stream] : ROW_NONE;
    claim.cpu = (int32_t)(byte >> 1 & 3) - 1;
    claim.tid = next_number(orders);
    claim.comm = next_name(orders);
    claim.latency_ns = next_span_ns(orders);
    claim.time_ns = next_wide(orders, b->now_ns);
    if (byte & 0x80) {
        claim.begin_ns = next_wide(orders, b->now_ns);
        claim.end_ns = next_wide(orders, b->now_ns);
    }
    claim.started_at = next_name(orders);
    claim.ended_at = next_name(orders);
    claim.text = next_name(orders);
    struct claim_part parts[3];
    for (size_t i = 0; i < 3; i++)
        parts[i] = (struct claim_part){.kind = (enum part_kind)(1 + next_byte(orders) % PART_OTHER), .subject = next_name(orders),
                                       .amount_ns = next_span_ns(orders), .is_upper_bound = byte & 2, .is_total_of_following = byte & 4};
    const char *stack[] = {"schedule", "do_idle", "main"};
    claim.parts = parts;
    claim.n_parts = byte >> 4 & 3;
    claim.stack = stack;
    claim.n_stack = (size_t)byte >> 6;
    store_add_claim(b->writer, &claim);
}

static void add_gap(struct built *b, struct orders *orders, unsigned stream)
{
    unsigned byte = next_byte(orders);
    int64_t begin_ns = b->now_ns, end_ns = time_from(begin_ns, next_span_ns(orders));
    store_add_gap(b->writer, &(struct gap){.run = b->run, .stream = b->streams[stream], .cpu = byte & 128 ? CPU_UNKNOWN : (int32_t)(byte & 7) % N_CPUS,
                                           .begin_ns = byte & 8 ? NS_UNKNOWN : begin_ns, .end_ns = byte & 16 ? NS_UNKNOWN : end_ns,
                                           .n_lost = byte & 32 ? COUNT_UNKNOWN : byte, .reason = byte & 64 ? "overrun" : "cut"});
    if (!(byte & 8) && !(byte & 16))
        move_on(b, end_ns - begin_ns);
}

static void add_samples(struct built *b, struct orders *orders)
{
    struct series series = series_unknown();
    unsigned byte = next_byte(orders);
    series.run = b->run;
    series.artefact = b->artefact;
    series.name = next_name(orders);
    series.tool = byte & 1 ? "cyclictest" : "latency";
    series.interval_ns = byte & 2 ? 1000000 : NS_UNKNOWN;
    series.resolution_ns = byte & 4 ? 1000 : 1;
    series.priority = next_number(orders);
    series.has_times = byte & 8;
    uint32_t index = store_add_series(b->writer, &series);
    if (store_count_series(b->writer) > 8)
        return;
    size_t n = (size_t)next_byte(orders) * 4;
    for (size_t i = 0; i < n; i++) {
        int64_t latency_ns = next_span_ns(orders);
        store_add_sample(b->writer, index, &(struct sample){.latency_ns = latency_ns, .time_ns = byte & 8 ? (int64_t)i * 1000000 : NS_UNKNOWN});
    }
}

static void follow(struct built *b, struct orders *orders)
{
    unsigned stream = 0;
    while (orders->p < orders->end && b->n_events < MAX_EVENTS) {
        unsigned order = next_byte(orders);
        switch (order % 64) {
        case 60: add_gap(b, orders, stream); break;
        case 61: add_claim(b, orders, stream); break;
        case 62: stream = (stream + 1) % N_STREAMS; break;
        case 63:
            if (order & 64)
                add_samples(b, orders);
            else
                store_add_clock_pair(b->writer, &(struct clock_pair){.run = b->run, .clock_a = "local", .clock_b = "mono", .a_ns = b->now_ns,
                                                                     .b_ns = next_wide(orders, b->now_ns), .error_ns = next_span_ns(orders)});
            break;
        default: add_event(b, orders, stream);
        }
    }
}

static void begin(struct built *b, struct orders *orders)
{
    static const char *const clocks[] = {"local", "mono", "global", NULL, "counter", "rebuilt", "x86-tsc", "ipipe"};
    static const char *const tracers[] = {"nop", "irqsoff", "wakeup_rt", "function_graph", "ipipe", "timerlat", "preemptirqsoff", NULL};
    b->run = store_add_run(b->writer, &(struct run){.label = "fuzz"});
    b->artefact = store_add_artefact(b->writer, &(struct artefact){.run = b->run, .path = "fuzz", .format = "fuzz"});
    for (unsigned i = 0; i < N_STREAMS; i++) {
        unsigned byte = next_byte(orders);
        struct stream stream = {.run = b->run, .artefact = b->artefact, .name = i ? "second" : "", .clock = clocks[byte & 7],
                                .tracer = tracers[byte >> 3 & 7], .resolution_ns = byte & 64 ? 1000 : 1, .clock_is_relative = byte & 128,
                                .n_cpus = -1, .n_shown = COUNT_UNKNOWN, .n_written = COUNT_UNKNOWN};
        b->streams[i] = store_add_stream(b->writer, &stream);
        b->sinks[i] = event_sink_new(b->writer, b->streams[i]);
        event_sink_set_flags_known(b->sinks[i], next_byte(orders) | (uint32_t)(byte & 1 ? FLAG_PREEMPT_DEPTH : 0));
    }
    static const int64_t begins_ns[] = {1000000000, -1000, 0, INT64_MAX - 10000000, INT64_MIN + 1000, INT64_MIN, INT64_MAX / 2, 1000000000};
    b->now_ns = begins_ns[next_byte(orders) & 7];
}

static struct store *store_of_orders(struct orders orders)
{
    struct error error = {0};
    struct built b = {.writer = store_writer_new(NULL, &error)};
    if (!b.writer)
        abort();
    begin(&b, &orders);
    follow(&b, &orders);
    for (unsigned i = 0; i < N_STREAMS; i++)
        event_sink_free(b.sinks[i]);
    store_writer_no_sync(b.writer);
    int fd = store_writer_finish_fd(b.writer, &error);
    struct store *store = fd < 0 ? NULL : store_open_fd(fd, "fuzz", &error);
    if (!store)
        abort();
    return store;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *sink;
    if (!sink)
        sink = fopen("/dev/null", "w");
    struct store *store = store_of_orders((struct orders){bytes, bytes + size});
    analyse(store, sink);
    store_close(store);
    return 0;
}
