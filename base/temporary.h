/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Temporary files and folders with a name, so that an interrupted program leaves none behind: who makes one adds it, who
 * renames or removes it takes it off. Thread safe.
 */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

/* The path is copied; a relative one must mean the same to the end. */
void temporary_add(const char *path);
void temporary_remove(const char *path);

/*
 * Between the two nothing is removed: for the renames that give a result its own name, which must not meet a removal half
 * done. After a signal temporary_hold() does not return: the program ends.
 */
void temporary_hold(void);
void temporary_release(void);

/*
 * For main(), before any other thread: from here on SIGINT, SIGTERM and SIGHUP remove what is on the list, then end the
 * program as the signal would. They are blocked in all threads; children need an empty mask.
 */
void temporary_watch_signals(void);

#endif
