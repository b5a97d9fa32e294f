/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/crc32c.h"
#include "base/memory.h"

#define ZSTD_LEVEL 3

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return memory_string(".");
    char *folder = memory_string(path);
    folder[slash == path ? 1 : slash - path] = '\0';
    return folder;
}

static const char *shown(const struct output *output)
{
    return output->path ? output->path : "temporary file";
}

static void failed(struct output *output, const char *what)
{
    error_output(&output->error, "%s: cannot %s: %s", shown(output), what, strerror(errno));
}

/* A file in folder without a name, or with a hidden one where the file system knows no such files. */
static int open_unnamed(struct output *output, const char *folder, const char *last)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
        return fd;
    size_t size = strlen(folder) + strlen(last) + 16;
    output->temporary = memory_new(size);
    snprintf(output->temporary, size, "%s/.%s.XXXXXX", folder, last);
    fd = mkostemp(output->temporary, O_CLOEXEC);
    if (fd < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return -1;
    }
    mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(fd, 0666 & ~mask);
    return fd;
}

static void write_all(struct output *output, struct iovec *pieces, size_t n)
{
    while (n && output->error.kind == ERROR_NONE) {
        if (!pieces->iov_len) {
            pieces++, n--;
            continue;
        }
        ssize_t done = writev(output->fd, pieces, (int)(n < IOV_MAX ? n : IOV_MAX));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            failed(output, "write");
            return;
        }
        for (size_t left = (size_t)done; left;) {
            size_t part = left < pieces->iov_len ? left : pieces->iov_len;
            pieces->iov_base = (char *)pieces->iov_base + part;
            pieces->iov_len -= part;
            left -= part;
            if (!pieces->iov_len)
                pieces++, n--;
        }
    }
}

static void write_bytes(struct output *output, const void *bytes, size_t n)
{
    struct iovec piece = {(void *)(uintptr_t)bytes, n};
    write_all(output, &piece, 1);
    output->offset += n;
}

enum status output_open(struct output *output, const char *path, struct error *error)
{
    struct stat stat_of;
    *output = (struct output){.fd = -1, .path = memory_string(path)};
    const char *folder_given = getenv("TMPDIR");
    char *folder = path ? folder_of(path) : memory_string(folder_given && *folder_given ? folder_given : "/tmp");
    const char *slash = path ? strrchr(path, '/') : NULL, *last = slash ? slash + 1 : path ? path : "whylate";
    if (path && (!*last || (!stat(path, &stat_of) && !S_ISREG(stat_of.st_mode))))
        error_output(&output->error, "%s: not a regular file", path);
    else if ((output->fd = open_unnamed(output, folder, last)) < 0)
        error_output(&output->error, "%s: cannot create a file: %s", path ? path : folder, strerror(errno));
    free(folder);
    if (output->fd >= 0 && !path && output->temporary) {
        unlink(output->temporary);
        free(output->temporary);
        output->temporary = NULL;
    }
    if (output->error.kind != ERROR_NONE) {
        error_output(error, "%s", output->error.text);
        output_release(output);
        return FAILED;
    }
    struct file_header header = {.magic = FILE_MAGIC,
                                 .major = LAYOUT_MAJOR,
                                 .minor = LAYOUT_MINOR,
                                 .header_bytes = sizeof header,
                                 .alignment = LAYOUT_ALIGN};
    header.crc = crc32c(0, &header, offsetof(struct file_header, crc));
    write_bytes(output, &header, sizeof header);
    return OK;
}

/* One zstd frame of all pieces, or NULL if that saves nothing. */
static void *compressed(const struct iovec *pieces, size_t n_pieces, size_t plain_bytes, size_t *stored_bytes)
{
    size_t room = ZSTD_compressBound(plain_bytes), at = 0;
    unsigned char *plain = memory_new(plain_bytes), *packed = memory_new(room);
    for (size_t i = 0; i < n_pieces; i++) {
        if (pieces[i].iov_len)
            memcpy(plain + at, pieces[i].iov_base, pieces[i].iov_len);
        at += pieces[i].iov_len;
    }
    size_t n = ZSTD_compress(packed, room, plain, plain_bytes, ZSTD_LEVEL);
    free(plain);
    if (ZSTD_isError(n) || n >= plain_bytes) {
        free(packed);
        return NULL;
    }
    *stored_bytes = n;
    return packed;
}

static bool may_be_compressed(const struct chunk_header *header)
{
    return header->type == CHUNK_STRINGS || header->type == CHUNK_ROWS || header->type == CHUNK_BINS ||
           header->type == CHUNK_CYCLES;
}

size_t output_chunk(struct output *output, struct chunk_header header, const struct iovec *pieces, size_t n_pieces)
{
    static const unsigned char zeros[LAYOUT_ALIGN];
    struct iovec all[OUTPUT_PIECES + 2];
    void *packed = NULL;
    assert(n_pieces <= OUTPUT_PIECES);
    header.magic = CHUNK_MAGIC;
    header.version = header.type == CHUNK_EVENTS ? CHUNK_EVENTS_VERSION : CHUNK_VERSION;
    header.plain_bytes = 0;
    for (size_t i = 0; i < n_pieces; i++)
        header.plain_bytes += pieces[i].iov_len;
    header.stored_bytes = header.plain_bytes;
    memcpy(all + 1, pieces, n_pieces * sizeof *pieces);
    if (output->compress && may_be_compressed(&header) && header.plain_bytes > 256 &&
        (packed = compressed(pieces, n_pieces, header.plain_bytes, &header.stored_bytes))) {
        header.flags |= CHUNK_ZSTD;
        n_pieces = 1;
        all[1] = (struct iovec){packed, header.stored_bytes};
    }
    for (size_t i = 1; i <= n_pieces; i++)
        header.payload_crc = crc32c(header.payload_crc, all[i].iov_base, all[i].iov_len);
    header.header_crc = crc32c(0, &header, offsetof(struct chunk_header, header_crc));
    all[0] = (struct iovec){&header, sizeof header};
    all[n_pieces + 1] =
        (struct iovec){(void *)(uintptr_t)zeros, layout_align(header.stored_bytes) - header.stored_bytes};
    memory_reserve(output->index, output->index_capacity, output->n_chunks + 1);
    output->index[output->n_chunks] = (struct index_entry){output->offset, header};
    write_all(output, all, n_pieces + 2);
    output->offset += sizeof header + layout_align(header.stored_bytes);
    free(packed);
    return output->n_chunks++;
}

void output_drop(struct output *output, size_t chunk)
{
    output->index[chunk].offset = 0;
}

static void write_index(struct output *output)
{
    struct trailer trailer = {.magic = TRAILER_MAGIC, .index_offset = output->offset};
    size_t kept = 0;
    for (size_t i = 0; i < output->n_chunks; i++)
        if (output->index[i].offset)
            output->index[kept++] = output->index[i];
    output->n_chunks = kept;
    /* The index is its own payload: it must not move while it is written. */
    memory_reserve(output->index, output->index_capacity, kept + 1);
    struct iovec piece = {output->index, kept * sizeof *output->index};
    output_chunk(output, (struct chunk_header){.type = CHUNK_INDEX, .n = (uint32_t)kept}, &piece, 1);
    trailer.n_chunks = kept;
    trailer.file_bytes = output->offset + sizeof trailer;
    trailer.crc = crc32c(0, &trailer, offsetof(struct trailer, crc));
    write_bytes(output, &trailer, sizeof trailer);
}

/* Gives the file its name. A file without a name gets a hidden one first, because link() does not replace. */
static void give_name(struct output *output)
{
    char from[64];
    if (!output->temporary) {
        snprintf(from, sizeof from, "/proc/self/fd/%d", output->fd);
        size_t size = strlen(output->path) + 32;
        char *folder = folder_of(output->path), *name = memory_new(size + strlen(folder));
        const char *slash = strrchr(output->path, '/');
        for (unsigned i = 0; i < 1000; i++) {
            snprintf(name, size + strlen(folder), "%s/.%s.%u", folder, slash ? slash + 1 : output->path,
                     (unsigned)getpid() + i);
            if (!linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
                output->temporary = name;
                break;
            }
            if (errno != EEXIST)
                break;
        }
        free(folder);
        if (!output->temporary) {
            failed(output, "name the file");
            free(name);
            return;
        }
    }
    if (rename(output->temporary, output->path)) {
        failed(output, "rename the temporary file");
        return;
    }
    free(output->temporary);
    output->temporary = NULL;
}

static void sync_folder(const struct output *output)
{
    char *folder = folder_of(output->path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!fsync(fd); /* some file systems cannot sync a folder */
        close(fd);
    }
    free(folder);
}

int output_finish(struct output *output, bool sync, struct error *error)
{
    if (output->error.kind == ERROR_NONE)
        write_index(output);
    if (output->error.kind == ERROR_NONE && sync && output->path && fsync(output->fd))
        failed(output, "sync");
    if (output->error.kind == ERROR_NONE && output->path)
        give_name(output);
    if (output->error.kind == ERROR_NONE && sync && output->path)
        sync_folder(output);
    if (output->error.kind != ERROR_NONE) {
        error_output(error, "%s", output->error.text);
        return -1;
    }
    return output->fd;
}

void output_release(struct output *output)
{
    if (output->fd >= 0)
        close(output->fd);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    free(output->index);
    *output = (struct output){.fd = -1};
}
