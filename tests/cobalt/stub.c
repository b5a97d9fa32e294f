/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stand-in for libcobalt, to show that the agent builds with the POSIX wrapping as Xenomai 3 documents it and that its
 * calls go through it. No Cobalt core: each __wrap_X() counts and calls libc. At the end the counts go to the file that
 * COBALT_STUB_LOG names: "NAME all by_measuring_threads".
 *
 * cobalt.wrappers beside it names more calls than are here: what the agent uses and this file lacks does not link.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* From its first absolute sleep, or the first read of its timer, until the timer is closed. */
static _Thread_local int is_measuring, timer = -1;
static atomic_int n_inits;

#define CALLS(X) X(pthread_attr_init) X(pthread_create) X(pthread_setschedparam) X(pthread_join) X(pthread_setname_np) \
    X(sched_setscheduler) X(clock_gettime) X(clock_nanosleep) X(nanosleep) X(timerfd_create) X(timerfd_settime) X(open) X(close) \
    X(read) X(write) X(socket) X(bind) X(connect) X(send) X(recv) X(getsockname) X(mmap) X(mmap64) X(kill) X(time) X(printf) X(fprintf) \
    X(vfprintf) X(puts) X(putchar) X(fputs) X(fputc) X(fwrite) X(pthread_mutex_lock) X(pthread_mutex_unlock) X(sigwait)
enum {
#define X(name) CALL_##name,
    CALLS(X)
#undef X
    N_CALLS
};
static const char *const names[] = {
#define X(name) #name,
    CALLS(X)
#undef X
};
static atomic_ulong n_calls[N_CALLS], n_measuring[N_CALLS];

static void count(int call)
{
    atomic_fetch_add(&n_calls[call], 1);
    if (is_measuring)
        atomic_fetch_add(&n_measuring[call], 1);
}

void xenomai_init(int *argcp, char *const **argvp);
void xenomai_init(int *argcp, char *const **argvp)
{
    (void)argcp, (void)argvp;
    atomic_fetch_add(&n_inits, 1);
}

#define WRAP(type, name, parameters, arguments) \
    type __wrap_##name parameters;              \
    type __wrap_##name parameters               \
    {                                           \
        count(CALL_##name);                     \
        return name arguments;                  \
    }

WRAP(int, pthread_attr_init, (pthread_attr_t *a), (a))
WRAP(int, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *p), (t, a, f, p))
WRAP(int, pthread_setschedparam, (pthread_t t, int policy, const struct sched_param *p), (t, policy, p))
WRAP(int, pthread_join, (pthread_t t, void **value), (t, value))
WRAP(int, pthread_setname_np, (pthread_t t, const char *name), (t, name))
WRAP(int, sched_setscheduler, (pid_t pid, int policy, const struct sched_param *p), (pid, policy, p))
WRAP(int, clock_gettime, (clockid_t c, struct timespec *t), (c, t))
WRAP(int, nanosleep, (const struct timespec *t, struct timespec *left), (t, left))
WRAP(int, timerfd_create, (int c, int flags), (c, flags))
WRAP(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n))
WRAP(int, socket, (int d, int t, int p), (d, t, p))
WRAP(int, bind, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
WRAP(int, connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
WRAP(ssize_t, send, (int fd, const void *b, size_t n, int f), (fd, b, n, f))
WRAP(ssize_t, recv, (int fd, void *b, size_t n, int f), (fd, b, n, f))
WRAP(int, getsockname, (int fd, struct sockaddr *a, socklen_t *n), (fd, a, n))
WRAP(void *, mmap, (void *a, size_t n, int p, int f, int fd, off_t o), (a, n, p, f, fd, o))
WRAP(void *, mmap64, (void *a, size_t n, int p, int f, int fd, off_t o), (a, n, p, f, fd, o))
WRAP(int, kill, (pid_t pid, int s), (pid, s))
WRAP(time_t, time, (time_t *t), (t))
WRAP(int, puts, (const char *s), (s))
WRAP(int, putchar, (int c), (c))
WRAP(int, fputs, (const char *s, FILE *f), (s, f))
WRAP(int, fputc, (int c, FILE *f), (c, f))
WRAP(size_t, fwrite, (const void *b, size_t s, size_t n, FILE *f), (b, s, n, f))
WRAP(int, pthread_mutex_lock, (pthread_mutex_t *m), (m))
WRAP(int, pthread_mutex_unlock, (pthread_mutex_t *m), (m))
WRAP(int, sigwait, (const sigset_t *s, int *n), (s, n))
WRAP(int, vfprintf, (FILE *f, const char *format, va_list args), (f, format, args))

int __wrap_clock_nanosleep(clockid_t c, int flags, const struct timespec *t, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t c, int flags, const struct timespec *t, struct timespec *left)
{
    is_measuring = 1;
    count(CALL_clock_nanosleep);
    return clock_nanosleep(c, flags, t, left);
}
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *t, struct itimerspec *old);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *t, struct itimerspec *old)
{
    count(CALL_timerfd_settime);
    timer = fd;
    return timerfd_settime(fd, flags, t, old);
}
ssize_t __wrap_read(int fd, void *bytes, size_t n);
ssize_t __wrap_read(int fd, void *bytes, size_t n)
{
    is_measuring |= fd == timer;
    count(CALL_read);
    return read(fd, bytes, n);
}
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    if (fd == timer) {
        is_measuring = 0;
        timer = -1;
    }
    count(CALL_close);
    return close(fd);
}
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int mode = va_arg(args, int);
    va_end(args);
    count(CALL_open);
    return open(path, flags, mode);
}
int __wrap_open64(const char *path, int flags, ...) __attribute__((alias("__wrap_open")));
int __wrap_printf(const char *format, ...);
int __wrap_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    count(CALL_printf);
    int n = vprintf(format, args);
    va_end(args);
    return n;
}
int __wrap_fprintf(FILE *file, const char *format, ...);
int __wrap_fprintf(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    count(CALL_fprintf);
    int n = vfprintf(file, format, args);
    va_end(args);
    return n;
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("COBALT_STUB_LOG");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "xenomai_init %d 0\n", atomic_load(&n_inits));
    for (int i = 0; i < N_CALLS; i++)
        fprintf(file, "%s %lu %lu\n", names[i], atomic_load(&n_calls[i]), atomic_load(&n_measuring[i]));
    fclose(file);
}
