/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/load.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

struct load_argument {
    const char *directory;
    size_t size_bytes; /* of "memory:SIZE" */
};

/* Each generator runs in a child until it is killed. */

static void run_dd(const struct load_argument *argument)
{
    (void)argument;
    static char block[1 << 20];
    int in = open("/dev/zero", O_RDONLY), out = open("/dev/null", O_WRONLY);
    while (read(in, block, sizeof block) > 0 && write(out, block, sizeof block) > 0)
        ;
}

/* Messages of 100 bytes between 20 senders and 20 receivers over socket pairs. */
static void run_hackbench(const struct load_argument *argument)
{
    (void)argument;
    for (int i = 0; i < 20; i++) {
        int ends[2];
        char message[100] = "";
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
            return;
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            while (read(ends[0], message, sizeof message) > 0)
                ;
            _exit(0);
        }
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            while (write(ends[1], message, sizeof message) > 0)
                ;
            _exit(0);
        }
        close(ends[0]);
        close(ends[1]);
    }
    for (;;)
        pause();
}

/* 64 periodic timers between 0.5 and 8 ms. */
static void run_timers(const struct load_argument *argument)
{
    enum { N = 64 };
    (void)argument;
    int fds[N];
    for (int i = 0; i < N; i++) {
        struct timespec period = {.tv_nsec = 500000 + i * 117000};
        struct itimerspec spec = {.it_interval = period, .it_value = period};
        fds[i] = timerfd_create(CLOCK_MONOTONIC, 0);
        timerfd_settime(fds[i], 0, &spec, NULL);
    }
    for (int i = 0;; i = (i + 1) % N) {
        uint64_t n;
        if (read(fds[i], &n, sizeof n) < 0 && errno != EINTR)
            return;
    }
}

static void run_disk(const struct load_argument *argument)
{
    static char block[1 << 20];
    char path[4096];
    snprintf(path, sizeof path, "%s/load-disk.tmp", argument->directory);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0)
        return;
    unlink(path);
    for (size_t n = 0;; n = (n + 1) % 64)
        if (pwrite(fd, block, sizeof block, (off_t)(n * sizeof block)) < 0 || (n % 8 == 7 && fdatasync(fd) != 0))
            return;
}

/* Datagrams to ourselves on the loopback device, with a pause so that the softirq is busy but not endless. */
static void run_net_loopback(const struct load_argument *argument)
{
    (void)argument;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    char packet[1400] = "";
    int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(in, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(in, (struct sockaddr *)&address, &length) != 0 ||
        connect(out, (struct sockaddr *)&address, sizeof address) != 0)
        return;
    for (;;) {
        for (int i = 0; i < 32; i++)
            if (send(out, packet, sizeof packet, 0) < 0 && errno != ENOBUFS)
                return;
        while (recv(in, packet, sizeof packet, MSG_DONTWAIT) > 0)
            ;
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

static void run_memory(const struct load_argument *argument)
{
    size_t n = argument->size_bytes / sizeof(uint64_t) / 2;
    volatile uint64_t *from = memory_new(2 * n * sizeof *from), *to = from + n;
    for (;;)
        for (size_t i = 0; i < n; i++)
            to[i] = from[i] + 1;
}

static const struct {
    const char *name;
    void (*run)(const struct load_argument *argument);
    bool has_size;
} generators[] = {
    {"dd", run_dd, false},           {"hackbench", run_hackbench, false},
    {"timers", run_timers, false},   {"disk", run_disk, false},
    {"net-loopback", run_net_loopback, false}, {"memory", run_memory, true},
};
#define N_GENERATORS (sizeof generators / sizeof *generators)

static bool parse_size(const char *text, size_t *bytes)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (end == text || (shift && end[1]) || (!shift && *end) || number > (1ull << 40) >> shift)
        return false;
    *bytes = (size_t)(number << shift);
    return *bytes >= 4096;
}

/* A child of normal priority in its own group, that dies with the agent. 0 in the child. */
static pid_t spawn(void)
{
    pid_t parent = getpid(), pid = fork();
    if (pid != 0) {
        if (pid > 0)
            setpgid(pid, pid);
        return pid;
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    struct sched_param param = {0};
    sched_setscheduler(0, SCHED_OTHER, &param);
    cpu_set_t all;
    memset(&all, 255, sizeof all);
    sched_setaffinity(0, sizeof all, &all); /* the helper's own confinement is not the load's */
    return 0;
}

/*
 * A command may have children of its own, which a signal at the parent's death does not reach. Its group's leader waits
 * for the end of a pipe that only the agent holds open, and then kills the whole group.
 */
static void run_command(const char *command, int directory_fd, int alive_fd)
{
    char byte;
    if (directory_fd >= 0 && fchdir(directory_fd) != 0)
        _exit(126);
    prctl(PR_SET_PDEATHSIG, 0);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (read(alive_fd, &byte, 1) < 0 && errno == EINTR)
        ;
    kill(0, SIGKILL);
    _exit(0);
}

static void add(struct load *load, pid_t pid)
{
    if (pid <= 0)
        return;
    load->pids = memory_resize(load->pids, load->n + 1, sizeof *load->pids);
    load->pids[load->n++] = pid;
}

static enum status start_word(struct load *load, const char *word, const char *directory, bool only_check,
                              struct error *error)
{
    struct load_argument argument = {.directory = directory};
    const char *colon = strchr(word, ':');
    size_t length = colon ? (size_t)(colon - word) : strlen(word);
    for (size_t i = 0; i < N_GENERATORS; i++) {
        if (strlen(generators[i].name) != length || strncmp(word, generators[i].name, length) != 0)
            continue;
        if (generators[i].has_size != (colon != NULL) || (colon && !parse_size(colon + 1, &argument.size_bytes)))
            return error_usage(error, "load '%s' %s", word, generators[i].has_size ? "wants a size, as memory:64M" : "takes no size");
        if (only_check)
            return OK;
        pid_t pid = spawn();
        if (pid == 0) {
            generators[i].run(&argument);
            _exit(1);
        }
        add(load, pid);
        return OK;
    }
    return error_usage(error, "unknown load '%s' (dd, hackbench, timers, disk, net-loopback, memory:SIZE)", word);
}

/* Each word of the list: checked, or started into *load. */
static enum status each_word(struct load *load, const char *list, const char *directory, struct error *error)
{
    char *copy = memory_string(list), *rest = copy;
    enum status status = OK;
    for (char *word; status == OK && (word = strsep(&rest, ","));)
        status = start_word(load, word, directory, !load, error);
    free(copy);
    return status;
}

enum status load_check(const char *list, struct error *error)
{
    return list ? each_word(NULL, list, NULL, error) : OK;
}

enum status load_start(struct load *load, const char *list, const char *command, const char *directory,
                       int command_directory_fd, struct error *error)
{
    *load = (struct load){.alive_fd = -1};
    if (list && each_word(load, list, directory, error) != OK)
        return FAILED;
    if (command) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return error_output(error, "cannot start the load: %s", strerror(errno));
        pid_t pid = spawn();
        if (pid == 0) {
            close(ends[1]);
            run_command(command, command_directory_fd, ends[0]);
        }
        close(ends[0]);
        load->alive_fd = ends[1];
        add(load, pid);
    }
    return OK;
}

void load_stop(struct load *load)
{
    for (size_t i = 0; i < load->n; i++) {
        kill(-load->pids[i], SIGKILL);
        waitpid(load->pids[i], NULL, 0);
    }
    if (load->n && load->alive_fd >= 0)
        close(load->alive_fd);
    free(load->pids);
    *load = (struct load){.alive_fd = -1};
}
