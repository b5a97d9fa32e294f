/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples-T.wls: every sample of one measuring thread, appended as it was drained.
 *
 *     header, 64 bytes, little-endian:
 *        0  8  "WLSAMPL1"
 *        8  4  bytes of the header: 64
 *       12  4  bytes of a record: 32 + 8 * counters
 *       16  4  thread's index in threads.txt
 *       20  4  counters per record
 *       24  8  interval, ns
 *       32  8  CLOCK_MONOTONIC of the first due time, ns
 *       40 20  zero
 *       60  4  CRC32C of the 60 bytes before
 *     record:
 *        0  8  sequence number of the sample, from 0
 *        8  8  due time, CLOCK_MONOTONIC ns
 *       16  8  wake time, CLOCK_MONOTONIC ns (latency = wake - due)
 *       24  4  periods missed just before this sample (skipped, because the wakeup before was later than they)
 *       28  4  CRC32C of the record with these four bytes zero
 *       32     counters, 8 bytes each: difference since the previous wakeup; 2^64-1: not available
 *
 * A file cut anywhere is good up to its last whole record; a record whose CRC does not fit ends it.
 */
#ifndef BUNDLE_SAMPLES_H
#define BUNDLE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUNDLE_SAMPLES_HEADER_BYTES 64
#define BUNDLE_SAMPLE_BYTES         32
#define BUNDLE_MAX_COUNTERS         16

struct bundle_samples_header {
    uint32_t thread, n_counters, record_bytes;
    int64_t interval_ns, first_due_ns;
};

struct bundle_sample {
    uint64_t sequence;
    int64_t due_ns, wake_ns;
    uint32_t n_missed;
    uint64_t counters[BUNDLE_MAX_COUNTERS];
};

/* Into bytes that the caller has: 64 of a header, bundle_sample_bytes() of a record. */
void bundle_samples_header_write(unsigned char bytes[BUNDLE_SAMPLES_HEADER_BYTES],
                                 const struct bundle_samples_header *header);
/* False: not such a file, another version, or damaged. */
bool bundle_samples_header_read(const unsigned char *bytes, size_t size, struct bundle_samples_header *header);
size_t bundle_sample_bytes(uint32_t n_counters);
void bundle_sample_write(unsigned char *bytes, const struct bundle_sample *sample, uint32_t n_counters);
/* bytes has a whole record. False: damaged. */
bool bundle_sample_read(const unsigned char *bytes, uint32_t n_counters, struct bundle_sample *sample);

#endif
