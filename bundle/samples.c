/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bundle/samples.h"

#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"

static const char magic[8] = {'W', 'L', 'S', 'A', 'M', 'P', 'L', '1'};

size_t bundle_sample_bytes(uint32_t n_counters)
{
    return BUNDLE_SAMPLE_BYTES + 8 * (size_t)n_counters;
}

void bundle_samples_header_write(unsigned char bytes[BUNDLE_SAMPLES_HEADER_BYTES],
                                 const struct bundle_samples_header *header)
{
    memset(bytes, 0, BUNDLE_SAMPLES_HEADER_BYTES);
    memcpy(bytes, magic, sizeof magic);
    write_le32(bytes + 8, BUNDLE_SAMPLES_HEADER_BYTES);
    write_le32(bytes + 12, (uint32_t)bundle_sample_bytes(header->n_counters));
    write_le32(bytes + 16, header->thread);
    write_le32(bytes + 20, header->n_counters);
    write_le64(bytes + 24, (uint64_t)header->interval_ns);
    write_le64(bytes + 32, (uint64_t)header->first_due_ns);
    write_le32(bytes + 60, crc32c(0, bytes, 60));
}

bool bundle_samples_header_read(const unsigned char *bytes, size_t size, struct bundle_samples_header *header)
{
    if (size < BUNDLE_SAMPLES_HEADER_BYTES || memcmp(bytes, magic, sizeof magic) != 0 ||
        read_le32(bytes + 8) != BUNDLE_SAMPLES_HEADER_BYTES || read_le32(bytes + 60) != crc32c(0, bytes, 60))
        return false;
    header->record_bytes = read_le32(bytes + 12);
    header->thread = read_le32(bytes + 16);
    header->n_counters = read_le32(bytes + 20);
    header->interval_ns = (int64_t)read_le64(bytes + 24);
    header->first_due_ns = (int64_t)read_le64(bytes + 32);
    return header->n_counters <= BUNDLE_MAX_COUNTERS && header->record_bytes == bundle_sample_bytes(header->n_counters);
}

void bundle_sample_write(unsigned char *bytes, const struct bundle_sample *sample, uint32_t n_counters)
{
    write_le64(bytes, sample->sequence);
    write_le64(bytes + 8, (uint64_t)sample->due_ns);
    write_le64(bytes + 16, (uint64_t)sample->wake_ns);
    write_le32(bytes + 24, sample->n_missed);
    write_le32(bytes + 28, 0);
    for (uint32_t i = 0; i < n_counters; i++)
        write_le64(bytes + BUNDLE_SAMPLE_BYTES + 8 * (size_t)i, sample->counters[i]);
    write_le32(bytes + 28, crc32c(0, bytes, bundle_sample_bytes(n_counters)));
}

bool bundle_sample_read(const unsigned char *bytes, uint32_t n_counters, struct bundle_sample *sample)
{
    static const unsigned char zero[4];
    uint32_t crc = crc32c(0, bytes, 28);
    crc = crc32c(crc, zero, sizeof zero);
    crc = crc32c(crc, bytes + BUNDLE_SAMPLE_BYTES, 8 * (size_t)n_counters);
    if (crc != read_le32(bytes + 28))
        return false;
    sample->sequence = read_le64(bytes);
    sample->due_ns = (int64_t)read_le64(bytes + 8);
    sample->wake_ns = (int64_t)read_le64(bytes + 16);
    sample->n_missed = read_le32(bytes + 24);
    for (uint32_t i = 0; i < n_counters; i++)
        sample->counters[i] = read_le64(bytes + BUNDLE_SAMPLE_BYTES + 8 * (size_t)i);
    return true;
}
