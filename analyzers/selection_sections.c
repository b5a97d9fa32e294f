/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last class: no wakeup to look at, so the longest sections with interrupts or preemption off, and silences that
 * an interrupt ended although the CPU was at work in the kernel.
 */
#include "analyzers/selection.h"

#define SILENCE_MIN_NS 100000
#define SILENCE_TIMES_MEAN 20

struct section_cpu {
    int64_t irqs_off_ns, preempt_off_ns; /* since when; NS_UNKNOWN: not */
    uint32_t irqs_off_name, preempt_off_name;
    int64_t last_ns, first_ns;
    uint64_t n;
    int32_t tid;
    bool last_in_kernel; /* the last row was one that kernel code in task context wrote */
    bool in_irq;
};

struct section_pass {
    struct selection *s;
    struct window_heap heap;
    struct section_cpu *cpus;
    size_t n_cpus;
};

static struct section_cpu *cpu_of(struct section_pass *p, int32_t cpu)
{
    if ((size_t)cpu >= p->n_cpus) {
        size_t n = (size_t)cpu + 1;
        p->cpus = memory_resize(p->cpus, n, sizeof *p->cpus);
        for (size_t i = p->n_cpus; i < n; i++)
            p->cpus[i] = (struct section_cpu){.irqs_off_ns = NS_UNKNOWN, .preempt_off_ns = NS_UNKNOWN, .last_ns = NS_UNKNOWN,
                                              .first_ns = NS_UNKNOWN};
        p->n_cpus = n;
    }
    return &p->cpus[cpu];
}

static void offer(struct section_pass *p, int32_t cpu, int32_t tid, int64_t begin_ns, int64_t end_ns, enum slice_kind kind,
                  uint32_t name)
{
    const struct analysis_options *o = p->s->options;
    if (o->has_cpus && !cpuset_has(&o->cpus, cpu))
        return;
    if (!selection_is_long_enough(p->s, end_ns - begin_ns, tid, cpu, NULL))
        return;
    struct window w;
    window_init(&w);
    w.run = p->s->run;
    w.stream = p->s->stream;
    w.kind = WINDOW_SECTION;
    w.cpu = cpu;
    w.tid = tid;
    w.begin_ns = begin_ns;
    w.end_ns = end_ns;
    w.section_kind = kind;
    w.section_name = name;
    window_heap_offer(&p->heap, &w);
}

static bool is_irq_entry(struct section_pass *p, unsigned kind, const uint32_t *w)
{
    return kind == KIND_VECTOR_ENTRY || kind == KIND_IRQ_HANDLER_ENTRY ||
           (kind == KIND_IRQ_DISABLE && word_class(p->s->words, w[0]) & WORD_IRQ_ENTRY);
}

static void on_silence(struct section_pass *p, const struct section_cpu *c, int32_t cpu, int64_t t_ns)
{
    int64_t gap = t_ns - c->last_ns;
    int64_t mean = c->n > 1 ? (c->last_ns - c->first_ns) / (int64_t)(c->n - 1) : 0;
    if (gap >= SILENCE_MIN_NS && gap > SILENCE_TIMES_MEAN * mean)
        offer(p, cpu, c->tid, c->last_ns, t_ns, SLICE_UNEXPLAINED, 0);
}

static void apply(struct section_pass *p, const struct event_ref *ref)
{
    struct section_cpu *c = cpu_of(p, ref->cpu);
    unsigned kind = ref->view->kind[ref->i];
    const uint32_t *w = event_words(ref);
    int64_t t_ns = event_time_ns(ref);
    int32_t tid = ref->view->tid[ref->i];
    const unsigned not_ours = WORD_IRQ_ENTRY | WORD_SCHEDULES;
    if (c->last_ns != NS_UNKNOWN && c->last_in_kernel && c->tid == tid && tid > 0 && c->irqs_off_ns == NS_UNKNOWN &&
        is_irq_entry(p, kind, w))
        on_silence(p, c, ref->cpu, t_ns);
    switch (kind) {
    case KIND_IRQ_DISABLE:
        c->irqs_off_ns = word_class(p->s->words, w[0]) & not_ours || tid == 0 ? NS_UNKNOWN : t_ns;
        c->irqs_off_name = w[0];
        break;
    case KIND_IRQ_ENABLE:
        if (c->irqs_off_ns != NS_UNKNOWN)
            offer(p, ref->cpu, tid, c->irqs_off_ns, t_ns, SLICE_IRQS_OFF, c->irqs_off_name);
        c->irqs_off_ns = NS_UNKNOWN;
        break;
    case KIND_PREEMPT_DISABLE:
        c->preempt_off_ns = word_class(p->s->words, w[0]) & not_ours || tid == 0 || c->in_irq ? NS_UNKNOWN : t_ns;
        c->preempt_off_name = w[0];
        break;
    case KIND_PREEMPT_ENABLE:
        if (c->preempt_off_ns != NS_UNKNOWN)
            offer(p, ref->cpu, tid, c->preempt_off_ns, t_ns, SLICE_PREEMPT_OFF, c->preempt_off_name);
        c->preempt_off_ns = NS_UNKNOWN;
        break;
    case KIND_SCHED_SWITCH:
        c->irqs_off_ns = c->preempt_off_ns = NS_UNKNOWN;
        break;
    case KIND_VECTOR_ENTRY:
    case KIND_IRQ_HANDLER_ENTRY:
        c->in_irq = true;
        break;
    case KIND_VECTOR_EXIT:
    case KIND_IRQ_HANDLER_EXIT:
        c->in_irq = false;
        break;
    default:
        break;
    }
    c->last_in_kernel = (kind == KIND_FUNCTION || kind == KIND_FUNCGRAPH_ENTRY || kind == KIND_OTHER) && !c->in_irq;
    c->tid = tid;
    c->last_ns = t_ns;
    if (c->first_ns == NS_UNKNOWN)
        c->first_ns = t_ns;
    c->n++;
}

enum status selection_add_sections(struct selection *s, struct error *error)
{
    struct section_pass p = {.s = s};
    p.heap.limit = s->heaps[0].limit;
    enum status status = OK;
    for (uint32_t i = 0; i < s->store->n_streams && status != FAILED; i++) {
        if (s->store->streams[i].run != s->run || !s->store->streams[i].n_events || s->options->task || !stream_has_times(&s->store->streams[i]))
            continue;
        s->stream = i;
        struct event_merge *merge = event_merge_new(s->store, s->run, i, INT64_MIN, INT64_MAX, error);
        if (!merge) {
            status = FAILED;
            break;
        }
        struct event_ref ref;
        while (event_merge_next(merge, &ref))
            apply(&p, &ref);
        status = event_merge_status(merge);
        event_merge_free(merge);
        p.n_cpus = 0;
    }
    for (size_t i = 0; i < p.heap.n && status != FAILED; i++) {
        memory_reserve(s->windows, s->windows_capacity, s->n_windows + 1);
        s->windows[s->n_windows++] = p.heap.items[i];
    }
    free(p.heap.items);
    free(p.cpus);
    return status;
}
