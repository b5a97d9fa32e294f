/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files of /proc, /sys and tracefs, read and written whole. */
#ifndef CAPTURE_FILES_H
#define CAPTURE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* Appends a file's bytes; false (with errno) if it cannot be read. max_bytes 0: 64 MiB. */
bool file_read(struct text *out, const char *path, size_t max_bytes);
/* The file's first line without newline, "" if it cannot be read. */
void file_line(char *line, size_t size, const char *path);
/* Writes a short text into an existing file (a setting). */
enum status file_write(const char *path, const char *bytes, struct error *error);
/* Makes dir and what is above it. */
enum status directory_make(const char *path, struct error *error);
/* Writes all of a buffer to a descriptor; a full disk is an error, not a short file unnoticed. */
enum status descriptor_write(int fd, const void *bytes, size_t size, const char *name, struct error *error);

/*
 * The paths that fit a pattern of /proc or /sys ("*" and "[0-9]"), sorted: glob(3) without its look at the password database, which would
 * make the static program half as large again. Release with path_list_release().
 */
struct path_list {
    size_t n, capacity;
    char **paths;
};
void path_list_match(struct path_list *list, const char *pattern);
void path_list_release(struct path_list *list);

#endif
