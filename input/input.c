/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/members.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "input/hash.h"

const struct input_limits input_limits_default = {
    .max_member_bytes = UINT64_C(8) << 30,
    .max_ratio = 2000,
    .max_members = 100000,
    .max_depth = 16,
};

#define MAX_PLAIN_BYTES (UINT64_C(64) << 30)
#define FIFO_WAIT_MS 1000

enum status members_add(struct input *input, const char *path, const char *directory, struct member_slot **slot,
                        struct error *error)
{
    if (input->n >= input->limits.max_members)
        return error_input(error, "%s: more than %zu files", input->path, input->limits.max_members);
    memory_reserve(input->slots, input->capacity, input->n + 1);
    *slot = &input->slots[input->n++];
    **slot = (struct member_slot){.open_fd = -1};
    struct member *member = &(*slot)->member;
    member->path = arena_string(&input->arena, path);
    member->directory = arena_string(&input->arena, directory);
    const char *slash = strrchr(member->path, '/');
    member->name = slash && slash[1] ? slash + 1 : member->path;
    return OK;
}

enum status members_add_spool(struct input *input, size_t *index, struct error *error)
{
    memory_reserve(input->spools, input->spools_capacity, input->n_spools + 1);
    if (spool_open(&input->spools[input->n_spools], input->path, error) == FAILED)
        return FAILED;
    *index = input->n_spools++;
    return OK;
}

/* Reads an open descriptor to its end into a spool and hangs it into the slot. */
static enum status add_by_reading(struct input *input, int fd, int wait_ms, struct member_slot *slot, struct error *error)
{
    size_t index;
    if (members_add_spool(input, &index, error) == FAILED)
        return FAILED;
    slot->spool = index;
    slot->file_path = NULL;
    if (spool_read_all(&input->spools[index], fd, wait_ms, MAX_PLAIN_BYTES, slot->member.path, error) == FAILED)
        return FAILED;
    slot->member.size_bytes = input->spools[index].size_bytes;
    return OK;
}

/* The member just added may be compressed: then what is in it takes its place. */
static enum status expand_last(struct input *input, bool is_in_directory, struct error *error)
{
    size_t i = input->n - 1;
    if (input->slots[i].member.size_bytes < 10)
        return OK;
    const unsigned char *bytes;
    size_t size;
    if (input_map(input, i, &bytes, &size, error) == FAILED)
        return FAILED;
    if (!archive_is_known(bytes, size)) {
        input_unmap(input, i);
        return OK;
    }
    struct member_slot slot = input->slots[i];
    size_t n_added;
    input->n = i;
    enum status status =
        archive_unpack(input, bytes, size, slot.member.path, slot.member.directory, 0, &n_added, error);
    munmap(slot.map, slot.map_size);
    if (status != FAILED && n_added == 0)
        status = error_input(error, "%s: an archive without files", slot.member.path);
    if (status == FAILED && is_in_directory && error && error->kind == ERROR_INPUT) {
        /* One damaged archive among many files: kept as it is, with what is wrong. */
        slot.map = NULL;
        slot.n_maps = 0;
        slot.member.defect = arena_string(&input->arena, error->text);
        error_clear(error);
        input->n = i;
        input->slots[input->n++] = slot;
        return OK;
    }
    return status;
}

static enum status add_file(struct input *input, const char *path, const char *directory, const struct stat *st,
                            bool is_named, struct error *error)
{
    struct member_slot *slot;
    if (members_add(input, path, directory, &slot, error) == FAILED)
        return FAILED;
    slot->file_path = slot->member.path;
    slot->member.size_bytes = (uint64_t)st->st_size;
    if (S_ISREG(st->st_mode) && st->st_size > 0)
        return slot->member.size_bytes > MAX_PLAIN_BYTES
                   ? error_input(error, "%s: larger than %llu bytes", path, (unsigned long long)MAX_PLAIN_BYTES)
                   : expand_last(input, !is_named, error);
    /* A FIFO, or a file that says size 0 but may have bytes, as in /proc. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return error_input(error, "%s: cannot open: %s", path, strerror(errno));
    enum status status = add_by_reading(input, fd, S_ISFIFO(st->st_mode) ? FIFO_WAIT_MS : 0, slot, error);
    close(fd);
    if (status == FAILED && !is_named) { /* /proc holds files that refuse to be read */
        error_clear(error);
        input->n--;
        input->n_skipped++;
        return OK;
    }
    if (status != FAILED && S_ISFIFO(st->st_mode) && slot->member.size_bytes == 0)
        status = error_input(error, "%s: a pipe that nobody wrote to", path);
    if (status == FAILED)
        return FAILED;
    slot->member.is_empty_by_proc = S_ISREG(st->st_mode) && slot->member.size_bytes > 0;
    return expand_last(input, !is_named, error);
}

/* Listed all the same, so that the import can say that it was not read. Of /proc (size 0) nobody misses what refuses. */
static enum status add_unreadable(struct input *input, const char *path, const char *directory, const struct stat *st,
                                  struct error *error)
{
    struct member_slot *slot;
    input->n_skipped++;
    if (st->st_size == 0)
        return OK;
    if (members_add(input, path, directory, &slot, error) == FAILED)
        return FAILED;
    slot->file_path = slot->member.path;
    slot->member.size_bytes = (uint64_t)st->st_size;
    return OK;
}

static int not_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Files first by name, then folders, so that the order is the same everywhere. Links to folders are not followed. */
static enum status add_directory(struct input *input, const char *path, const char *directory, unsigned depth,
                                 struct error *error)
{
    if (depth >= input->limits.max_depth)
        return error_input(error, "%s: more than %u folders within each other", path, input->limits.max_depth);
    struct dirent **entries;
    int n = scandir(path, &entries, not_dots, alphasort);
    if (n < 0)
        return error_input(error, "%s: cannot open: %s", path, strerror(errno));
    enum status status = OK;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n && status != FAILED; i++) {
            const char *name = entries[i]->d_name;
            char *full = arena_format(&input->arena, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", name);
            struct stat st, link;
            if (lstat(full, &link) != 0 || stat(full, &st) != 0) {
                input->n_skipped += pass == 0;
                continue;
            }
            if (pass == 0 && S_ISREG(st.st_mode)) {
                status = access(full, R_OK) == 0 ? add_file(input, full, directory, &st, false, error)
                                                 : add_unreadable(input, full, directory, &st, error);
            } else if (pass == 1 && S_ISDIR(link.st_mode) && name[0] != '.') {
                const char *inner = *directory ? arena_format(&input->arena, "%s/%s", directory, name) : name;
                status = add_directory(input, full, inner, depth + 1, error);
            } else if (pass == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
                input->n_skipped++;
            }
        }
    }
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    return status;
}

static enum status add_stdin(struct input *input, struct error *error)
{
    struct member_slot *slot;
    struct stat st;
    if (members_add(input, "-", "", &slot, error) == FAILED)
        return FAILED;
    if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) {
        slot->open_fd = dup(STDIN_FILENO);
        slot->member.size_bytes = (uint64_t)st.st_size;
    } else if (add_by_reading(input, STDIN_FILENO, 0, slot, error) == FAILED) {
        return FAILED;
    }
    return expand_last(input, false, error);
}

enum status input_open(struct input **result, const char *path, const struct input_limits *limits, struct error *error)
{
    struct input *input = memory_new(sizeof *input);
    enum status status;
    struct stat st;
    input->limits = limits ? *limits : input_limits_default;
    input->path = arena_string(&input->arena, path);
    if (strcmp(path, "-") == 0) {
        status = add_stdin(input, error);
    } else if (stat(path, &st) != 0) {
        status = error_input(error, "%s: cannot open: %s", path, strerror(errno));
    } else if (S_ISDIR(st.st_mode)) {
        input->is_directory = true;
        status = add_directory(input, input->path, "", 0, error);
        if (status != FAILED && input->n == 0)
            status = error_input(error, "%s: a directory without readable files", path);
    } else if (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) {
        if (S_ISREG(st.st_mode) && access(path, R_OK) != 0)
            status = error_input(error, "%s: cannot open: %s", path, strerror(errno));
        else if (S_ISCHR(st.st_mode) && major(st.st_rdev) == 1 && minor(st.st_rdev) != 3)
            status = error_input(error, "%s: is a device", path); /* /dev/zero never ends */
        else
            status = add_file(input, input->path, "", &st, true, error);
    } else {
        status = error_input(error, "%s: is neither a file nor a directory", path);
    }
    if (status == FAILED) {
        input_close(input);
        input = NULL;
    }
    *result = input;
    return status;
}

size_t input_count(const struct input *input)
{
    return input->n;
}

const struct member *input_member(const struct input *input, size_t i)
{
    return &input->slots[i].member;
}

bool input_is_directory(const struct input *input)
{
    return input->is_directory;
}

enum status input_map(struct input *input, size_t i, const unsigned char **bytes, size_t *size, struct error *error)
{
    struct member_slot *slot = &input->slots[i];
    *size = (size_t)slot->member.size_bytes;
    *bytes = (const unsigned char *)"";
    if (*size == 0)
        return OK;
    if (!slot->map) {
        int fd = slot->open_fd;
        if (fd < 0 && slot->file_path)
            fd = open(slot->file_path, O_RDONLY | O_CLOEXEC);
        else if (fd < 0)
            fd = input->spools[slot->spool].fd;
        if (fd < 0)
            return error_input(error, "%s: cannot open: %s", slot->member.path, strerror(errno));
        /* A file may have shrunk since it was listed: touching pages beyond its end would kill us. */
        struct stat st;
        if (slot->file_path && fstat(fd, &st) == 0 && (uint64_t)st.st_size < slot->member.size_bytes)
            slot->member.size_bytes = (uint64_t)st.st_size;
        slot->map_size = (size_t)slot->member.size_bytes;
        void *map = slot->map_size ? mmap(NULL, slot->map_size, PROT_READ, MAP_PRIVATE, fd, (off_t)slot->offset) : NULL;
        int why = errno;
        if (slot->open_fd < 0 && slot->file_path)
            close(fd);
        if (map == MAP_FAILED)
            return error_input(error, "%s: cannot map: %s", slot->member.path, strerror(why));
        *size = slot->map_size;
        if (!map)
            return OK;
        madvise(map, slot->map_size, MADV_SEQUENTIAL);
        slot->map = map;
    }
    slot->n_maps++;
    *bytes = slot->map;
    *size = slot->map_size;
    return OK;
}

static void finish_hash(struct member_slot *slot);

void input_unmap(struct input *input, size_t i)
{
    struct member_slot *slot = &input->slots[i];
    if (slot->n_maps && --slot->n_maps == 0) {
        finish_hash(slot);
        munmap(slot->map, slot->map_size);
        slot->map = NULL;
    }
}

void input_drop_below(struct input *input, size_t i, size_t offset)
{
    struct member_slot *slot = &input->slots[i];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (slot->map && offset >= page)
        madvise(slot->map, (offset < slot->map_size ? offset : slot->map_size) / page * page, MADV_DONTNEED);
}

/* Below this a thread costs more than it saves. */
#define HASH_AHEAD_BYTES ((size_t)4 << 20)

static void *hash_main(void *argument)
{
    struct hash_job *job = argument;
    hash_sha256_hex(job->bytes, job->size, true, &job->stop, job->sha256);
    return NULL;
}

void input_sha256_begin(struct input *input, size_t i)
{
    struct member_slot *slot = &input->slots[i];
    if (slot->hash_job || slot->sha256[0] || !slot->map || slot->map_size < HASH_AHEAD_BYTES)
        return;
    struct hash_job *job = memory_new(sizeof *job);
    job->bytes = slot->map;
    job->size = slot->map_size;
    if (pthread_create(&job->thread, NULL, hash_main, job))
        free(job);
    else
        slot->hash_job = job;
}

static void finish_hash(struct member_slot *slot)
{
    if (!slot->hash_job)
        return;
    pthread_join(slot->hash_job->thread, NULL);
    memcpy(slot->sha256, slot->hash_job->sha256, sizeof slot->sha256);
    free(slot->hash_job);
    slot->hash_job = NULL;
}

void input_sha256_give_up(struct input *input, size_t i)
{
    struct member_slot *slot = &input->slots[i];
    if (slot->hash_job)
        atomic_store(&slot->hash_job->stop, true);
}

const char *input_sha256(struct input *input, size_t i)
{
    struct member_slot *slot = &input->slots[i];
    finish_hash(slot);
    if (!slot->sha256[0]) {
        const unsigned char *bytes;
        size_t size;
        if (input_map(input, i, &bytes, &size, NULL) == FAILED)
            return "";
        hash_sha256_hex(bytes, size, slot->map != NULL, NULL, slot->sha256);
        input_unmap(input, i);
    }
    return slot->sha256;
}

void input_close(struct input *input)
{
    if (!input)
        return;
    for (size_t i = 0; i < input->n; i++) {
        finish_hash(&input->slots[i]);
        if (input->slots[i].map)
            munmap(input->slots[i].map, input->slots[i].map_size);
        if (input->slots[i].open_fd >= 0)
            close(input->slots[i].open_fd);
    }
    for (size_t i = 0; i < input->n_spools; i++)
        spool_close(&input->spools[i]);
    free(input->slots);
    free(input->spools);
    arena_release(&input->arena);
    free(input);
}
