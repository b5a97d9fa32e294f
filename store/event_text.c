/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event as the kernel's own text output shows it, name and arguments. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "store/store.h"

static void add_string(const struct store *store, struct text *out, uint32_t id)
{
    const char *string = store_string(store, id);
    text_add(out, string ? string : "?");
}

static void add_value(const struct store *store, struct text *out, char type, const uint32_t *words)
{
    int64_t wide = type == 'l' || type == 'X' ? event_words_i64(words) : 0;
    bool is_unknown = type == 'i'                ? (int32_t)*words == INT32_MIN
                      : type == 'u' || type == 'x' ? *words == UINT32_MAX
                      : type == 'l'                ? wide == INT64_MIN
                      : type == 'X'                ? wide == -1
                                                   : false;
    if (is_unknown)
        text_add_char(out, '?');
    else if (type == 'i')
        text_format(out, "%" PRId32, (int32_t)*words);
    else if (type == 'u')
        text_format(out, "%" PRIu32, *words);
    else if (type == 'x')
        text_format(out, "0x%" PRIx32, *words);
    else if (type == 'l')
        text_format(out, "%" PRId64, wide);
    else if (type == 'X')
        text_format(out, "0x%" PRIx64, (uint64_t)wide);
    else
        add_string(store, out, *words);
}

/* A task state word: letters, low byte first. */
static void add_letters(struct text *out, uint32_t word)
{
    if (!word || word == UINT32_MAX)
        text_add_char(out, '?');
    for (; word && word != UINT32_MAX; word >>= 8)
        text_add_char(out, (char)(word & 0x7f));
}

/* The kernel calls a thread's number pid, and leaves the unit out of names. */
static void add_name(struct text *out, const char *name)
{
    size_t length = strlen(name);
    if (length >= 3 && !strcmp(name + length - 3, "tid")) {
        text_add_n(out, name, length - 3);
        text_add(out, "pid");
    } else if (length > 3 && !strcmp(name + length - 3, "_ns")) {
        text_add_n(out, name, length - 3);
    } else
        text_add(out, name);
}

static void add_list(const struct store *store, struct text *out, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text_add(out, i ? " <- " : "");
        add_string(store, out, words[i]);
    }
}

static void add_switch(const struct store *store, struct text *out, unsigned kind, const uint32_t *w)
{
    text_add(out, "prev_comm=");
    add_string(store, out, w[0]);
    text_add(out, " prev_pid=");
    add_value(store, out, 'i', &w[1]);
    text_add(out, " prev_prio=");
    add_value(store, out, 'i', &w[2]);
    text_add(out, " prev_state=");
    if (kind == KIND_COBALT_SWITCH) /* the co-kernel's own bits, not letters */
        add_value(store, out, 'x', &w[3]);
    else
        add_letters(out, w[3]);
    text_add(out, " ==> next_comm=");
    add_string(store, out, w[4]);
    text_add(out, " next_pid=");
    add_value(store, out, 'i', &w[5]);
    text_add(out, " next_prio=");
    add_value(store, out, 'i', &w[6]);
}

static void add_arguments(const struct store *store, struct text *out, const struct event_kind_info *info,
                          const uint32_t *words, size_t n_words)
{
    for (unsigned i = 0; i < info->n_arguments; i++) {
        const struct event_argument *argument = &info->arguments[i];
        text_add(out, i ? " " : "");
        add_name(out, argument->name);
        text_add_char(out, '=');
        if (argument->type == 'S') {
            add_list(store, out, words, n_words);
            return;
        }
        size_t length = strlen(argument->name);
        if (argument->type == 'u' && length >= 5 && !strcmp(argument->name + length - 5, "state"))
            add_letters(out, *words);
        else
            add_value(store, out, argument->type, words);
        size_t used = argument->type == 'l' || argument->type == 'X' ? 2 : 1;
        words += used;
        n_words -= used;
    }
}

static void add_event(const struct store *store, struct text *out, unsigned kind, const uint32_t *w, size_t n_words)
{
    const struct event_kind_info *info = event_kind_info(kind);
    if (!info) {
        text_format(out, "kind %u", kind);
        return;
    }
    switch (kind) {
    case KIND_OTHER:
        add_string(store, out, w[0]);
        text_add(out, ": ");
        if (w[1])
            add_string(store, out, w[1]);
        break;
    case KIND_PRINT:
        add_string(store, out, w[0]);
        text_add(out, ": ");
        add_string(store, out, w[1]);
        break;
    case KIND_FUNCTION:
        add_string(store, out, w[0]);
        text_add(out, " <-");
        add_string(store, out, w[1]);
        break;
    case KIND_SCHED_SWITCH:
    case KIND_COBALT_SWITCH:
        text_format(out, "%s: ", info->name);
        add_switch(store, out, kind, w);
        break;
    case KIND_VECTOR_ENTRY:
    case KIND_VECTOR_EXIT:
        add_string(store, out, w[0]);
        text_format(out, "_%s: vector=", kind == KIND_VECTOR_ENTRY ? "entry" : "exit");
        add_value(store, out, 'i', &w[1]);
        break;
    case KIND_SOFTIRQ_RAISE:
    case KIND_SOFTIRQ_ENTRY:
    case KIND_SOFTIRQ_EXIT:
        text_format(out, "%s: vec=", info->name);
        add_value(store, out, 'i', &w[0]);
        text_add(out, " [action=");
        add_string(store, out, w[1]);
        text_add_char(out, ']');
        break;
    case KIND_COBALT_TICK_SHOT: {
        int64_t us = event_words_i64(w), ns = event_words_i64(w + 2);
        text_format(out, "%s: (delay: %lld us)", info->name, (long long)(ns != INT64_MIN ? ns / 1000 : us));
        break;
    }
    case KIND_KERNEL_STACK:
    case KIND_USER_STACK:
        text_format(out, "%s: ", info->name);
        add_list(store, out, w, n_words);
        break;
    default:
        text_format(out, "%s: ", info->name);
        add_arguments(store, out, info, w, n_words);
    }
}

void event_format(const struct store *store, const struct event_view *view, size_t i, char *text, size_t size)
{
    if (!size)
        return;
    struct text out = {.max_length = size > 1 ? size - 1 : 1};
    add_event(store, &out, view->kind[i], view->words + view->arg[i], event_n_words(view, i));
    size_t length = out.length < size ? out.length : size - 1;
    memcpy(text, text_string(&out), length);
    text[length] = '\0';
    text_release(&out);
}
