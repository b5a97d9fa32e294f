/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside input/: the list of members while it is filled. */
#ifndef INPUT_MEMBERS_H
#define INPUT_MEMBERS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "input/input.h"
#include "input/spool.h"

/* A hash that is being made while the importer reads. */
struct hash_job {
    pthread_t thread;
    const void *bytes;
    size_t size;
    atomic_bool stop; /* nobody will ask for it */
    char sha256[65];
};

/* A member and where its bytes are: a file by path, or a span of a spool. */
struct member_slot {
    struct hash_job *hash_job; /* NULL: none */
    struct member member;
    const char *file_path; /* NULL: in a spool */
    size_t spool;
    uint64_t offset;
    int open_fd;           /* standard input that is a file: already open; else -1 */
    void *map;
    size_t map_size;
    unsigned n_maps;
    char sha256[65];
};

struct input {
    struct arena arena;
    struct input_limits limits;
    const char *path;
    bool is_directory;
    size_t n, capacity;
    struct member_slot *slots;
    size_t n_spools, spools_capacity;
    struct spool *spools;
    uint64_t unpacked_bytes, packed_bytes; /* of this INPUT, over all archives: against bombs */
    size_t n_skipped;                      /* links, devices, sockets */
};

/* Appends an empty slot; FAILED beyond max_members. */
enum status members_add(struct input *input, const char *path, const char *directory, struct member_slot **slot,
                        struct error *error);
enum status members_add_spool(struct input *input, size_t *index, struct error *error);

/* Do the first bytes look like a compressed stream, an archive, or a document? */
bool archive_is_known(const unsigned char *bytes, size_t size);
/*
 * Unpacks the bytes (packed_bytes long) into members whose paths begin with path; *n_added says how many. A cut archive
 * gives what it holds, its last member marked by `defect`. depth: archives around this one.
 */
enum status archive_unpack(struct input *input, const void *bytes, size_t size, const char *path, const char *directory,
                           unsigned depth, size_t *n_added, struct error *error);
/* An unpacked member may be an archive itself (a .tar.gz in a .zip): unpacks it in its place. */
enum status archive_unpack_nested(struct input *input, size_t slot_index, unsigned depth, struct error *error);
/* Names are shown to people: no control characters, no leading "./" or "/". */
char *archive_clean_name(struct arena *arena, const char *name);
/* input/document.c: mails whose bodies are coded, web pages; their text takes their place, files that they carry stand beside it. */
bool document_is_known(const unsigned char *bytes, size_t size);
enum status document_unpack(struct input *input, const void *bytes, size_t size, const char *path, const char *directory,
                            unsigned depth, size_t *n_added, struct error *error);
/* input/partial.c: what can be unpacked of a gzip or zstd stream that is cut; nothing of others. */
enum status partial_unpack(struct input *input, struct spool *spool, const void *bytes, size_t size, const char *path,
                           struct error *error);

#endif
