/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum status spool_open(struct spool *spool, const char *name, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    spool->size_bytes = 0;
    spool->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spool->fd >= 0)
        return OK;
    /* File systems without O_TMPFILE. */
    char path[4096];
    if (snprintf(path, sizeof path, "%s/whylate-XXXXXX", folder) < (int)sizeof path) {
        spool->fd = mkostemp(path, O_CLOEXEC);
        if (spool->fd >= 0) {
            unlink(path);
            return OK;
        }
    }
    return error_output(error, "%s: cannot make a temporary file in '%s': %s", name, folder, strerror(errno));
}

void spool_align(struct spool *spool)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    spool->size_bytes = (spool->size_bytes + page - 1) / page * page;
}

void spool_skip(struct spool *spool, uint64_t size_bytes)
{
    spool->size_bytes += size_bytes;
}

enum status spool_write(struct spool *spool, const void *bytes, size_t size, const char *name, struct error *error)
{
    const char *p = bytes;
    while (size) {
        ssize_t n = pwrite(spool->fd, p, size, (off_t)spool->size_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return error_output(error, "%s: cannot write its temporary copy: %s", name, strerror(n ? errno : ENOSPC));
        p += n;
        size -= (size_t)n;
        spool->size_bytes += (uint64_t)n;
    }
    return OK;
}

enum status spool_finish(struct spool *spool, const char *name, struct error *error)
{
    if (ftruncate(spool->fd, (off_t)spool->size_bytes) != 0)
        return error_output(error, "%s: cannot write its temporary copy: %s", name, strerror(errno));
    return OK;
}

enum status spool_read_all(struct spool *spool, int fd, int wait_ms, uint64_t max_bytes, const char *name,
                           struct error *error)
{
    enum { CHUNK = 1 << 18 };
    enum status status = OK;
    char *buffer = memory_new(CHUNK);
    uint64_t total = 0;
    for (;;) {
        ssize_t n = read(fd, buffer, CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            struct pollfd waiting = {.fd = fd, .events = POLLIN};
            poll(&waiting, 1, -1);
            continue;
        }
        if (n == 0 && total == 0 && wait_ms > 0) {
            /* No writer yet: poll() returns when one has come, or come and gone. */
            struct pollfd waiting = {.fd = fd, .events = POLLIN};
            if (poll(&waiting, 1, wait_ms) > 0) {
                wait_ms = 0;
                continue;
            }
        }
        if (n < 0)
            status = error_input(error, "%s: cannot read: %s", name, strerror(errno));
        if (n <= 0)
            break;
        total += (uint64_t)n;
        if (total > max_bytes) {
            status = error_input(error, "%s: more than %llu bytes", name, (unsigned long long)max_bytes);
            break;
        }
        if (spool_write(spool, buffer, (size_t)n, name, error) == FAILED) {
            status = FAILED;
            break;
        }
    }
    free(buffer);
    return status;
}

void spool_close(struct spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}
