/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Noreturn void out_of_memory(void)
{
    fputs("whylate: out of memory\n", stderr);
    _Exit(3);
}

void *memory_new(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *memory_resize(void *old, size_t n, size_t size)
{
    void *p = reallocarray(old, n ? n : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

char *memory_string(const char *text)
{
    if (!text)
        return NULL;
    char *copy = strdup(text);
    if (!copy)
        out_of_memory();
    return copy;
}

void *memory_array(size_t n, size_t size, size_t max_bytes)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > max_bytes)
        return NULL;
    return calloc(1, bytes ? bytes : 1);
}

/* Blocks form a list, the one in use first; a request larger than a block gets one of its own. */
struct arena_block {
    struct arena_block *next;
    size_t size, used;
    _Alignas(16) unsigned char bytes[];
};

#define ARENA_BLOCK_BYTES (64u * 1024u)

void *arena_new(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - 4096)
        out_of_memory();
    size = (size + 15) & ~(size_t)15;
    struct arena_block *block = arena->first;
    if (!block || block->size - block->used < size) {
        size_t room = size > ARENA_BLOCK_BYTES / 4 ? size : ARENA_BLOCK_BYTES;
        struct arena_block *fresh = memory_new(sizeof *fresh + room);
        fresh->size = room;
        if (block && room == size) { /* keep the half-full block in use */
            fresh->next = block->next;
            block->next = fresh;
        } else {
            fresh->next = block;
            arena->first = fresh;
        }
        block = fresh;
    }
    void *p = block->bytes + block->used;
    block->used += size;
    arena->used_bytes += size;
    return p;
}

void *arena_array(struct arena *arena, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        out_of_memory();
    return arena_new(arena, bytes);
}

char *arena_string_n(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_new(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_string(struct arena *arena, const char *text)
{
    return text ? arena_string_n(arena, text, strlen(text)) : NULL;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = arena_new(arena, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

void arena_release(struct arena *arena)
{
    for (struct arena_block *block = arena->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *arena = (struct arena){0};
}
