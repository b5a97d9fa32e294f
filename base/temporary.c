/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/temporary.h"

#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char **paths;
static size_t n_paths, capacity;

void temporary_add(const char *path)
{
    pthread_mutex_lock(&lock);
    memory_reserve(paths, capacity, n_paths + 1);
    paths[n_paths++] = memory_string(path);
    pthread_mutex_unlock(&lock);
}

void temporary_remove(const char *path)
{
    pthread_mutex_lock(&lock);
    for (size_t i = n_paths; i-- > 0;)
        if (strcmp(paths[i], path) == 0) {
            free(paths[i]);
            paths[i] = paths[--n_paths];
            break;
        }
    pthread_mutex_unlock(&lock);
}

void temporary_hold(void)
{
    pthread_mutex_lock(&lock);
}

void temporary_release(void)
{
    pthread_mutex_unlock(&lock);
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
    (void)status, (void)flag, (void)ftw;
    return remove(path);
}

static void signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

/* A thread of its own waits for the signals, so that the clean-up is ordinary code and no signal handler. */
static void *watch(void *unused)
{
    sigset_t set;
    int number;
    (void)unused;
    signals(&set);
    if (sigwait(&set, &number) != 0)
        return NULL;
    pthread_mutex_lock(&lock); /* held to the end: nobody adds or renames any more */
    for (size_t i = 0; i < n_paths; i++)
        nftw(paths[i], remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return NULL;
}

void temporary_watch_signals(void)
{
    sigset_t set;
    pthread_t thread;
    struct sigaction action;
    signals(&set);
    /* Under nohup SIGHUP is ignored, in a script's background SIGINT: so they stay. */
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&set, number) == 1 && sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            sigdelset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, watch, NULL) != 0)
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    else
        pthread_detach(thread);
}
