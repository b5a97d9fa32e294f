/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INPUT_HASH_H
#define INPUT_HASH_H

#include <stddef.h>

/* SHA-256 (FIPS 180-4) of the bytes as 64 hex digits and a terminator. */
void hash_sha256_hex(const void *bytes, size_t size, char hex[65]);

#endif
