/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static bool is_quiet;

void log_set_quiet(bool quiet)
{
    is_quiet = quiet;
}

static void say(const char *before, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
static void say(const char *before, const char *format, va_list args)
{
    fprintf(stderr, "%s: %s", program_invocation_short_name, before);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void log_warning(const char *format, ...)
{
    va_list args;
    if (is_quiet)
        return;
    va_start(args, format);
    say("warning: ", format, args);
    va_end(args);
}

void log_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}
