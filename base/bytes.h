/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unaligned loads and stores of fixed byte order. The caller has checked the bounds, once. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define bytes_le16(x) (x)
#define bytes_le32(x) (x)
#define bytes_le64(x) (x)
#define bytes_be16(x) __builtin_bswap16(x)
#define bytes_be32(x) __builtin_bswap32(x)
#define bytes_be64(x) __builtin_bswap64(x)
#else
#define bytes_le16(x) __builtin_bswap16(x)
#define bytes_le32(x) __builtin_bswap32(x)
#define bytes_le64(x) __builtin_bswap64(x)
#define bytes_be16(x) (x)
#define bytes_be32(x) (x)
#define bytes_be64(x) (x)
#endif

#define BYTES_ACCESS(order, bits)                                                                            \
    static inline uint##bits##_t read_##order##bits(const void *p)                                           \
    {                                                                                                        \
        uint##bits##_t x;                                                                                    \
        memcpy(&x, p, sizeof x);                                                                             \
        return bytes_##order##bits(x);                                                                       \
    }                                                                                                        \
    static inline void write_##order##bits(void *p, uint##bits##_t x)                                        \
    {                                                                                                        \
        x = bytes_##order##bits(x);                                                                          \
        memcpy(p, &x, sizeof x);                                                                             \
    }

BYTES_ACCESS(le, 16)
BYTES_ACCESS(le, 32)
BYTES_ACCESS(le, 64)
BYTES_ACCESS(be, 16)
BYTES_ACCESS(be, 32)
BYTES_ACCESS(be, 64)
#undef BYTES_ACCESS

#endif
