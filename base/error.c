/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static enum status set(struct error *error, enum error_kind kind, const char *format, va_list args)
{
    if (!error || error->kind != ERROR_NONE)
        return FAILED;
    error->kind = kind;
    int n = vsnprintf(error->text, sizeof error->text, format, args);
    if (n < 0)
        error->text[0] = '\0';
    else if ((size_t)n >= sizeof error->text)
        memcpy(error->text + sizeof error->text - 4, "...", 4);
    return FAILED;
}

enum status error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum status status = set(error, kind, format, args);
    va_end(args);
    return status;
}

enum status error_input(struct error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum status status = set(error, ERROR_INPUT, format, args);
    va_end(args);
    return status;
}

enum status error_output(struct error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum status status = set(error, ERROR_OUTPUT, format, args);
    va_end(args);
    return status;
}

enum status error_usage(struct error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum status status = set(error, ERROR_USAGE, format, args);
    va_end(args);
    return status;
}

void error_prefix(struct error *error, const char *format, ...)
{
    if (!error || error->kind == ERROR_NONE)
        return;
    char prefix[sizeof error->text], whole[2 * sizeof error->text];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    if (n < 0)
        return;
    snprintf(whole, sizeof whole, "%s%s", prefix, error->text);
    size_t length = strlen(whole);
    if (length >= sizeof error->text) {
        length = sizeof error->text - 1;
        memcpy(whole + length - 3, "...", 3);
    }
    memcpy(error->text, whole, length);
    error->text[length] = '\0';
}

void error_clear(struct error *error)
{
    if (error)
        *error = (struct error){0};
}

int error_exit_code(const struct error *error)
{
    static const int code[] = {[ERROR_NONE] = 0, [ERROR_USAGE] = 2, [ERROR_INPUT] = 3, [ERROR_OUTPUT] = 4};
    return code[error->kind];
}
