/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C (Castagnoli), as in iSCSI (RFC 3720 appendix B.4): crc32c(0, "123456789", 9) is 0xe3069283. */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what crc already covers (0: nothing) followed by the n bytes at data. */
uint32_t crc32c(uint32_t crc, const void *data, size_t n);
/* The same without the processor's instruction: the oracle of the tests, and what other processors run. */
uint32_t crc32c_plain(uint32_t crc, const void *data, size_t n);

#endif
