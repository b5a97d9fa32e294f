/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory: small allocations that fail end the program in one place; sizes computed from input go
 * through memory_array(), which refuses what overflows. Arenas own the many small things that live together.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void *memory_new(size_t size);                            /* zeroed; never NULL */
void *memory_resize(void *old, size_t n, size_t size);    /* n * size, checked; never NULL */
char *memory_string(const char *text);                    /* copy; NULL stays NULL */
/* Zeroed, n * size; NULL if that overflows, exceeds max_bytes or memory is short (an input's fault: the caller says so). */
void *memory_array(size_t n, size_t size, size_t max_bytes);

/* Grows *array (of *capacity elements) so that n fit; doubles. */
#define memory_reserve(array, capacity, n)                                                                   \
    do {                                                                                                     \
        if ((n) > (capacity)) {                                                                              \
            size_t memory_reserve_want_ = (capacity) * 2 > (n) ? (capacity) * 2 : (n);                        \
            (array) = memory_resize((array), memory_reserve_want_, sizeof *(array));                          \
            (capacity) = memory_reserve_want_;                                                               \
        }                                                                                                    \
    } while (0)

/* qsort() that takes an empty array, whose pointer may be NULL. */
static inline void memory_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (n > 1)
        qsort(array, n, size, compare);
}

/* An arena hands out memory that all goes at once. A zeroed struct is an empty arena. */
struct arena {
    struct arena_block *first;
    size_t used_bytes;
};

void *arena_new(struct arena *arena, size_t size);                           /* zeroed, aligned to 16 */
void *arena_array(struct arena *arena, size_t n, size_t size);               /* n * size, checked */
char *arena_string(struct arena *arena, const char *text);                   /* copy; NULL stays NULL */
char *arena_string_n(struct arena *arena, const char *text, size_t length);
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_release(struct arena *arena);

#endif
