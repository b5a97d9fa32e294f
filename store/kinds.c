/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What kinds.def says, as tables: built once from its argument words. */
#include "store/kinds.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"

static const struct {
    const char *system, *name, *arguments;
} sources[KIND_END] = {
#define KIND(id, NAME, system, name, arguments) [id] = {system, name, arguments},
#include "store/kinds.def"
#undef KIND
};

static struct event_kind_info infos[KIND_END];
static struct kind_layout layouts[KIND_END];
static char argument_names[16384]; /* all names, terminated */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add_argument(struct event_kind_info *info, struct kind_layout *layout, char type, const char *name)
{
    info->arguments[info->n_arguments++] = (struct event_argument){type, name};
    if (type == 's')
        layout->string_words[layout->n_strings++] = (uint8_t)info->n_words;
    if (type == 'S')
        layout->has_list = true;
    else
        info->n_words += type == 'l' || type == 'X' ? 2 : 1;
}

static void make_tables(void)
{
    char *out = argument_names, *end = argument_names + sizeof argument_names;
    for (unsigned kind = 0; kind < KIND_END; kind++) {
        struct event_kind_info *info = &infos[kind];
        const char *p = sources[kind].arguments;
        if (!p)
            continue;
        info->system = sources[kind].system;
        info->name = sources[kind].name;
        layouts[kind].is_known = true;
        while (*p && info->n_arguments < sizeof info->arguments / sizeof *info->arguments) {
            size_t length = strcspn(p + 2, " ");
            if ((size_t)(end - out) <= length)
                abort(); /* kinds.def outgrew argument_names */
            memcpy(out, p + 2, length);
            out[length] = '\0';
            add_argument(info, &layouts[kind], *p, out);
            out += length + 1;
            p += 2 + length;
            p += *p == ' ';
        }
        layouts[kind].n_words = (uint8_t)info->n_words;
    }
}

const struct event_kind_info *event_kind_info(unsigned kind)
{
    pthread_once(&once, make_tables);
    return kind < KIND_END && infos[kind].name ? &infos[kind] : NULL;
}

const struct kind_layout *kind_layouts(void)
{
    pthread_once(&once, make_tables);
    return layouts;
}
