/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint64_t config;
} hardware[COUNTERS_MAX] = {
    {"cycles", PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
    {"cache_references", PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache_misses", PERF_COUNT_HW_CACHE_MISSES},
    {"branch_misses", PERF_COUNT_HW_BRANCH_MISSES},
};

#if defined(__x86_64__) || defined(__i386__)
static inline uint64_t read_pmc(uint32_t index)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (uint64_t)high << 32 | low;
}
#define HAVE_USER_READ 1
#elif defined(__aarch64__)
/* The kernel says the register in `index`: 32 is the cycle counter, else event counter index - 1. */
static inline uint64_t read_pmc(uint32_t index)
{
    uint64_t value;
    if (index == 31) {
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
    } else {
        __asm__ volatile("msr pmselr_el0, %0\n\tisb" : : "r"((uint64_t)index));
        __asm__ volatile("mrs %0, pmxevcntr_el0" : "=r"(value));
    }
    return value;
}
#define HAVE_USER_READ 1
#else
static inline uint64_t read_pmc(uint32_t index)
{
    (void)index;
    return 0;
}
#define HAVE_USER_READ 0
#endif

/* The seqlock protocol of perf_event_mmap_page (include/uapi/linux/perf_event.h). False: not countable right now. */
static bool read_slot(const struct counter_slot *slot, uint64_t *value)
{
    const volatile struct perf_event_mmap_page *page = slot->page;
    uint32_t sequence;
    int64_t count;
    do {
        sequence = page->lock;
        __asm__ volatile("" ::: "memory");
        uint32_t index = page->index;
        if (!page->cap_user_rdpmc || !index)
            return false;
        count = page->offset;
        unsigned width = page->pmc_width ? page->pmc_width : 64;
        int64_t raw = (int64_t)(read_pmc(index - 1) << (64 - width)) >> (64 - width);
        count += raw;
        __asm__ volatile("" ::: "memory");
    } while (page->lock != sequence);
    *value = (uint64_t)count;
    return true;
}

/*
 * On arm64 the user must ask for user access (config1 bit 1; Linux 5.17, kernel.perf_user_access=1), and for 64 bits (bit
 * 0), which before PMUv3p5 only the cycle counter has. Elsewhere these bits are not looked at.
 */
static int open_event(uint64_t config, int group)
{
#ifdef __aarch64__
    static const uint64_t ways[] = {3, 2, 0};
#else
    static const uint64_t ways[] = {0};
#endif
    int fd = -1;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && fd < 0; i++) {
        struct perf_event_attr attr = {
            .type = PERF_TYPE_HARDWARE,
            .size = sizeof attr,
            .config = config,
            .config1 = ways[i],
            .exclude_hv = 1,
        };
        fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, (unsigned long)PERF_FLAG_FD_CLOEXEC);
    }
    return fd;
}

static void open_slot(struct counter_slot *slot, uint64_t config, int group)
{
    uint64_t value;
    slot->fd = open_event(config, group);
    if (slot->fd < 0) {
        snprintf(slot->why, sizeof slot->why, "perf_event_open: %s", strerror(errno));
        return;
    }
    if (!HAVE_USER_READ) {
        snprintf(slot->why, sizeof slot->why, "no user-space read on this architecture, only a total of the run");
        return;
    }
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, slot->fd, 0);
    if (page == MAP_FAILED) {
        snprintf(slot->why, sizeof slot->why, "mmap: %s, only a total of the run", strerror(errno));
        return;
    }
    slot->page = page;
    if (read_slot(slot, &value)) {
        slot->last = value;
        return;
    }
    snprintf(slot->why, sizeof slot->why, "the kernel does not allow user-space reads, only a total of the run");
    munmap(page, (size_t)sysconf(_SC_PAGESIZE));
    slot->page = NULL;
}

void counters_open(struct counters *counters)
{
    *counters = (struct counters){0};
    struct counter_slot good[COUNTERS_MAX] = {0}, missing[COUNTERS_MAX] = {0};
    size_t n_missing = 0;
    for (size_t i = 0; i < COUNTERS_MAX; i++) {
        struct counter_slot slot = {.name = hardware[i].name, .fd = -1};
        open_slot(&slot, hardware[i].config, counters->n ? good[0].fd : -1); /* one group: on the PMU together, or not at all */
        if (slot.why[0])
            missing[n_missing++] = slot;
        else
            good[counters->n++] = slot;
    }
    memcpy(counters->slots, good, counters->n * sizeof *good);
    memcpy(counters->slots + counters->n, missing, n_missing * sizeof *missing);
}

void counters_read(struct counters *counters, uint64_t *values)
{
    for (size_t i = 0; i < counters->n; i++) {
        uint64_t now;
        if (!read_slot(&counters->slots[i], &now)) {
            values[i] = UINT64_MAX;
            continue;
        }
        values[i] = now - counters->slots[i].last;
        counters->slots[i].last = now;
    }
}

bool counters_total(const struct counter_slot *slot, uint64_t *value)
{
    return slot->fd >= 0 && read(slot->fd, value, sizeof *value) == (ssize_t)sizeof *value;
}

void counters_close(struct counters *counters)
{
    for (size_t i = 0; i < COUNTERS_MAX; i++) {
        if (counters->slots[i].page)
            munmap(counters->slots[i].page, (size_t)sysconf(_SC_PAGESIZE));
        if (counters->slots[i].name && counters->slots[i].fd >= 0)
            close(counters->slots[i].fd);
    }
    *counters = (struct counters){0};
}
