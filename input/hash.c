/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/hash.h"

#include <nettle/sha2.h>
#include <stdint.h>
#include <sys/mman.h>

/* Mapped bytes are given back behind the walk, or a file of 10 GB would fill the memory. */
#define DROP_BYTES ((size_t)8 << 20)

static bool update_and_drop(struct sha256_ctx *context, const unsigned char *bytes, size_t size, const atomic_bool *stop)
{
    for (size_t at = 0; at < size; at += DROP_BYTES) {
        if (stop && atomic_load(stop))
            return false;
        size_t n = size - at < DROP_BYTES ? size - at : DROP_BYTES;
        sha256_update(context, n, bytes + at);
        madvise((void *)(uintptr_t)(bytes + at), n, MADV_DONTNEED);
    }
    return true;
}

void hash_sha256_hex(const void *bytes, size_t size, bool is_mapped, const atomic_bool *stop, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    hex[0] = '\0';
    if (!is_mapped)
        sha256_update(&context, size, bytes);
    else if (!update_and_drop(&context, bytes, size, stop))
        return;
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[64] = '\0';
}
