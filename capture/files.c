/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

bool file_read(struct text *out, const char *path, size_t max_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (!max_bytes)
        max_bytes = 64u << 20;
    char buffer[16384];
    ssize_t n = 0;
    while (out->length < max_bytes && (n = read(fd, buffer, sizeof buffer)) > 0)
        text_add_n(out, buffer, (size_t)n);
    int saved = errno;
    close(fd);
    errno = saved;
    return n >= 0 || out->length > 0;
}

void file_line(char *line, size_t size, const char *path)
{
    struct text text = {0};
    line[0] = '\0';
    if (file_read(&text, path, 65536))
        snprintf(line, size, "%.*s", (int)strcspn(text_string(&text), "\n"), text_string(&text));
    text_release(&text);
}

enum status file_write(const char *path, const char *bytes, struct error *error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC);
    if (fd < 0)
        return error_output(error, "cannot open '%s': %s", path, strerror(errno));
    ssize_t n = write(fd, bytes, strlen(bytes));
    enum status status = OK;
    if (n != (ssize_t)strlen(bytes))
        status = error_output(error, "cannot write '%s' to '%s': %s", bytes, path, n < 0 ? strerror(errno) : "cut short");
    close(fd);
    return status;
}

enum status directory_make(const char *path, struct error *error)
{
    char part[4096];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = part + 1; *slash; slash++) {
        if (*slash != '/')
            continue;
        *slash = '\0';
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            return error_output(error, "cannot make folder '%s': %s", part, strerror(errno));
        *slash = '/';
    }
    if (mkdir(part, 0755) != 0 && errno != EEXIST)
        return error_output(error, "cannot make folder '%s': %s", part, strerror(errno));
    return OK;
}

enum status descriptor_write(int fd, const void *bytes, size_t size, const char *name, struct error *error)
{
    const char *from = bytes;
    while (size) {
        ssize_t n = write(fd, from, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return error_output(error, "cannot write '%s': %s", name, n < 0 ? strerror(errno) : "no progress");
        from += n;
        size -= (size_t)n;
    }
    return OK;
}

/* "*", and ranges "[0-9]" of one character: what patterns of /proc and /sys need (fnmatch(3) is 20 KB in a static program). */
static bool fits(const char *pattern, const char *name)
{
    for (; *pattern; pattern++, name++) {
        if (*pattern == '*') {
            for (;; name++)
                if (fits(pattern + 1, name))
                    return true;
                else if (!*name)
                    return false;
        }
        if (*pattern == '[' && pattern[1] && pattern[2] == '-' && pattern[3] && pattern[4] == ']') {
            if (*name < pattern[1] || *name > pattern[3])
                return false;
            pattern += 4;
        } else if (*pattern != *name) {
            return false;
        }
    }
    return !*name;
}

/* Follows the pattern's components from prefix on; one with wildcards is held against the folder's entries. */
static void match(struct path_list *list, const char *prefix, const char *pattern)
{
    char path[4096], component[256];
    while (*pattern == '/')
        pattern++;
    size_t length = strcspn(pattern, "/");
    if (!length) {
        if (access(prefix, F_OK) == 0) {
            memory_reserve(list->paths, list->capacity, list->n + 1);
            list->paths[list->n++] = memory_string(prefix);
        }
        return;
    }
    snprintf(component, sizeof component, "%.*s", (int)length, pattern);
    if (!strpbrk(component, "*[")) {
        snprintf(path, sizeof path, "%s/%s", prefix, component);
        match(list, path, pattern + length);
        return;
    }
    struct dirent **entries;
    int n = scandir(*prefix ? prefix : "/", &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.' && fits(component, entries[i]->d_name) &&
            snprintf(path, sizeof path, "%s/%s", prefix, entries[i]->d_name) < (int)sizeof path)
            match(list, path, pattern + length);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

void path_list_match(struct path_list *list, const char *pattern)
{
    *list = (struct path_list){0};
    match(list, "", pattern);
}

void path_list_release(struct path_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct path_list){0};
}
