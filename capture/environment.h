/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's state as the plain files they are, under the bundle's before/ or after/ by their own paths. */
#ifndef CAPTURE_ENVIRONMENT_H
#define CAPTURE_ENVIRONMENT_H

#include "base/error.h"

/* Copies what is there into directory; missing files are no error. PARTIAL if some could not be written. */
enum status environment_save(const char *directory, struct error *error);

/* Copies one file or folder of /proc, /sys (all files below, at most depth levels) into directory/its own path. */
enum status environment_copy(const char *directory, const char *path, unsigned depth, struct error *error);

#endif
