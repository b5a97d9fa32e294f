/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mails as programs store them (.eml, mbox), whose bodies are coded or have several parts. */
#ifndef INPUT_MAIL_H
#define INPUT_MAIL_H

#include "base/text.h"

/* Mails that cannot be read line by line as they are: base64, several parts, HTML, or mails of several codings. */
bool mail_is_coded(const char *bytes, size_t size);

/* A file that a mail carries. */
struct mail_file {
    const char *name; /* "" unknown; loan until `add` returns, like the bytes */
    struct text bytes;
};
/*
 * The mails' heads and texts, decoded, as one text, so that what they say about each other stays together. Files that they carry
 * are handed to `add` one by one; false from it ends the reading. False: the last part has no end.
 */
bool mail_decode(const char *bytes, size_t size, struct text *out, bool (*add)(const struct mail_file *file, void *context),
                 void *context);

#endif
