/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/words.h"

static const struct {
    const char *name, *shows;
} tests[] = {
    {"test:mann-whitney", "Mann-Whitney: one side is larger in its body"},
    {"test:kolmogorov-smirnov", "Kolmogorov-Smirnov: some share below a value differs"},
    {"test:anderson-darling", "Anderson-Darling: not all sides are of one distribution"},
};

bool metric_is_test(const json_t *metric)
{
    const char *name = json_get_text(metric, "name");
    return name && (strncmp(name, "test:", 5) == 0 || strncmp(name, "no-worse:", 9) == 0);
}

void metric_name(const char *name, struct text *out)
{
    const char *level = strncmp(name, "quantile:", 9) == 0 || strncmp(name, "no-worse:", 9) == 0 ? name + 9 : NULL;
    if (level)
        text_format(out, "%.10g %%", strtod(level, NULL) * 100);
    else
        text_add(out, name);
}

void metric_test(const json_t *metric, struct text *out)
{
    const char *name = json_get_text(metric, "name");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(name, tests[i].name) == 0) {
            text_add(out, tests[i].shows);
            return;
        }
    text_add(out, "no worse than the margin at ");
    metric_name(name, out);
}

double metric_value_ns(const json_t *metric, size_t run)
{
    const json_t *value = json_array_get(json_object_get(metric, "values"), run);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

bool metric_is_least(const json_t *metric, size_t run)
{
    return json_is_true(json_array_get(json_object_get(metric, ".is_least"), run));
}

bool metric_ratio(const json_t *metric, struct text *out)
{
    double ratio = json_get_number(metric, "ratio");
    bool is_known = !isnan(ratio);
    for (size_t run = 0; run < json_array_size(json_object_get(metric, "values")); run++)
        is_known &= !metric_is_least(metric, run);
    if (is_known)
        text_format(out, "%.3g", ratio);
    return is_known;
}

bool metric_is_beyond(const json_t *metric)
{
    const char *name = json_get_text(metric, "name");
    bool is_known = !name || strncmp(name, "quantile:", 9) != 0 || !isnan(json_get_number(metric, "ratio"));
    for (size_t run = 0; run < json_array_size(json_object_get(metric, "values")); run++)
        is_known |= !isnan(metric_value_ns(metric, run));
    return !is_known;
}

bool metric_p(const json_t *metric, struct text *out)
{
    double p = json_get_number(metric, "p");
    if (!(p < 1e-16)) /* also for NAN */
        return words_number("p", p, out);
    text_add(out, "< 1e-16");
    return true;
}

void confound_values(const json_t *confound, struct text *out)
{
    const json_t *values = json_object_get(confound, "values"), *value;
    bool is_count = strcmp(json_get_text(confound, "key"), "length") == 0;
    size_t i, n_known = 0;
    json_array_foreach(values, i, value)
        n_known += json_is_string(value);
    if (!n_known) {
        text_add(out, "not stated by any");
        return;
    }
    const char **words = memory_new(json_array_size(values) * sizeof *words);
    struct text *counts = memory_new(json_array_size(values) * sizeof *counts);
    json_array_foreach(values, i, value) {
        words[i] = json_string_value(value);
        if (words[i] && is_count && !strchr(words[i], ' ')) { /* seconds stand as they are */
            words_count(strtoull(words[i], NULL, 10), &counts[i]);
            words[i] = text_string(&counts[i]);
        }
    }
    text_add_distinct(out, words, json_array_size(values), "not stated");
    for (i = 0; i < json_array_size(values); i++)
        text_release(&counts[i]);
    free(counts);
    free(words);
}

bool metric_interval(const json_t *metric, struct text *out)
{
    double low, high;
    if (!json_get_interval(metric, "interval", &low, &high))
        return false;
    words_interval(low, high, out);
    return true;
}
