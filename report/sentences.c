/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sentences.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "report/words.h"

static const struct {
    const char *title;
    const struct sentence *rows;
} family[] = {
    {"Data: what is in the files, and what is not", sentences_data},
    {"Conditions: how the system was set up", sentences_condition},
    {"Maximum: whether it is a latency of the system", sentences_maximum},
    {"Attribution: what held up a late instance", sentences_attribution},
    {"Comparison: whether runs differ", sentences_comparison},
};
#define N_FAMILIES (sizeof family / sizeof *family)

const struct sentence *sentence_find(const char *code, const char *variant)
{
    const struct sentence *fallback = NULL;
    if (!variant)
        variant = "";
    for (size_t f = 0; f < N_FAMILIES; f++)
        for (const struct sentence *row = family[f].rows; row->code; row++) {
            if (strcmp(row->code, code) != 0)
                continue;
            const char *own = row->variant ? row->variant : "";
            if (strcmp(own, variant) == 0)
                return row;
            if (!*own)
                fallback = row;
        }
    return fallback;
}

static bool max_is_lower_bound(const struct store *store, const struct finding *finding)
{
    return finding->series < store->n_series && store->series[finding->series].max_is_lower_bound;
}

/* Adds a value of the finding by its key; false if it has none or it is unknown. */
#define IS(word) (length == sizeof word - 1 && memcmp(key, word, length) == 0)
static bool add_value(const struct store *store, const struct finding *finding, const char *key, size_t length,
                      struct text *out)
{
    for (size_t i = 0; i < finding->n_values; i++) {
        const struct value *value = &finding->values[i];
        if (strlen(value->key) == length && memcmp(value->key, key, length) == 0) {
            text_add(out, IS("max_ns") && max_is_lower_bound(store, finding) ? ">= " : "");
            return words_value(value, out);
        }
    }
    if (IS("subject") && finding->subject && *finding->subject) {
        text_add(out, finding->subject);
        return true;
    }
    if (IS("cpu") && finding->cpu != CPU_UNKNOWN) {
        text_format(out, "CPU %" PRId32, finding->cpu);
        return true;
    }
    if (IS("series") && finding->series != ROW_NONE && finding->series < store->n_series) {
        words_series(store, finding->series, out);
        return true;
    }
    if (IS("run") && finding->run != ROW_NONE && finding->run < store->n_runs) {
        const char *label = store->runs[finding->run].label;
        if (label && *label)
            text_add(out, label);
        else
            text_format(out, "run %" PRIu32, finding->run);
        return true;
    }
#undef IS
    return false;
}

/* Expands [p, end) and says whether every key had a value. Optional parts nest by recursion, MAX_DEPTH deep. */
#define MAX_DEPTH 4
static bool expand(const struct store *store, const struct finding *finding, const char *p, const char *end,
                   struct text *out, int depth);

/* The ']' that closes the part opened before p, or end. */
static const char *part_end(const char *p, const char *end)
{
    int open = 1;
    for (; p < end; p++) {
        if (*p == '[')
            open++;
        if (*p == ']' && --open == 0)
            return p;
    }
    return end;
}

static bool expand(const struct store *store, const struct finding *finding, const char *p, const char *end,
                   struct text *out, int depth)
{
    bool complete = true;
    while (p < end) {
        if (p + 1 < end && (*p == '[' || *p == '{') && p[1] == *p) { /* doubled: the character itself */
            text_add_char(out, *p);
            p += 2;
        } else if (*p == '[' && depth < MAX_DEPTH) {
            const char *close = part_end(p + 1, end);
            size_t before = out->length;
            if (!expand(store, finding, p + 1, close, out, depth + 1))
                text_truncate(out, before);
            p = close < end ? close + 1 : end;
        } else if (*p == '{') {
            const char *close = memchr(p, '}', (size_t)(end - p));
            if (!close)
                close = end;
            if (!add_value(store, finding, p + 1, (size_t)(close - p - 1), out)) {
                text_add(out, "unknown");
                complete = false;
            }
            p = close < end ? close + 1 : end;
        } else {
            text_add_char(out, *p++);
        }
    }
    return complete;
}

/* For a code without a row: everything the finding holds, so that nothing said is lost. */
static void add_plain(const struct finding *finding, struct text *out)
{
    text_add(out, finding->code);
    if (finding->subject)
        text_format(out, ": %s", finding->subject);
    for (size_t i = 0; i < finding->n_values; i++) {
        size_t before = out->length;
        text_format(out, "%s%s ", i ? ", " : ": ", finding->values[i].key);
        if (!words_value(&finding->values[i], out))
            text_truncate(out, before);
    }
}

void sentence_text(const struct store *store, const struct finding *finding, struct text *out)
{
    const struct sentence *row = sentence_find(finding->code, finding->variant);
    if (row && row->text)
        expand(store, finding, row->text, row->text + strlen(row->text), out, 0);
    else
        add_plain(finding, out);
}

void sentence_advice(const struct store *store, const struct finding *finding, struct text *out)
{
    const struct sentence *row = sentence_find(finding->code, finding->variant);
    if (row && row->advice)
        expand(store, finding, row->advice, row->advice + strlen(row->advice), out, 0);
}

void sentences_document(FILE *file)
{
    fputs("<!-- Made by `make docs` from report/sentences_*.c: change the rows there. -->\n"
          "# Findings\n\n"
          "Every finding that whylate can raise: what the code says in general, then its sentences as they appear in\n"
          "text, JSON and HTML (`{...}` is a value of the finding, `[...]` appears only where its values are known).\n",
          file);
    for (size_t f = 0; f < N_FAMILIES; f++) {
        fprintf(file, "\n## %s\n", family[f].title);
        const char *code = "";
        for (const struct sentence *row = family[f].rows; row->code; row++) {
            if (strcmp(row->code, code) != 0) {
                const struct sentence *main_row = sentence_find(row->code, "");
                fprintf(file, "\n### `%s`\n\n", row->code);
                if (main_row && main_row->meaning)
                    fprintf(file, "%s\n\n", main_row->meaning);
            }
            code = row->code;
            if (!row->text)
                continue;
            if (row->variant && *row->variant)
                fprintf(file, "- `%s`: %s\n", row->variant, row->text);
            else
                fprintf(file, "- %s\n", row->text);
            if (row->advice)
                fprintf(file, "  - *What to do:* %s\n", row->advice);
        }
    }
}
