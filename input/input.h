/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inputs: whatever the user names becomes a list of members, each a mapped span of bytes.
 *
 * A regular file is mapped. Standard input ("-"), FIFOs and compressed data are spooled to an unlinked temporary file
 * and mapped from there. Directories and archives (tar, zip, 7z ... through libarchive) give one member per file, by
 * name order. Limits guard against bombs: see input_limits. A FIFO without a writer is empty, not a hang.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct input_limits {
    uint64_t max_member_bytes; /* unpacked; default 64 GiB for files given plainly, 8 GiB unpacked */
    uint64_t max_ratio;        /* unpacked / packed, beyond 64 MiB unpacked; default 2000 */
    size_t max_members;        /* default 100,000 */
    unsigned max_depth;        /* archives in archives, directories in directories; default 16 */
};
extern const struct input_limits input_limits_default;

/* One file's bytes. */
struct member {
    const char *path;      /* as shown to people: "dir/a.txt", "x.tar.gz:dir/a.txt", "-" */
    const char *directory; /* "" or the folder part within the input: groups files of one run */
    const char *name;      /* last component */
    uint64_t size_bytes;
    bool is_empty_by_proc; /* size 0 as stat says, read anyway (/proc files) */
    const char *turned;    /* what the bytes were made of, which are no longer the file's: "a web page"; NULL: nothing */
    const char *defect;    /* what is wrong with its container: "archive is cut: ..."; NULL: nothing */
};

struct input; /* an opened INPUT: a list of members, their bytes opened one at a time */

/*
 * limits NULL: the default ones. FAILED (ERROR_INPUT, the path in front): not there, not readable, empty, encrypted, a bomb.
 * *input is the caller's to close; NULL after FAILED.
 */
enum status input_open(struct input **input, const char *path, const struct input_limits *limits, struct error *error);
size_t input_count(const struct input *input);
const struct member *input_member(const struct input *input, size_t i);
bool input_is_directory(const struct input *input); /* a directory or an archive: may hold several files */
/* Maps a member. The bytes are good until input_unmap() of the same member; *bytes is never NULL. */
enum status input_map(struct input *input, size_t i, const unsigned char **bytes, size_t *size, struct error *error);
void input_unmap(struct input *input, size_t i);
/* Tells that bytes below offset are not needed again, so that resident memory stays small on huge files. */
void input_drop_below(struct input *input, size_t i, size_t offset);
/* Starts to hash a mapped member in a thread of its own; input_sha256() waits for it. Small ones wait till asked. */
void input_sha256_begin(struct input *input, size_t i);
void input_sha256_give_up(struct input *input, size_t i); /* nobody will ask: a file of 10 GB may have been refused at once */
const char *input_sha256(struct input *input, size_t i); /* hex of the bytes as the importer sees them; loan */
void input_close(struct input *input);

#endif
