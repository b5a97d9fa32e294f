/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target on files, without libFuzzer: each whole, then cut: up to 4 KB at every byte, larger ones at 200
 * places of a fixed seed, every other one beside a line end. CUTS=N: at N places, whatever the size. A crash, or a
 * sanitizer's word, ends the program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { WHOLE_CUTS_BELOW = 4096, N_CUTS = 200 };

static uint64_t next_random(uint64_t *state) /* xorshift64 */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A copy of exactly that length, so that a byte too many is seen. */
static void run_prefix(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* A random place, or one beside the next line end: before it, at it, behind it. */
static size_t cut_at(const uint8_t *bytes, size_t size, uint64_t *state, int at_line_end)
{
    size_t cut = (size_t)(next_random(state) % (uint64_t)size);
    const uint8_t *eol = at_line_end ? memchr(bytes + cut, '\n', size - cut) : NULL;
    return eol ? (size_t)(eol - bytes) + (size_t)(next_random(state) % 3) - (eol > bytes) : cut;
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return 1;
    }
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        return 1;
    }
    fclose(file);
    run_prefix(bytes, (size_t)size);
    uint64_t state = 0x9e3779b97f4a7c15u;
    const char *wanted = getenv("CUTS");
    if (size <= WHOLE_CUTS_BELOW && !wanted)
        for (size_t cut = 0; cut < (size_t)size; cut++)
            run_prefix(bytes, cut);
    else
        for (int i = 0; size > 0 && i < (wanted ? atoi(wanted) : N_CUTS); i++)
            run_prefix(bytes, cut_at(bytes, (size_t)size, &state, i % 2));
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= run_file(argv[i]);
    return bad;
}
