/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --set KEY=VALUE: facts that the files lack. They also fill what a series of that tool does not know. */
#include "importers/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool whole(const char *value, int64_t *number)
{
    char *end;
    *number = strtoll(value, &end, 10);
    return end != value && *end == '\0';
}

/* The fields of a series that are whole numbers; what a unit's end says holds for any key. */
static bool wants_number(const char *key, size_t length)
{
    static const char *const ends[] = {"_ns", ".priority", ".loops", ".cpu"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (length > n && memcmp(key + length - n, ends[i], n) == 0)
            return true;
    }
    return false;
}

enum status settings_check(const struct import_options *options, struct error *error)
{
    for (size_t i = 0; i < options->n_settings; i++) {
        const char *equals = strchr(options->settings[i], '=');
        if (!equals || equals == options->settings[i])
            return error_usage(error, "--set wants KEY=VALUE, not '%s'", options->settings[i]);
        int64_t number;
        if (wants_number(options->settings[i], (size_t)(equals - options->settings[i])) && (!whole(equals + 1, &number) || number < 0))
            return error_usage(error, "--set %s: '%s' is no whole number from 0", options->settings[i], equals + 1);
    }
    return OK;
}

/* The user's statement never overrides a number that the file itself states. */
static void fill(struct store_writer *store, struct series *series, const char *field, const char *value)
{
    int64_t n;
    if (strcmp(field, "policy") == 0) {
        if (series->policy == POLICY_UNKNOWN)
            series->policy = policy_from_name(value);
        return;
    }
    if (strcmp(field, "comm") == 0) {
        if (!series->comm)
            series->comm = store_keep(store, value);
        return;
    }
    if (!whole(value, &n) || n < 0)
        return;
    if (strcmp(field, "interval_ns") == 0 && series->interval_ns == NS_UNKNOWN)
        series->interval_ns = n;
    else if (strcmp(field, "priority") == 0 && series->priority == PRIO_UNKNOWN && n < 100)
        series->priority = (int32_t)n;
    else if (strcmp(field, "duration_ns") == 0 && series->duration_ns == NS_UNKNOWN)
        series->duration_ns = n;
    else if (strcmp(field, "loops") == 0 && series->n_requested == COUNT_UNKNOWN)
        series->n_requested = (uint64_t)n;
    else if (strcmp(field, "resolution_ns") == 0 && series->resolution_ns == NS_UNKNOWN)
        series->resolution_ns = n;
    else if (strcmp(field, "cpu") == 0 && series->cpu == CPU_UNKNOWN && n < 65536)
        series->cpu = (int32_t)n;
    else if (strcmp(field, "histogram_limit_ns") == 0 && series->overflow_limit_ns == NS_UNKNOWN)
        series->overflow_limit_ns = n;
}

/* What -D and the interval together ask for. */
static void fill_requested(struct series *series)
{
    if (series->n_requested == COUNT_UNKNOWN && series->interval_ns > 0 && series->duration_ns > 0)
        series->n_requested = (uint64_t)(series->duration_ns / series->interval_ns);
}

/* "TOOL.field" into the series of that tool in these runs. */
static void fill_series(struct store_writer *store, const char *key, const char *value, uint32_t from, uint32_t to)
{
    const char *dot = strrchr(key, '.');
    if (!dot)
        return;
    for (size_t i = 0; i < store_count_series(store); i++) {
        struct series *series = store_edit_series(store, (uint32_t)i);
        if (series->run < from || series->run > to || !series->tool || strlen(series->tool) != (size_t)(dot - key) ||
            strncmp(series->tool, key, (size_t)(dot - key)) != 0)
            continue;
        fill(store, series, dot + 1, value);
        fill_requested(series);
    }
}

static void apply(struct store_writer *store, const char *setting, uint32_t first_run)
{
    char key[256];
    const char *equals = strchr(setting, '=');
    snprintf(key, sizeof key, "%.*s", (int)(equals - setting < 255 ? equals - setting : 255), setting);
    for (size_t run = first_run; run < store_count_runs(store); run++)
        store_add_fact(store, &(struct fact){.run = (uint32_t)run, .artefact = ROW_NONE, .key = key, .value = equals + 1});
    fill_series(store, key, equals + 1, first_run, UINT32_MAX);
}

/* A command in one file, its result in another: what the command says fills the result. */
static void apply_facts(struct store_writer *store, uint32_t first_run)
{
    static const char *const fields[] = {".priority", ".policy", ".interval_ns", ".histogram_limit_ns"};
    for (size_t i = 0; i < store_count_facts(store); i++) {
        const struct fact *fact = store_peek_fact(store, i);
        const char *dot = strrchr(fact->key, '.');
        for (size_t k = 0; dot && k < sizeof fields / sizeof *fields; k++)
            if (fact->run >= first_run && strcmp(dot, fields[k]) == 0)
                fill_series(store, fact->key, fact->value, fact->run, fact->run);
    }
}

void settings_apply(struct store_writer *store, const struct import_options *options, uint32_t first_run)
{
    apply_facts(store, first_run);
    for (size_t i = 0; i < options->n_settings; i++)
        apply(store, options->settings[i], first_run);
}

const char *import_setting(const struct import *import, const char *key)
{
    const struct import_options *options = import->private->options;
    size_t length = strlen(key);
    for (size_t i = options->n_settings; i-- > 0;)
        if (strncmp(options->settings[i], key, length) == 0 && options->settings[i][length] == '=')
            return options->settings[i] + length + 1;
    return NULL;
}
