/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several results in one text stand below headings that say what they are:
 *
 *     realtime (6.1.31-rt11-sun50iw9):          ### kernel 5.10.78+PREEMPT+NOHZ_FULL
 *     ```sh                                     ```shell
 *     T: 0 ( 3651) P:80 I:200 C: 173333 ...     $ cyclictest -a 1 -i 500
 *
 * The line becomes a fact of its run ("heading"); a release in it is the run's kernel, where nothing else states one. Kept
 * only in texts of several results: the title of a page with one result tells nothing about it.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "importers/private.h"
#include "importers/reported.h"

#define MAX_HEADING 100
#define MAX_ABOVE   8 /* lines between a heading and its result, blank ones and fences included */

/* "```sh", "::", ".. code-block:: text", "-----", "<pre>": what stands between a heading and what it is about. */
static bool is_dressing(struct cell text)
{
    static const char *const beginnings[] = {"```", "~~~", "::", ".. ", ":", "<pre", "</", "{code", "{noformat", "![", "|"};
    if (!text.length)
        return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (cell_starts(text, beginnings[i]))
            return true;
    for (size_t i = 0; i < text.length; i++)
        if (!strchr("-=_*~+.", text.text[i]))
            return false;
    return true;
}

/* A prompt, or a program with its options: what was run, not what it is called. */
static bool is_command(struct cell text)
{
    static const char *const programs[] = {"cyclictest -", "sudo ", "./", "hackbench", "stress", "latency -", "latmus", "taskset", "chrt ",
                                           "policy:", "# /dev/cpu_dma", "/dev/cpu_dma", "WARN", "uname "};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (cell_starts(text, programs[i]))
            return true;
    return cell_has(text, "$ ") || cell_has(text, "]# ") || cell_has(text, ":~#") || cell_has(text, "cyclictest -") || cell_has(text, "latency -");
}

/* "### Title", "**title**", "=== title ===", "for new kernel:" without what marks it as a heading. */
static struct cell undressed(struct cell text, bool *is_marked)
{
    *is_marked = false;
    while (text.length && strchr("#*_>`\"' -=", text.text[0])) {
        *is_marked |= text.text[0] == '#' || text.text[0] == '*' || text.text[0] == '=';
        text = cell_from(text, 1);
    }
    while (text.length && strchr("#*_`\"' :=-", text.text[text.length - 1])) {
        *is_marked |= text.text[text.length - 1] == ':';
        text = cell_first(text, text.length - 1);
    }
    return text;
}

/* A table row, a sentence's end, a line of numbers: no heading. */
static bool is_title(struct cell text, bool is_marked)
{
    size_t n_letters = 0, n_words = 1;
    for (size_t i = 0; i < text.length; i++) {
        n_letters += isalpha((unsigned char)text.text[i]) || (unsigned char)text.text[i] >= 0x80;
        n_words += text.text[i] == ' ';
    }
    if (text.length < 3 || text.length > MAX_HEADING || n_letters * 3 < text.length || memchr(text.text, '|', text.length))
        return false;
    if (is_marked)
        return true;
    return n_words <= 6 && !strchr(".,;!?\\{}", text.text[text.length - 1]);
}

bool heading_above(struct lines *lines, char *heading, size_t size)
{
    struct line line;
    for (size_t k = 1; k <= MAX_ABOVE && reported_line_before(lines, k, &line); k++) {
        struct cell text = cell_trim(cell_of(&line));
        bool is_marked;
        if (text.length > 400 || cell_starts(text, "T:"))
            return false;
        if (is_dressing(text) || is_command(text))
            continue;
        text = undressed(text, &is_marked);
        if (!is_title(text, is_marked))
            return false;
        cell_copy(text, heading, size);
        return true;
    }
    return false;
}

void heading_keep(struct import *import, uint32_t run, const char *text)
{
    struct import_private *private = import->private;
    for (size_t i = private->n_headings; i-- > 0;) /* mostly it is the last one */
        if (private->headings[i].run == run)
            return;
    memory_reserve(private->headings, private->headings_capacity, private->n_headings + 1);
    private->headings[private->n_headings++] = (struct kept_heading){.run = run, .text = memory_string(text)};
}

/* Other software is numbered alike: "Xenomai 3.1.2" is no kernel. What stands before the number tells. */
static bool is_of_kernel(const char *text, const char *release, bool has_tail)
{
    const char *end = release;
    while (end > text && strchr(" (v-", end[-1]))
        end--;
    const char *word = end;
    while (word > text && isalpha((unsigned char)word[-1]))
        word--;
    size_t length = (size_t)(end - word);
    static const char *const others[] = {"xenomai", "cobalt", "ipipe", "pipe", "evl", "tests", "gcc", "qemu", "yocto", "linuxcnc", "ng", "version"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (length == strlen(others[i]) && strncasecmp(word, others[i], length) == 0)
            return false;
    return has_tail || release == text || (length == 6 && strncasecmp(word, "kernel", 6) == 0) || (length == 5 && strncasecmp(word, "linux", 5) == 0) || (length == 3 && strncasecmp(word, "tag", 3) == 0);
}

/* "6.1.31-rt11-sun50iw9" in a heading: three numbers, or two with what a patch or a distribution adds. */
static bool find_release(const char *text, char release[80])
{
    for (const char *p = text; *p; p++) {
        int major, minor, patch, n2 = 0, n3 = 0;
        const char *before = p > text && p[-1] == 'v' ? p - 1 : p; /* "tag v6.12.87" */
        bool begins = before == text || !(isalnum((unsigned char)before[-1]) || strchr(".-_", before[-1]));
        if (!begins || !isdigit((unsigned char)*p) || sscanf(p, "%d.%d%n.%d%n", &major, &minor, &n2, &patch, &n3) < 2)
            continue;
        size_t length = strspn(p, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_+~");
        const char *model = strstr(p, "+PREEMPT"); /* people add what they configured */
        if (model && (size_t)(model - p) < length)
            length = (size_t)(model - p);
        while (length && strchr(".-_~", p[length - 1]))
            length--;
        bool has_tail = p[n3 ? n3 : n2] == '-' && (n3 || strncmp(p + n2, "-rt", 3) == 0);
        bool is_kernel = major >= 2 && major <= 9 && minor < 100 && (n3 ? major > 2 || minor == 4 || minor == 6 : has_tail);
        if (is_kernel && length < 80 && is_of_kernel(text, p, has_tail)) {
            memcpy(release, p, length);
            release[length] = '\0';
            return true;
        }
        p += length ? length - 1 : 0;
    }
    return false;
}

static bool states_kernel(const struct import *import, uint32_t run)
{
    for (size_t i = import->private->first_fact; i < store_count_facts(import->store); i++) {
        const struct fact *fact = store_peek_fact(import->store, i);
        if (fact->run == run && strcmp(fact->key, "kernel.release") == 0)
            return true;
    }
    return false;
}

void headings_finish(struct import *import, bool is_read)
{
    struct import_private *private = import->private;
    bool is_several = private->n_headings > 1;
    for (size_t i = 0; i < private->n_headings; i++) {
        const struct kept_heading *kept = &private->headings[i];
        char release[80];
        if (is_read && is_several) {
            store_add_fact(import->store, &(struct fact){.run = kept->run, .artefact = import->artefact, .key = "heading", .value = kept->text});
            if (find_release(kept->text, release) && !states_kernel(import, kept->run))
                store_add_fact(import->store, &(struct fact){.run = kept->run, .artefact = import->artefact, .key = "kernel.release", .value = release});
        }
        free(kept->text);
    }
    private->n_headings = 0;
}
