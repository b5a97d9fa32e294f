/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_NS  500000000
#define PERIOD_NS 100000000
#define ERASE     "\r\033[K"

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void progress_begin(struct progress *progress, const char *what, uint64_t total, bool quiet)
{
    *progress = (struct progress){.what = what, .total = total};
    progress->is_on = !quiet && isatty(STDERR_FILENO);
    if (progress->is_on)
        progress->next_ns = now_ns() + FIRST_NS;
}

/* The end of a long name says more than its beginning. */
static const char *shortened(const char *what)
{
    size_t length = strlen(what);
    return length > 60 ? what + length - 60 : what;
}

void progress_show(struct progress *progress, uint64_t done)
{
    if (!progress->is_on)
        return;
    int64_t now = now_ns();
    if (now < progress->next_ns)
        return;
    progress->next_ns = now + PERIOD_NS;
    progress->is_shown = true;
    if (progress->total)
        fprintf(stderr, ERASE "%s  %d %%", shortened(progress->what),
                done >= progress->total ? 100 : (int)(100.0 * (double)done / (double)progress->total));
    else
        fprintf(stderr, ERASE "%s  %.0f MB", shortened(progress->what), (double)done / 1e6);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown)
        fputs(ERASE, stderr);
    *progress = (struct progress){0};
}
