/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INPUT_HASH_H
#define INPUT_HASH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * SHA-256 (FIPS 180-4) of the bytes as 64 hex digits and a terminator. is_mapped: they are a read-only mapping of a
 * file, from its beginning, and need not stay resident. stop (may be NULL): when it turns true, the hash of a mapping
 * is given up and hex is "".
 */
void hash_sha256_hex(const void *bytes, size_t size, bool is_mapped, const atomic_bool *stop, char hex[65]);

#endif
