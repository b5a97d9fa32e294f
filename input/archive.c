/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compressed files and archives through libarchive. Nothing is written by its name: every member goes into one unlinked
 * temporary file at a page boundary, so that names can do no harm. What a few bytes unpack to is limited.
 */
#include "input/members.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"

bool archive_is_known(const unsigned char *bytes, size_t size)
{
    static const struct {
        const char *magic;
        size_t length, offset;
    } known[] = {
        {"\x1f\x8b\x08", 3, 0},           /* gzip */
        {"\xfd" "7zXZ\0", 6, 0},          /* xz */
        {"\x28\xb5\x2f\xfd", 4, 0},       /* zstd */
        {"\x04\x22\x4d\x18", 4, 0},       /* lz4 */
        {"\x1f\x9d", 2, 0},               /* compress */
        {"PK\003\004", 4, 0},             /* zip */
        {"PK\005\006", 4, 0},             /* an empty zip */
        {"7z\xbc\xaf\x27\x1c", 6, 0},     /* 7-zip */
        {"070701", 6, 0},                 /* cpio newc */
        {"ustar", 5, 257},                /* tar */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size >= known[i].offset + known[i].length &&
            memcmp(bytes + known[i].offset, known[i].magic, known[i].length) == 0)
            return true;
    if (document_is_known(bytes, size))
        return true;
    /* bzip2: "BZh", level, then a block's magic */
    return size >= 10 && memcmp(bytes, "BZh", 3) == 0 && bytes[3] >= '1' && bytes[3] <= '9' &&
           (memcmp(bytes + 4, "1AY&SY", 6) == 0 || memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

char *archive_clean_name(struct arena *arena, const char *name)
{
    while (name[0] == '/' || (name[0] == '.' && name[1] == '/'))
        name += name[0] == '/' ? 1 : 2;
    char *clean = arena_string(arena, *name ? name : "data");
    for (char *c = clean; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return clean;
}

static char *without_suffix(struct arena *arena, const char *path)
{
    static const char *const suffixes[] = {".gz", ".xz", ".zst", ".bz2", ".lz4", ".Z"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(suffixes[i]);
        if (length > n && strcmp(path + length - n, suffixes[i]) == 0)
            return arena_string_n(arena, path, length - n);
    }
    return arena_string(arena, path);
}

static bool is_bomb(const struct input *input)
{
    return input->unpacked_bytes > (64u << 20) && input->unpacked_bytes / input->limits.max_ratio > input->packed_bytes;
}

/* The data of one entry into the spool. *cut: the archive ended or broke within it; why is in its error string. */
static enum status unpack_entry(struct input *input, struct archive *archive, size_t spool_index, const char *path,
                                bool *cut, struct error *error)
{
    struct spool *spool = &input->spools[spool_index];
    uint64_t begin = spool->size_bytes;
    for (;;) {
        const void *bytes;
        size_t size;
        la_int64_t offset;
        int result = archive_read_data_block(archive, &bytes, &size, &offset);
        if (result == ARCHIVE_EOF)
            break;
        if (result < ARCHIVE_WARN) {
            *cut = true;
            break;
        }
        uint64_t at = spool->size_bytes - begin;
        if (offset < 0 || (uint64_t)offset < at || (uint64_t)offset + size > input->limits.max_member_bytes)
            return error_input(error, "%s: unpacks to more than %llu bytes", path,
                               (unsigned long long)input->limits.max_member_bytes);
        input->unpacked_bytes += (uint64_t)offset - at + size;
        if (is_bomb(input))
            return error_input(error, "%s: unpacks to more than %llu times its size", path,
                               (unsigned long long)input->limits.max_ratio);
        spool_skip(spool, (uint64_t)offset - at);
        if (spool_write(spool, bytes, size, path, error) == FAILED)
            return FAILED;
    }
    return spool_finish(spool, path, error);
}

enum status archive_unpack_nested(struct input *input, size_t slot_index, unsigned depth, struct error *error)
{
    struct member_slot slot = input->slots[slot_index];
    if (!slot.member.size_bytes)
        return OK;
    size_t size = (size_t)slot.member.size_bytes;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, input->spools[slot.spool].fd, (off_t)slot.offset);
    if (bytes == MAP_FAILED)
        return error_input(error, "%s: cannot map it", slot.member.path);
    enum status status = OK;
    if (archive_is_known(bytes, size)) {
        if (depth + 1 >= input->limits.max_depth) {
            status = error_input(error, "%s: more than %u archives within each other", slot.member.path,
                                 input->limits.max_depth);
        } else {
            input->n = slot_index; /* its members take its place */
            size_t n_added;
            status = archive_unpack(input, bytes, size, slot.member.path, slot.member.directory, depth + 1, &n_added, error);
        }
    }
    munmap(bytes, size);
    return status;
}

static struct archive *open_archive(const void *bytes, size_t size)
{
    struct archive *archive = archive_read_new();
    if (!archive)
        return NULL;
    /* Only filters within the library: none that starts programs. */
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_filter_lz4(archive);
    archive_read_support_filter_compress(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_format_zip(archive);
    archive_read_support_format_7zip(archive);
    archive_read_support_format_cpio(archive);
    archive_read_support_format_raw(archive);
    if (archive_read_open_memory(archive, bytes, size) != ARCHIVE_OK) {
        archive_read_free(archive);
        return NULL;
    }
    return archive;
}

static void name_raw_member(struct input *input, struct member_slot *slot, const char *path)
{
    char *stem = without_suffix(&input->arena, path);
    const char *slash = strrchr(stem, '/'), *colon = strrchr(stem, ':');
    const char *last = slash > colon ? slash : colon;
    slot->member.name = last ? last + 1 : stem;
}

/* A single stream that ends early: one member with what comes before the cut. */
static enum status unpack_cut_stream(struct input *input, const void *bytes, size_t size, size_t spool_index, const char *path,
                                     const char *directory, const char *why, struct error *error)
{
    struct member_slot *slot;
    struct spool *spool = &input->spools[spool_index];
    spool_align(spool);
    uint64_t begin = spool->size_bytes;
    if (partial_unpack(input, spool, bytes, size, path, error) == FAILED || spool_finish(spool, path, error) == FAILED)
        return FAILED;
    if (spool->size_bytes == begin)
        return error_input(error, "%s: compressed data that is cut or damaged: %s", path, why ? why : "unknown");
    if (members_add(input, path, directory, &slot, error) == FAILED)
        return FAILED;
    name_raw_member(input, slot, path);
    slot->spool = spool_index;
    slot->offset = begin;
    slot->member.size_bytes = spool->size_bytes - begin;
    slot->member.defect = arena_format(&input->arena, "the compressed data ends early or is damaged: %s", why ? why : "unknown");
    return OK;
}

/* An archive while its members are taken out. */
struct unpacking {
    struct input *input;
    struct archive *archive;
    const void *bytes;
    size_t size;
    const char *path, *directory;
    size_t spool_index, first; /* first: the members of the input before it */
    bool is_raw;               /* a single compressed stream */
};

static enum status unpack_cut(const struct unpacking *u, const char *why, struct error *error)
{
    return unpack_cut_stream(u->input, u->bytes, u->size, u->spool_index, u->path, u->directory, why, error);
}

/* The archive's own directory ends: what came before it is good. */
static enum status end_early(const struct unpacking *u, struct error *error)
{
    struct input *input = u->input;
    if (input->n == u->first)
        return unpack_cut(u, archive_error_string(u->archive), error);
    input->slots[input->n - 1].member.defect =
        arena_format(&input->arena, "the archive ends early after this member: %s", archive_error_string(u->archive));
    return OK;
}

/* Regular files; links, devices and the like are counted as skipped. */
static bool is_wanted(const struct unpacking *u, struct archive_entry *entry)
{
    if (u->is_raw)
        return true;
    bool is_file = archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry);
    if (!is_file && archive_entry_filetype(entry) != AE_IFDIR)
        u->input->n_skipped++;
    return is_file;
}

/* The member of an entry, named but without its bytes. */
static enum status add_entry(const struct unpacking *u, struct archive_entry *entry, struct member_slot **slot, struct error *error)
{
    struct input *input = u->input;
    if (u->is_raw) {
        if (members_add(input, u->path, u->directory, slot, error) == FAILED)
            return FAILED;
        name_raw_member(input, *slot, u->path);
        return OK;
    }
    const char *name = archive_clean_name(&input->arena, archive_entry_pathname(entry) ? archive_entry_pathname(entry) : "");
    const char *slash = strrchr(name, '/');
    const char *inner = slash ? arena_string_n(&input->arena, name, (size_t)(slash - name)) : "";
    const char *folder = !*u->directory ? inner
                         : !*inner      ? u->directory
                                        : arena_format(&input->arena, "%s/%s", u->directory, inner);
    input->is_directory = true;
    if (members_add(input, arena_format(&input->arena, "%s:%s", u->path, name), folder, slot, error) == FAILED)
        return FAILED;
    (*slot)->member.name = slash ? slash + 1 : name;
    return OK;
}

/* libarchive holds back the last block of a stream that is cut: once more without it, and if that gives less, as it was. */
static enum status unpack_cut_again(const struct unpacking *u, size_t slot_index, struct error *error)
{
    struct input *input = u->input;
    struct member_slot before = input->slots[slot_index];
    struct error why = {0};
    input->n = slot_index;
    if (unpack_cut(u, archive_error_string(u->archive), &why) != FAILED)
        return OK;
    if (before.member.size_bytes && why.kind == ERROR_INPUT) { /* xz, bzip2 */
        input->slots[input->n++] = before;
        return OK;
    }
    if (error)
        *error = why;
    return FAILED;
}

/* One entry's bytes; *is_last: nothing can come after it. */
static enum status unpack_member(const struct unpacking *u, struct archive_entry *entry, unsigned depth, bool *is_last, struct error *error)
{
    struct input *input = u->input;
    struct member_slot *slot;
    bool is_cut = false;
    if (archive_entry_is_encrypted(entry))
        return error_input(error, "%s: encrypted: unpack it with its password first", u->path);
    if (add_entry(u, entry, &slot, error) == FAILED)
        return FAILED;
    size_t slot_index = input->n - 1;
    spool_align(&input->spools[u->spool_index]);
    slot->spool = u->spool_index;
    slot->offset = input->spools[u->spool_index].size_bytes;
    if (unpack_entry(input, u->archive, u->spool_index, slot->member.path, &is_cut, error) == FAILED)
        return FAILED;
    slot = &input->slots[slot_index];
    slot->member.size_bytes = input->spools[u->spool_index].size_bytes - slot->offset;
    if (is_cut)
        slot->member.defect = arena_format(&input->arena, "the compressed data ends early or is damaged: %s", archive_error_string(u->archive));
    *is_last = is_cut || u->is_raw;
    if (is_cut && u->is_raw)
        return unpack_cut_again(u, slot_index, error);
    return archive_unpack_nested(input, slot_index, depth, error);
}

enum status archive_unpack(struct input *input, const void *bytes, size_t size, const char *path, const char *directory,
                           unsigned depth, size_t *n_added, struct error *error)
{
    struct unpacking u = {.input = input, .bytes = bytes, .size = size, .path = path, .directory = directory, .first = input->n};
    enum status status = OK;
    bool is_last = false;
    *n_added = 0;
    if (depth == 0)
        input->packed_bytes += size;
    if (document_is_known(bytes, size))
        return document_unpack(input, bytes, size, path, directory, depth, n_added, error);
    if (members_add_spool(input, &u.spool_index, error) == FAILED)
        return FAILED;
    u.archive = open_archive(bytes, size);
    if (!u.archive) {
        status = unpack_cut(&u, "no whole block", error);
        *n_added = input->n - u.first;
        return status;
    }
    while (!is_last && status != FAILED) {
        struct archive_entry *entry;
        int result = archive_read_next_header(u.archive, &entry);
        if (result == ARCHIVE_EOF)
            break;
        if (result < ARCHIVE_WARN) {
            status = end_early(&u, error);
            break;
        }
        u.is_raw = (archive_format(u.archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_RAW;
        if (is_wanted(&u, entry))
            status = unpack_member(&u, entry, depth, &is_last, error);
    }
    *n_added = status == FAILED ? 0 : input->n - u.first;
    archive_read_free(u.archive);
    return status;
}
