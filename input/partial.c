/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cut gzip or zstd stream: libarchive gives nothing of a short one; here what can be unpacked before the cut. */
#include "input/members.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK ((size_t)1 << 17)

static enum status put(struct input *input, struct spool *spool, const void *bytes, size_t size, const char *path, struct error *error)
{
    input->unpacked_bytes += size;
    if (spool->size_bytes + size > input->limits.max_member_bytes ||
        (input->unpacked_bytes > (64u << 20) && input->unpacked_bytes / input->limits.max_ratio > input->packed_bytes))
        return error_input(error, "%s: unpacks to more than is allowed", path);
    return spool_write(spool, bytes, size, path, error);
}

static enum status unpack_gzip(struct input *input, struct spool *spool, const void *bytes, size_t size, const char *path, struct error *error)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes};
    enum status status = OK;
    size_t left = size;
    unsigned char *out = memory_new(CHUNK);
    int result = inflateInit2(&stream, 15 + 32);
    while (result == Z_OK && status == OK) {
        if (stream.avail_in == 0) {
            stream.avail_in = (uInt)(left < (1u << 30) ? left : 1u << 30);
            left -= stream.avail_in;
        }
        stream.next_out = out;
        stream.avail_out = (uInt)CHUNK;
        result = inflate(&stream, Z_SYNC_FLUSH);
        size_t n = CHUNK - stream.avail_out;
        if (n)
            status = put(input, spool, out, n, path, error);
        else if (stream.avail_in == 0 && left == 0)
            break;
    }
    inflateEnd(&stream);
    free(out);
    return status;
}

static enum status unpack_zstd(struct input *input, struct spool *spool, const void *bytes, size_t size, const char *path, struct error *error)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {.src = bytes, .size = size};
    enum status status = OK;
    unsigned char *buffer = memory_new(CHUNK);
    while (stream && status == OK) {
        ZSTD_outBuffer out = {.dst = buffer, .size = CHUNK};
        size_t result = ZSTD_decompressStream(stream, &out, &in);
        if (out.pos)
            status = put(input, spool, buffer, out.pos, path, error);
        if (ZSTD_isError(result) || (out.pos == 0 && in.pos == in.size))
            break;
    }
    ZSTD_freeDStream(stream);
    free(buffer);
    return status;
}

enum status partial_unpack(struct input *input, struct spool *spool, const void *bytes, size_t size, const char *path, struct error *error)
{
    static const unsigned char gzip[] = {0x1f, 0x8b, 8}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (size > sizeof gzip && memcmp(bytes, gzip, sizeof gzip) == 0)
        return unpack_gzip(input, spool, bytes, size, path, error);
    if (size > sizeof zstd && memcmp(bytes, zstd, sizeof zstd) == 0)
        return unpack_zstd(input, spool, bytes, size, path, error);
    return OK;
}
