/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hog PRIORITY CPU BUSY_MS PAUSE_MS COUNT: a SCHED_FIFO thread that keeps a CPU busy COUNT times, with pauses, and says
 * when in CLOCK_MONOTONIC. PRIORITY 0: SCHED_OTHER.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    struct sched_param param = {.sched_priority = atoi(argv[1])};
    char name[16];
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)atoi(argv[2]), &set);
    snprintf(name, sizeof name, "hog%d", param.sched_priority);
    prctl(PR_SET_NAME, name);
    if (sched_setaffinity(0, sizeof set, &set) != 0 ||
        (param.sched_priority && sched_setscheduler(0, SCHED_FIFO, &param) != 0)) {
        perror("hog");
        return 1;
    }
    for (int i = 0; i < atoi(argv[5]); i++) {
        int64_t begin = now_ns(), end;
        do
            end = now_ns();
        while (end - begin < atoll(argv[3]) * 1000000);
        printf("hog: begin %lld end %lld\n", (long long)begin, (long long)end);
        fflush(stdout);
        nanosleep(&(struct timespec){.tv_sec = atol(argv[4]) / 1000, .tv_nsec = atol(argv[4]) % 1000 * 1000000}, NULL);
    }
    return 0;
}
