/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processor's CRC instruction has a latency of three cycles but starts one per cycle, so a long span is cut into
 * three that run interleaved. Their checksums are joined by multiplying with x^(8 * length) modulo the polynomial,
 * which is linear: four table look-ups.
 *
 *     | ---- a ---- | ---- b ---- | ---- c ---- |      crc(abc) = shift(shift(crc a) ^ crc b) ^ crc c
 */
#include "base/crc32c.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"

#define POLYNOMIAL 0x82f63b78u /* reflected: bit 31 is x^0 */

static uint32_t plain_table[8][256];

#if defined(__x86_64__)
#include <immintrin.h>
#define HAS_INSTRUCTION   1
#define TARGET            __attribute__((target("sse4.2")))
#define STEP8(crc, byte)  _mm_crc32_u8((crc), (byte))
#define STEP64(crc, word) ((uint32_t)_mm_crc32_u64((crc), (word)))
static bool cpu_has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define HAS_INSTRUCTION   1
#define TARGET            __attribute__((target("+crc")))
#define STEP8(crc, byte)  __crc32cb((crc), (byte))
#define STEP64(crc, word) __crc32cd((crc), (word))
static bool cpu_has_instruction(void)
{
    return getauxval(AT_HWCAP) & 1u << 7; /* HWCAP_CRC32 */
}
#else
#define HAS_INSTRUCTION 0
#endif

#if HAS_INSTRUCTION
#define LONG_BYTES  4096u
#define SHORT_BYTES 256u
static bool use_instruction;
static uint32_t long_table[4][256], short_table[4][256];

/* a * b modulo the polynomial; a is not 0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
        if (a & bit)
            product ^= b;
        b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
    }
    return product;
}

static void make_shift_table(uint32_t table[4][256], size_t n_bytes)
{
    uint32_t power = 1u << 31, square = 1u << 30; /* x^0, x^1 */
    for (size_t n_bits = n_bytes * 8; n_bits; n_bits >>= 1) {
        if (n_bits & 1)
            power = multiply(power, square);
        square = multiply(square, square);
    }
    for (unsigned k = 0; k < 4; k++)
        for (uint32_t byte = 0; byte < 256; byte++)
            table[k][byte] = multiply(power, byte << 8 * k);
}

static uint32_t shift(uint32_t table[4][256], uint32_t crc)
{
    return table[0][crc & 255] ^ table[1][crc >> 8 & 255] ^ table[2][crc >> 16 & 255] ^ table[3][crc >> 24];
}

/* span is a multiple of 64. */
TARGET static uint32_t three_spans(uint32_t crc, const unsigned char *p, size_t span, uint32_t table[4][256])
{
    uint32_t b = 0, c = 0;
    for (size_t line = 0; line < span; line += 64) {
        /* Of what comes after the three: pages of a map that nobody has touched lately are far away. */
        __builtin_prefetch(p + 3 * span + line);
        __builtin_prefetch(p + 4 * span + line);
        __builtin_prefetch(p + 5 * span + line);
        for (size_t i = line; i < line + 64; i += 8) {
            crc = STEP64(crc, read_le64(p + i));
            b = STEP64(b, read_le64(p + span + i));
            c = STEP64(c, read_le64(p + 2 * span + i));
        }
    }
    return shift(table, shift(table, crc) ^ b) ^ c;
}

TARGET static uint32_t crc32c_instruction(uint32_t crc, const unsigned char *p, size_t n)
{
    crc = ~crc;
    for (; n && (uintptr_t)p & 7; n--)
        crc = STEP8(crc, *p++);
    for (; n >= (size_t)3 * LONG_BYTES; n -= (size_t)3 * LONG_BYTES, p += (size_t)3 * LONG_BYTES)
        crc = three_spans(crc, p, LONG_BYTES, long_table);
    for (; n >= (size_t)3 * SHORT_BYTES; n -= (size_t)3 * SHORT_BYTES, p += (size_t)3 * SHORT_BYTES)
        crc = three_spans(crc, p, SHORT_BYTES, short_table);
    for (; n >= 8; n -= 8, p += 8)
        crc = STEP64(crc, read_le64(p));
    for (; n; n--)
        crc = STEP8(crc, *p++);
    return ~crc;
}
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
        plain_table[0][byte] = crc;
    }
    for (unsigned k = 1; k < 8; k++)
        for (uint32_t byte = 0; byte < 256; byte++)
            plain_table[k][byte] = plain_table[k - 1][byte] >> 8 ^ plain_table[0][plain_table[k - 1][byte] & 255];
#if HAS_INSTRUCTION
    make_shift_table(long_table, LONG_BYTES);
    make_shift_table(short_table, SHORT_BYTES);
    use_instruction = cpu_has_instruction();
#endif
}

/* Eight bytes at a time: table k holds what a byte becomes after k more bytes. */
uint32_t crc32c_plain(uint32_t crc, const void *data, size_t n)
{
    pthread_once(&once, make_tables);
    const unsigned char *p = data;
    uint32_t(*t)[256] = plain_table;
    crc = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low = read_le32(p) ^ crc, high = read_le32(p + 4);
        crc = t[7][low & 255] ^ t[6][low >> 8 & 255] ^ t[5][low >> 16 & 255] ^ t[4][low >> 24] ^ t[3][high & 255] ^
              t[2][high >> 8 & 255] ^ t[1][high >> 16 & 255] ^ t[0][high >> 24];
    }
    for (; n; n--)
        crc = crc >> 8 ^ t[0][(crc ^ *p++) & 255];
    return ~crc;
}

uint32_t crc32c(uint32_t crc, const void *data, size_t n)
{
    pthread_once(&once, make_tables);
#if HAS_INSTRUCTION
    if (use_instruction)
        return crc32c_instruction(crc, data, n);
#endif
    return crc32c_plain(crc, data, n);
}
