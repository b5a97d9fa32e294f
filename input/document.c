/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mails and web pages among the inputs: turned into text as a whole, the files that a mail carries into members beside it. */
#include <string.h>

#include "input/hypertext.h"
#include "input/mail.h"
#include "input/members.h"

#define MAX_BYTES ((size_t)256 << 20) /* of a mail or page: turned in memory */

bool document_is_known(const unsigned char *bytes, size_t size)
{
    return size <= MAX_BYTES && (hypertext_is_page((const char *)bytes, size) || mail_is_coded((const char *)bytes, size));
}

struct unpacking {
    struct input *input;
    size_t spool_index;
    const char *path, *directory;
    unsigned depth;
    enum status status;
    struct error *error;
};

/* Gives a member its bytes. */
static enum status fill_member(struct unpacking *u, size_t slot_index, const struct text *bytes)
{
    struct spool *spool = &u->input->spools[u->spool_index];
    struct member_slot *slot = &u->input->slots[slot_index];
    spool_align(spool);
    slot->spool = u->spool_index;
    slot->offset = spool->size_bytes;
    slot->member.size_bytes = bytes->length;
    u->input->unpacked_bytes += bytes->length;
    if (spool_write(spool, text_string(bytes), bytes->length, slot->member.path, u->error) == FAILED)
        return FAILED;
    return spool_finish(spool, slot->member.path, u->error);
}

static bool add_file(const struct mail_file *file, void *context)
{
    struct unpacking *u = context;
    char *name = archive_clean_name(&u->input->arena, *file->name ? file->name : "attachment");
    for (char *c = name; *c; c++)
        if (*c == ':' || *c == '/')
            *c = '_';
    struct input *input = u->input;
    struct member_slot *slot;
    size_t slot_index = input->n;
    input->is_directory = true;
    u->status = members_add(input, arena_format(&input->arena, "%s:%s", u->path, name), u->directory, &slot, u->error);
    if (u->status != FAILED) {
        slot->member.name = strrchr(slot->member.path, ':') + 1;
        u->status = fill_member(u, slot_index, &file->bytes);
    }
    if (u->status != FAILED)
        u->status = archive_unpack_nested(input, slot_index, u->depth, u->error);
    return u->status != FAILED;
}

enum status document_unpack(struct input *input, const void *bytes, size_t size, const char *path, const char *directory,
                            unsigned depth, size_t *n_added, struct error *error)
{
    struct unpacking u = {.input = input, .path = path, .directory = directory, .depth = depth, .status = OK, .error = error};
    struct text text = {0};
    struct member_slot *slot;
    size_t first = input->n;
    bool is_whole = true;
    *n_added = 0;
    if (members_add_spool(input, &u.spool_index, error) == FAILED || members_add(input, path, directory, &slot, error) == FAILED)
        return FAILED;
    slot->member.turned = hypertext_is_page(bytes, size) ? "a web page" : "a coded mail";
    if (hypertext_is_page(bytes, size))
        hypertext_to_text(bytes, size, &text);
    else
        is_whole = mail_decode(bytes, size, &text, add_file, &u);
    if (u.status != FAILED)
        u.status = fill_member(&u, first, &text);
    if (!is_whole && !input->slots[input->n - 1].member.defect)
        input->slots[input->n - 1].member.defect = "the mail ends before its last part does";
    text_release(&text);
    *n_added = u.status == FAILED ? 0 : input->n - first;
    return u.status;
}
