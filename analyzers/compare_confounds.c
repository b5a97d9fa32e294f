/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What else differed, by the rules of compare_rules.c. What is under test (--factor) is no confound. */
#include <string.h>

#include "analyzers/compare_rules.h"
#include "base/text.h"

static const char *const gravity_names[] = {"note", "note", "weakening", "invalidating"};

/* True if the word is one of a list "a|b". */
static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = list; p; p = strchr(p, '|')) {
        p += *p == '|';
        if (strncmp(p, word, length) == 0 && (p[length] == '\0' || p[length] == '|'))
            return true;
    }
    return false;
}

/* A condition goes by its key, the facts that it is made of, or the kernel's parameter; "kernel" is all of the kernel. */
static bool is_named(const struct rule *rule, const char *factor)
{
    return strcmp(factor, rule->key) == 0 || is_listed(rule->facts, factor) ||
           (strncmp(factor, "cmdline.", 8) == 0 && strcmp(factor + 8, rule->key) == 0) ||
           (strcmp(factor, "cmdline.isolcpus") == 0 && strcmp(rule->key, "isolation") == 0) ||
           (strcmp(factor, "kernel") == 0 && strncmp(rule->key, "kernel.", 7) == 0);
}

static bool is_factor(const struct compare *compare, const struct rule *rule)
{
    if (compare->options->n_factors == 0)
        return rule->is_factor;
    for (size_t i = 0; i < compare->options->n_factors; i++)
        if (is_named(rule, compare->options->factors[i]))
            return true;
    return false;
}

enum status factors_check(const struct analysis_options *options, struct error *error)
{
    for (size_t i = 0; i < options->n_factors; i++) {
        bool is_known = false;
        for (const struct rule *rule = compare_rules; rule->key; rule++)
            is_known |= is_named(rule, options->factors[i]);
        if (is_known)
            continue;
        struct text keys = {0};
        for (const struct rule *rule = compare_rules; rule->key; rule++)
            text_format(&keys, "%s%s", keys.length ? ", " : "", rule->key);
        error_usage(error, "--factor: unknown '%s' (there are %s)", options->factors[i], text_string(&keys));
        text_release(&keys);
        return FAILED;
    }
    return OK;
}

/* What a condition weighs among some runs, given in run order. */
static enum gravity weigh(const struct compare *compare, const struct rule *rule, const char *const *values, const uint32_t *runs,
                          size_t n_runs, bool *differs)
{
    size_t n_known = 0;
    *differs = false;
    const char *first = NULL;
    for (size_t i = 0; i < n_runs; i++) {
        const char *value = values[runs[i]];
        if (!value)
            continue;
        n_known++;
        if (!first)
            first = value;
        *differs |= !rule_same_value(rule, first, value);
    }
    if (*differs && !is_factor(compare, rule))
        return rule->differs;
    if (n_known == 0)
        return rule->missing_all;
    return n_known < n_runs ? rule->missing_one : NONE;
}

/* The runs of two sides, in run order. How many. */
static size_t runs_of_both(const struct side *a, const struct side *b, uint32_t *runs)
{
    size_t i = 0, k = 0;
    while (i < a->n_members || k < b->n_members) {
        bool takes_a = k == b->n_members || (i < a->n_members && a->members[i] < b->members[k]);
        runs[i + k] = takes_a ? a->members[i] : b->members[k];
        *(takes_a ? &i : &k) += 1;
    }
    return i + k;
}

/* What weighs on each side's comparison with the baseline: with three runs, two of them may well be comparable. */
static void weigh_sides(const struct compare *compare, const struct rule *rule, const char *const *values)
{
    uint32_t *runs = memory_resize(NULL, compare->n_runs, sizeof *runs);
    for (uint32_t side = 0; side < compare->n_sides; side++) {
        struct side *s = &compare->sides[side];
        bool differs;
        if (side == compare->baseline)
            continue;
        size_t n = runs_of_both(&compare->sides[compare->baseline], s, runs);
        enum gravity gravity = weigh(compare, rule, values, runs, n, &differs);
        if (gravity == INVALIDATING && strcmp(rule->key, "path") == 0 && !compare->paths_differ)
            continue;
        if ((int)gravity > s->gravest) {
            s->gravest = (int)gravity;
            text_release(&s->confounds);
        }
        if (gravity >= WEAKENING && (int)gravity == s->gravest)
            text_format(&s->confounds, "%s%s", s->confounds.length ? ", " : "", rule->key);
    }
    free(runs);
}

/* Of all runs together. */
static enum gravity weigh_all(const struct compare *compare, const struct rule *rule, const char *const *values, bool *differs)
{
    uint32_t *runs = memory_resize(NULL, compare->n_runs, sizeof *runs);
    for (uint32_t i = 0; i < compare->n_runs; i++)
        runs[i] = i;
    enum gravity gravity = weigh(compare, rule, values, runs, compare->n_runs, differs);
    free(runs);
    if (gravity == INVALIDATING && strcmp(rule->key, "path") == 0 && !compare->paths_differ)
        return NONE; /* one path is shared, and only it is compared */
    return gravity;
}

/* What the runs state about a condition, each of them or NULL; in the arena. */
static const char **read_values(const struct compare *compare, const struct rule *rule)
{
    struct arena *arena = &compare->analysis->arena;
    const char **values = arena_array(arena, compare->n_runs, sizeof *values);
    char text[400];
    for (size_t i = 0; i < compare->n_runs; i++) {
        bool is_known = rule_read(rule, compare->store, &compare->runs[i], text, sizeof text);
        values[i] = is_known ? arena_string(arena, text) : NULL;
    }
    return values;
}

static void tell_confound(struct compare *compare, const struct rule *rule, const char *const *values, bool is_invalidating)
{
    struct findings *out = &compare->analysis->findings;
    struct finding *finding = findings_add(out, "confound", SEVERITY_WARNING, CONFIDENCE_PROVEN);
    finding->variant = is_invalidating ? "invalidating" : "";
    finding->subject = rule->key;
    finding_text(out, finding, "why", rule->why);
    struct text list = {.max_length = 300};
    text_add_distinct(&list, values, compare->n_runs, "unknown");
    finding_text(out, finding, "values", text_string(&list));
    text_release(&list);
}

int compare_confounds(struct compare *compare)
{
    struct comparison *c = &compare->analysis->comparison;
    int gravest = NONE;
    size_t n_rules = 0;
    while (compare_rules[n_rules].key)
        n_rules++;
    c->confounds = arena_array(&compare->analysis->arena, n_rules, sizeof *c->confounds);
    for (const struct rule *rule = compare_rules; rule->key; rule++) {
        const char **values = read_values(compare, rule);
        bool differs;
        weigh_sides(compare, rule, values);
        enum gravity gravity = weigh_all(compare, rule, values, &differs);
        if (gravity == NONE)
            continue;
        c->confounds[c->n_confounds++] = (struct confound){rule->key, compare->n_runs, values, gravity_names[gravity], rule->why};
        if ((int)gravity > gravest)
            gravest = (int)gravity;
        if (gravity >= WEAKENING && differs && strcmp(rule->key, "length") != 0)
            tell_confound(compare, rule, values, gravity == INVALIDATING);
    }
    return gravest;
}
