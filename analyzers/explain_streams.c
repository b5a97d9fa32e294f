/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which other streams a window's events are read with, and what is said about it: once for each stream. */
#include "analyzers/explain.h"

#include <stdlib.h>

#include "base/memory.h"

static const char *stream_label(const struct streams *s, struct arena *arena, uint32_t stream)
{
    const struct stream *t = &s->store->streams[stream];
    const char *path = s->store->artefacts[t->artefact].path;
    return t->name && *t->name ? arena_format(arena, "%s, instance %s", path ? path : "the trace", t->name) : path ? path : "the trace";
}

static void note(const struct streams *s, struct analysis *analysis, uint32_t stream, const struct companion_check *check)
{
    static const char *const variants[] = {[COMPANION_AGREES] = "", [COMPANION_CLOCK] = "clock", [COMPANION_TASKS] = "tasks",
                                           [COMPANION_UNKNOWN] = "unknown"};
    struct findings *f = &analysis->findings;
    if (check->verdict == COMPANION_NONE)
        return;
    bool agrees = check->verdict == COMPANION_AGREES;
    struct finding *finding = findings_add(f, agrees ? "streams-joined" : "streams-apart", SEVERITY_NOTE, CONFIDENCE_PROVEN);
    finding->variant = variants[check->verdict];
    finding->run = s->store->streams[stream].run;
    finding->subject = stream_label(s, &analysis->arena, check->stream);
    finding_text(f, finding, "with", stream_label(s, &analysis->arena, stream));
    if (check->n_rows && check->verdict != COMPANION_CLOCK) {
        finding_count(f, finding, "n_rows", check->n_rows);
        finding_count(f, finding, "n_agree", check->n_agree);
    }
    if (check->verdict == COMPANION_CLOCK) {
        finding_text(f, finding, "clock", s->store->streams[check->stream].clock);
        finding_text(f, finding, "other_clock", s->store->streams[stream].clock);
    }
}

enum status streams_join(struct streams *s, struct analysis *analysis, struct window *w, struct error *error)
{
    if (w->stream == ROW_NONE)
        return OK;
    if (!s->items)
        s->items = memory_new((s->store->n_streams + 1) * sizeof *s->items);
    struct companions_of *of = &s->items[w->stream];
    if (!of->is_known) {
        struct companion_check *checks = NULL;
        size_t n = 0;
        enum status status = companions_find(&of->companions, s->store, w->stream, &checks, &n, error);
        for (size_t i = 0; i < n && status != FAILED; i++)
            note(s, analysis, w->stream, &checks[i]);
        free(checks);
        if (status == FAILED)
            return FAILED;
        of->is_known = true;
    }
    w->companions = of->companions;
    return OK;
}

void streams_release(struct streams *s)
{
    free(s->items);
    s->items = NULL;
}
