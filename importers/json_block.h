/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON as measuring tools print it: pretty-printed between other text, with "nan" for numbers and with quotes in
 * strings that nobody escaped.
 */
#ifndef IMPORTERS_JSON_BLOCK_H
#define IMPORTERS_JSON_BLOCK_H

#include <jansson.h>

#include "importers/importer.h"

#define JSON_MAX_LINES ((size_t)1 << 20)

/* Does an object begin at the current line ('{' first), with this word in quotes within its first 40 lines? */
bool json_block_has(struct lines *lines, const char *word);
/*
 * Loads the object that begins at the current line and moves behind it. What had to be repaired is noted. NULL: it is
 * no JSON (error says where), or is cut (*is_cut; then what could be closed is returned).
 */
json_t *json_block_load(struct import *import, struct lines *lines, bool *is_cut, struct error *error);

/* Members, tolerant: NULL, or the fallback, when missing or of another type. Keys may carry a colon ("cmdline:"). */
const char *json_text(const json_t *object, const char *key);
bool json_whole(const json_t *object, const char *key, int64_t *value); /* integers, and reals without fraction */
double json_number(const json_t *object, const char *key);              /* NAN */

#endif
