/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a marked value was taken. A tool reads its clock as soon as it is back in user space, and writes the mark after
 * that: the write and what it traces lie between.
 *
 *     sched_switch: ... ==> next_comm=cyclictest        in
 *     sys_exit: NR 115 = 0                              the clock is read here
 *     sys_enter: NR 64                                  the mark is written
 *     tracing_mark_write: hit latency threshold (72 > 30)
 */
#include "analyzers/selection.h"

#define LOOK_BACK_NS 20000000

int64_t mark_taken_ns(const struct store *store, uint32_t run, uint32_t stream, const struct claim *mark, int64_t *switch_ns)
{
    int64_t taken_ns = mark->time_ns;
    bool is_in = false, found = false;
    struct event_ref ref;
    *switch_ns = NS_UNKNOWN;
    int64_t from_ns;
    if (__builtin_sub_overflow(mark->time_ns, mark->latency_ns, &from_ns) || __builtin_sub_overflow(from_ns, LOOK_BACK_NS, &from_ns))
        from_ns = INT64_MIN;
    struct event_merge *merge = event_merge_new(store, run, stream, from_ns, mark->time_ns, NULL);
    while (merge && event_merge_next(merge, &ref)) {
        const uint32_t *words = event_words(&ref);
        unsigned kind = ref.view->kind[ref.i];
        if (kind == KIND_SCHED_SWITCH && (int32_t)words[5] == mark->tid) {
            is_in = true;
            found = false;
            *switch_ns = event_time_ns(&ref);
        } else if (kind == KIND_SYS_EXIT && is_in && !found && ref.view->tid[ref.i] == mark->tid) {
            taken_ns = event_time_ns(&ref);
            found = true;
        }
    }
    if (merge)
        event_merge_free(merge);
    return found ? taken_ns : mark->time_ns;
}
