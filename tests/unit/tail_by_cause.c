/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tail for each cause, of outliers whose distribution is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/explain.h"

#define THRESHOLD_NS 50000
#define N_SAMPLES    1000000

/* n outliers beyond the threshold, at the quantiles of an exponential distribution. */
static void add(struct analysis *a, size_t n, double scale_ns, enum cause cause, enum confidence confidence, const char *culprit)
{
    for (size_t i = 0; i < n; i++) {
        struct outlier *o = analysis_add_outlier(a);
        o->window = WINDOW_TIMER;
        o->cause = cause;
        o->culprit = culprit;
        o->confidence = confidence;
        o->latency_ns = THRESHOLD_NS + 1 + (int64_t)(-scale_ns * log(1 - ((double)i + 0.5) / (double)n));
        o->begin_ns = 0;
        o->end_ns = o->latency_ns;
        o->slices = arena_array(&a->arena, 1, sizeof *o->slices);
        o->n_slices = 1;
        o->slices[0] = (struct slice){.begin_ns = 0, .end_ns = o->latency_ns, .amount_ns = o->latency_ns, .kind = SLICE_IRQ, .subject = culprit};
    }
}

static const struct finding *tail_of(const struct analysis *a, const char *cause)
{
    for (size_t i = 0; i < a->findings.n; i++)
        if (!strcmp(a->findings.items[i]->code, "tail-by-cause") && a->findings.items[i]->subject &&
            !strncmp(a->findings.items[i]->subject, cause, strlen(cause)))
            return a->findings.items[i];
    return NULL;
}

static int64_t value_of(const struct finding *f, const char *key)
{
    for (size_t i = 0; i < f->n_values; i++)
        if (!strcmp(f->values[i].key, key))
            return f->values[i].integer;
    return NS_UNKNOWN;
}

static double level_of_exponential(double n, double scale_ns)
{
    return THRESHOLD_NS + scale_ns * log(10 * n);
}

static void each_cause_has_its_own(void **state)
{
    (void)state;
    struct analysis a = {.findings = {.arena = &a.arena}};
    add(&a, 40, 100000, CAUSE_IRQ, CONFIDENCE_PROVEN, "irq 29 disk");
    add(&a, 60, 20000, CAUSE_HIGHER_PRIORITY_TASK, CONFIDENCE_PROVEN, "hog:200");
    explain_tails(&a, 0, N_SAMPLES, false, THRESHOLD_NS, 0);
    const struct finding *irq = tail_of(&a, "irq (irq 29 disk)"), *task = tail_of(&a, "higher-priority-task");
    assert_non_null(irq);
    assert_non_null(task);
    assert_int_equal(value_of(irq, "n_excess"), 40);
    /* Quantiles are a little shorter in the tail than a sample: within a fifth of the closed form. */
    assert_in_range(value_of(irq, "own_level_ns"), (uintmax_t)(0.8 * level_of_exponential(40, 100000)), (uintmax_t)(1.2 * level_of_exponential(40, 100000)));
    assert_in_range(value_of(task, "own_level_ns"), (uintmax_t)(0.8 * level_of_exponential(60, 20000)), (uintmax_t)(1.2 * level_of_exponential(60, 20000)));
    /* The longer tail decides the level of all, and without it the other's is left. */
    assert_in_range(value_of(irq, "level_ns"), (uintmax_t)value_of(irq, "own_level_ns"), (uintmax_t)(1.05 * (double)value_of(irq, "own_level_ns")));
    assert_true(llabs(value_of(irq, "level_without_ns") - value_of(task, "own_level_ns")) < 1000);
    assert_int_equal(value_of(task, "level_ns"), value_of(irq, "level_ns"));
    assert_true(value_of(task, "level_without_ns") <= value_of(task, "level_ns"));
    analysis_release(&a);
}

static void what_is_not_sure_is_nobodys(void **state)
{
    (void)state;
    struct analysis a = {.findings = {.arena = &a.arena}};
    add(&a, 30, 20000, CAUSE_IRQ, CONFIDENCE_PROVEN, "irq 29 disk");
    add(&a, 30, 90000, CAUSE_SOFTIRQ, CONFIDENCE_POSSIBLE, "softirq NET_RX");
    explain_tails(&a, 0, N_SAMPLES, false, THRESHOLD_NS, 0);
    assert_null(tail_of(&a, "softirq"));
    const struct finding *irq = tail_of(&a, "irq");
    assert_non_null(irq);
    assert_true(value_of(irq, "level_without_ns") > value_of(irq, "own_level_ns")); /* the others stay, with their longer tail */
    analysis_release(&a);
}

static void a_cause_alone_and_too_few(void **state)
{
    (void)state;
    struct analysis a = {.findings = {.arena = &a.arena}};
    add(&a, 30, 20000, CAUSE_IRQ, CONFIDENCE_PROVEN, "irq 29 disk");
    explain_tails(&a, 0, N_SAMPLES, false, THRESHOLD_NS, 0);
    assert_string_equal(tail_of(&a, "irq")->variant, "alone");
    assert_int_equal(value_of(tail_of(&a, "irq"), "level_without_ns"), NS_UNKNOWN);
    analysis_release(&a);

    a = (struct analysis){.findings = {.arena = &a.arena}};
    add(&a, 15, 20000, CAUSE_IRQ, CONFIDENCE_PROVEN, "irq 29 disk");
    add(&a, 15, 20000, CAUSE_IPI, CONFIDENCE_PROVEN, "call_function");
    explain_tails(&a, 0, N_SAMPLES, false, THRESHOLD_NS, 0);
    assert_int_equal(a.findings.n, 1);
    assert_string_equal(a.findings.items[0]->variant, "too-few");
    assert_int_equal(value_of(a.findings.items[0], "n_needed"), 20);
    analysis_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cause_has_its_own),
        cmocka_unit_test(what_is_not_sure_is_nobodys),
        cmocka_unit_test(a_cause_alone_and_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
