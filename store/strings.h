/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of strings with small ids, counted from 1. Private to store/. */
#ifndef STORE_STRINGS_H
#define STORE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct string_set;

/* Strings of any bytes, copied; the same bytes have the same id. clear() forgets all and keeps the memory. */
struct string_set *string_set_new(void);
void string_set_free(struct string_set *set);
void string_set_clear(struct string_set *set);
uint32_t string_set_intern(struct string_set *set, const char *string, size_t length);
uint32_t string_set_find(const struct string_set *set, const char *string, size_t length); /* 0: not there */
const char *string_set_get(const struct string_set *set, uint32_t id, size_t *length); /* terminated; loan until the next intern */
size_t string_set_count(const struct string_set *set);
size_t string_set_bytes(const struct string_set *set);

#endif
