/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting, association and two-sample tests against numbers computed with R 4.2; histograms solvable on paper. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzers/stats/counting.h"
#include "analyzers/stats/dependence.h"
#include "analyzers/stats/histogram.h"
#include "analyzers/stats/repeats.h"
#include "analyzers/stats/tail.h"
#include "analyzers/stats/twosample.h"
#include "base/memory.h"

static void near_or_fail(double got, double want, double tolerance, const char *what, int line)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("line %d: %s is %.10g, not %.10g", line, what, got, want);
}
#define NEAR(got, want, tolerance) near_or_fail((got), (want), (tolerance), #got, __LINE__)
#define CLOSE(got, want, relative) near_or_fail((got), (want), fabs((double)(want)) * (relative), #got, __LINE__)

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void clopper_pearson_r(void **state)
{
    (void)state;
    double low, high;
    proportion_interval(0, 1000000, 0.95, &low, &high);
    assert_true(low == 0);
    CLOSE(high, 3.68887265e-06, 1e-8);
    proportion_interval(1, 1000000, 0.95, &low, &high);
    CLOSE(low, 2.531780766e-08, 1e-9);
    CLOSE(high, 5.571630655e-06, 1e-9);
    proportion_interval(3, 10000000, 0.95, &low, &high);
    CLOSE(low, 6.186721656e-08, 1e-9);
    CLOSE(high, 8.767270542e-07, 1e-9);
    proportion_interval(10, 100000000, 0.95, &low, &high);
    CLOSE(low, 4.795388797e-08, 1e-9);
    CLOSE(high, 1.839035527e-07, 1e-9);
}

static void more_than_poisson(void **state)
{
    (void)state;
    CLOSE(poisson_at_least(2.5, 10), 2.773521e-04, 1e-6);
}

static void fisher_outliers_and_cause_r(void **state)
{
    (void)state;
    struct table2x2 t = {8, 2, 20, 970};
    double low, high;
    CLOSE(fisher_p(t), 5.593799e-12, 1e-6);
    /* R finds 1/ratio to 1.2e-4 only: 186.5028 (34.512 to 1934.545). Ours are the roots to all digits. */
    double ratio = fisher_odds_ratio(t, 0.95, &low, &high);
    CLOSE(1 / ratio, 1 / 186.5028, 0.005);
    NEAR(1 / ratio, 1 / 186.5028, 1.2e-4);
    CLOSE(low, 34.512, 0.005);
    NEAR(1 / high, 1 / 1934.545, 1.2e-4);
    static const struct table2x2 tea = {3, 1, 1, 3}; /* Fisher's tea tasting: R prints 6.408309 (0.2117329 to 621.9337505) */
    CLOSE(fisher_odds_ratio(tea, 0.95, &low, &high), 6.408309, 1e-4);
    CLOSE(low, 0.2117329, 1e-4);
    CLOSE(high, 621.9337505, 2e-2);
    CLOSE(fisher_p(tea), 0.4857143, 1e-6);
    CLOSE((double)t.a * (double)t.d / ((double)t.b * (double)t.c), 194, 1e-12);
    CLOSE(table_lift(t), 28.57, 1e-3);
}

static void adjusted_p_values_on_paper(void **state)
{
    (void)state;
    double holm[] = {0.01, 0.04, NAN, 0.03}, fdr[] = {0.01, 0.04, NAN, 0.03};
    adjust_holm(holm, 4);
    NEAR(holm[0], 0.03, 1e-12);
    NEAR(holm[3], 0.06, 1e-12);
    NEAR(holm[1], 0.06, 1e-12);
    assert_true(isnan(holm[2]));
    adjust_benjamini_hochberg(fdr, 4);
    NEAR(fdr[0], 0.03, 1e-12);
    NEAR(fdr[3], 0.04, 1e-12);
    NEAR(fdr[1], 0.04, 1e-12);
}

static const struct bin bins_a[] = {{3, 500}, {4, 3000}, {5, 1200}, {6, 250}, {9, 40}, {12, 9}, {40, 1}},
                        bins_b[] = {{3, 400}, {4, 2900}, {5, 1350}, {6, 280}, {9, 60}, {12, 9}, {55, 1}};

static void two_histograms_r(void **state)
{
    (void)state;
    struct histogram a = histogram_of(bins_a, 7, 1, 0, NAN, NAN), b = histogram_of(bins_b, 7, 1, 0, NAN, NAN);
    assert_int_equal(a.n, 5000);
    assert_int_equal(b.n, 5000);
    const struct histogram *both[] = {&a, &b};
    struct tied tied = tied_from(both, 2);
    NEAR(ks_distance(&tied, 0, 1), 0.04, 1e-12);
    CLOSE(ks_p_asymptotic(0.04, 5000, 5000), 6.7093e-04, 1e-5);
    struct mann_whitney plain = mann_whitney(&tied, 0, 1, 0), corrected = mann_whitney(&tied, 0, 1, 1);
    NEAR(plain.w, 11865849.5, 1e-6);
    CLOSE(plain.p, 6.24393e-07, 1e-5);
    CLOSE(corrected.p, 6.24406e-07, 1e-5);
    NEAR(plain.cliff, -0.05073204, 1e-8);
    double p;
    CLOSE(anderson_darling_k(&tied, &p), 25.757020, 1e-7);
    assert_true(p <= 0.001);
    tied_release(&tied);
}

static void rayleigh_r(void **state)
{
    (void)state;
    static const double kept[] = {1003, 2001, 2999, 4010, 5004, 5998, 7002, 8005, 9001, 10000},
                        loose[] = {120, 1340, 2510, 3020, 4890, 5333, 6071, 7777, 8246, 9654};
    double p;
    NEAR(rayleigh(kept, 10, 1000, &p), 0.99978665, 1e-8);
    CLOSE(p, 4.63916e-07, 1e-5);
    NEAR(rayleigh(loose, 10, 1000, &p), 0.17490672, 1e-8);
    NEAR(p, 0.74572, 1e-5);
}

static void a_trend_on_paper(void **state)
{
    (void)state;
    static const double rising[] = {1, 2, 3, 4, 5}, flat[] = {3, 1, 4, 2, 3};
    double p;
    NEAR(kendall_trend(rising, 5, &p), 1, 1e-12);
    NEAR(p, 0.0274862, 1e-6); /* S = 10, variance 50/3, continuity 1 */
    kendall_trend(flat, 5, &p);
    assert_true(p > 0.5);
}

static void a_rhythm_is_found(void **state)
{
    (void)state;
    double times[12], p, period;
    static const int multiples[] = {1, 4, 5, 9, 14, 15, 22, 28, 29, 33, 40, 47};
    for (int i = 0; i < 12; i++)
        times[i] = 6.0 * multiples[i] + 0.01 * ((i * 7) % 5);
    period = rhythm_find(times, 12, 0.5, 60, &p, NULL);
    CLOSE(period, 6, 0.01);
    assert_true(p < 1e-3);
    static const double random[] = {3.1, 10.7, 11.9, 25.3, 38.2, 41.0, 66.6, 71.7, 90.2, 93.3, 120.9, 131.5};
    rhythm_find(random, 12, 0.5, 60, &p, NULL);
    assert_true(p > 0.05);
}

static void the_longer_run_wins(void **state)
{
    (void)state;
    NEAR(p_longer_run_wins(1, 9), 0.9, 1e-12);
}

static void expected_maximum_of_a_part_on_paper(void **state)
{
    (void)state;
    static const struct bin bins[] = {{1, 2}, {5, 1}, {9, 1}};
    struct histogram h = histogram_of(bins, 4 - 1, 1, 0, NAN, NAN);
    /* Two of {1, 1, 5, 9}: the maximum is 9 in 3 of 6 pairs, 5 in 2, 1 in 1. */
    NEAR(histogram_expected_max(&h, 2), (3 * 9 + 2 * 5 + 1) / 6.0, 1e-9);
    NEAR(histogram_expected_max(&h, 4), 9, 1e-9);
    NEAR(histogram_expected_max(&h, 1), 4, 1e-9);
}

static void quantiles_are_lower_edges_and_never_made_up(void **state)
{
    (void)state;
    static const struct bin bins[] = {{10, 50}, {11, 49}};
    struct histogram h = histogram_of(bins, 2, 1, 1, 100, NAN);
    NEAR(histogram_quantile(&h, 0.5), 10, 0);
    NEAR(histogram_quantile(&h, 0.51), 11, 0);
    NEAR(histogram_quantile(&h, 0.99), 11, 0);
    assert_true(isnan(histogram_quantile(&h, 0.999)));
    h.max_ns = 153;
    NEAR(histogram_quantile(&h, 0.999), 153, 0);
    h.n_overflow = 2, h.n = 101;
    assert_true(isnan(histogram_quantile(&h, 0.985)));
    NEAR(histogram_quantile(&h, 0.995), 153, 0);
}

static void exceedances_are_fishers_test(void **state)
{
    (void)state;
    /* Twice the one-sided p of the same table. */
    struct table2x2 t = {8, 992, 1, 999};
    CLOSE(exceedance_p(8, 1000, 1, 1000), 2 * fisher_p_greater(t), 1e-9);
    NEAR(exceedance_p(5, 1000, 5, 1000), 1, 1e-9);
    NEAR(exceedance_p(3, 3, 0, 3), 0.1, 1e-9);
    /* A ten times longer run with ten times as many is the same. */
    assert_true(exceedance_p(10, 1000000, 100, 10000000) > 0.9);
    assert_true(exceedance_p(30, 1000000, 100, 10000000) < 1e-4);
    CLOSE(exceedance_p(10300, 1000000, 9900, 1000000), exceedance_p(10301, 1000000, 9899, 1000000), 0.1);
}

static void rank_sums_of_repeated_runs(void **state)
{
    (void)state;
    static const double before[] = {1177, 1897, 2886}, after[] = {284, 296, 321};
    NEAR(rank_sum_p_exact(before, 3, after, 3), 0.1, 1e-12);
    NEAR(rank_sum_p_exact(before, 3, before, 3), 1, 1e-12);
}

/* Exp(10 us) in bins of 1 us, expected counts; then the same with one sample far out. */
static size_t exponential_bins(struct bin *bins, double n, double scale_us)
{
    size_t m = 0;
    for (int us = 0; us < 400; us++) {
        double count = n * (exp(-us / scale_us) - exp(-(us + 1) / scale_us));
        if (count >= 0.5)
            bins[m++] = (struct bin){us * 1000, (uint64_t)(count + 0.5)};
    }
    return m;
}

static void a_smooth_tail_reaches_its_maximum(void **state)
{
    (void)state;
    struct bin bins[402];
    size_t n = exponential_bins(bins, 1e6, 10);
    struct histogram h = histogram_of(bins, n, 1000, 0, NAN, NAN);
    struct tail_fit fit;
    tail_analyse(&h, NAN, &fit);
    assert_true(fit.is_fitted && fit.fits);
    CLOSE(fit.gpd.gpd.scale, 10000, 0.15);
    assert_true(fit.shape_low < 0.05 && fit.shape_high > -0.05);
    struct tail_gap gap = tail_gap_of_maximum(&h, fit.threshold_ns, 1);
    assert_true(!gap.is_tested || gap.p > 0.1);
}

static void a_far_sample_is_isolated_whatever_the_fit_saw(void **state)
{
    (void)state;
    struct bin bins[402];
    size_t n = exponential_bins(bins, 1e6, 10);
    bins[n++] = (struct bin){1500000, 1};
    struct histogram h = histogram_of(bins, n, 1000, 0, NAN, NAN);
    struct tail_fit fit;
    tail_analyse(&h, NAN, &fit);
    struct tail_gap gap = tail_gap_of_maximum(&h, fit.threshold_ns, 1);
    assert_true(gap.is_tested && gap.p < 1e-4);
    /* As an overflow of known value it is as far. */
    struct histogram hidden = histogram_of(bins, n - 1, 1000, 1, 1000000, 1500000);
    gap = tail_gap_of_maximum(&hidden, fit.threshold_ns, 1);
    assert_true(gap.is_tested && gap.p < 1e-4);
    /* Two of them are a small cluster, not a single maximum. */
    bins[n - 1].count = 2;
    h = histogram_of(bins, n, 1000, 0, NAN, NAN);
    assert_true(!(tail_gap_of_maximum(&h, fit.threshold_ns, 1).p < 0.01));
    gap = tail_gap_of_cluster(&h, fit.threshold_ns, 20);
    assert_true(gap.is_tested && gap.n_above == 2 && gap.p < 1e-6);
}

/* Two clocks of 9998 and 10238 cycles and a few bursts, as the overflow list of a guest's histogram held them. */
static void two_combs_in_one_list_are_told_apart(void **state)
{
    (void)state;
    double t[70];
    size_t n = 0;
    for (int i = 0; i < 26; i++) {
        t[n++] = 8373 + 9998 * i + (i % 3 - 1);
        t[n++] = 4405 + 10238 * i + (i % 2);
        if (i % 6 == 0)
            for (int k = 0; k < 3; k++)
                t[n++] = 93843 + 7919 * i + k;
    }
    memory_sort(t, n, sizeof *t, by_value);
    size_t n_in;
    bool is_in[70];
    double p, first = comb_find(t, n, 1, &n_in, is_in, &p), left[70];
    assert_true(p < 1e-9 && n_in >= 25);
    size_t n_left = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_in[i])
            left[n_left++] = t[i];
    double second = comb_find(left, n_left, 1, &n_in, is_in, &p);
    assert_true(p < 1e-9 && n_in >= 20);
    NEAR(fmin(first, second), 9998, 4);
    NEAR(fmax(first, second), 10238, 4);
}

static void chance_makes_no_comb(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u; /* xorshift: a fixed sequence */
    size_t n_found = 0;
    for (int run = 0; run < 300; run++) {
        double t[80], p;
        bool is_in[80];
        size_t n_in;
        for (int i = 0; i < 80; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            t[i] = floor((double)(x % 3600000));
        }
        memory_sort(t, 80, sizeof *t, by_value);
        comb_find(t, 80, 1, &n_in, is_in, &p);
        n_found += p < 1e-3;
    }
    assert_true(n_found <= 2);
}

/* A quantile in the middle of a broad histogram; what is hidden counts as worse. */
static void no_worse_needs_more_than_no_difference(void **state)
{
    (void)state;
    struct bin a[200], b[200], few[200];
    for (int i = 0; i < 200; i++) {
        a[i] = (struct bin){(100 + i) * 1000, 1000};
        b[i] = (struct bin){(130 + i) * 1000, 1000}; /* the median 15 % higher */
        few[i] = (struct bin){(100 + i) * 1000, 1};
    }
    struct histogram x = histogram_of(a, 200, 1000, 0, NAN, NAN), y = histogram_of(b, 200, 1000, 0, NAN, NAN), z = histogram_of(few, 200, 1000, 0, NAN, NAN);
    double equivalent;
    assert_true(quantile_no_worse_p(&x, &x, 0.5, 0.1, 999, 1, &equivalent) == 0.001);
    assert_true(equivalent == 0.001);
    assert_true(quantile_no_worse_p(&x, &y, 0.5, 0.1, 999, 1, &equivalent) == 1);
    assert_true(quantile_no_worse_p(&x, &y, 0.5, 0.2, 999, 1, &equivalent) == 0.001);
    assert_true(quantile_no_worse_p(&y, &x, 0.5, 0.1, 999, 1, &equivalent) == 0.001); /* better is no worse ... */
    assert_true(equivalent == 1);                                                     /* ... but not alike */
    /* With 200 samples nothing differs, and nothing is shown: the standard error of the median, 7 us, against 4 us. */
    assert_true(quantile_no_worse_p(&z, &z, 0.5, 0.02, 999, 1, NULL) > 0.2);
    struct histogram hidden = histogram_of(a, 100, 1000, 110000, 200000, NAN);
    assert_true(quantile_no_worse_p(&x, &hidden, 0.5, 0.1, 999, 1, NULL) == 1);
}

/* Runs whose logarithms are 0, 0.1, 0.2 and 1, 1.1, 1.2 against each other: t = 1 / (0.1 sqrt(2/3)) = 12.2474 with 4 degrees (R: pt). */
static void spreads_of_repeated_runs_on_paper(void **state)
{
    (void)state;
    struct bin bins[6];
    struct histogram runs[6];
    const struct histogram *a[3], *b[3];
    for (int i = 0; i < 6; i++) {
        bins[i] = (struct bin){(int64_t)llround(1e12 * exp(0.1 * (i % 3) + (i < 3 ? 0 : 1))), 100};
        runs[i] = histogram_of(&bins[i], 1, 0, 0, NAN, NAN);
        (i < 3 ? a : b)[i % 3] = &runs[i];
    }
    struct spread x = spread_of_quantile(a, 3, 0.5, 1), y = spread_of_mean(b, 3), one = spread_of_mean(b, 1);
    assert_true(x.n_runs == 3 && x.low == 1e12 && x.sampling_sd == 0 && x.between_sd == x.sd);
    NEAR(x.log_sd, 0.1, 1e-9);
    CLOSE(spread_difference_p(&x, &y), 2.5526e-4, 1e-3);
    assert_true(isnan(one.sd) && isnan(spread_difference_p(&one, &one)));
    /* One run against three: t = 1 - 0.1 over 0.1 sqrt(4/3), 2 degrees. */
    CLOSE(spread_difference_p(&x, &one), 0.016062, 1e-3);
    double below;
    assert_true(spread_no_worse_p(&x, &x, 1.5, &below) < 0.01 && below < 0.01);
    assert_true(spread_no_worse_p(&x, &y, 1.5, &below) > 0.99);
    assert_true(spread_no_worse_p(&y, &x, 1.5, &below) < 0.01 && below > 0.99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clopper_pearson_r),
        cmocka_unit_test(more_than_poisson),
        cmocka_unit_test(fisher_outliers_and_cause_r),
        cmocka_unit_test(adjusted_p_values_on_paper),
        cmocka_unit_test(two_histograms_r),
        cmocka_unit_test(rayleigh_r),
        cmocka_unit_test(a_rhythm_is_found),
        cmocka_unit_test(a_trend_on_paper),
        cmocka_unit_test(the_longer_run_wins),
        cmocka_unit_test(expected_maximum_of_a_part_on_paper),
        cmocka_unit_test(quantiles_are_lower_edges_and_never_made_up),
        cmocka_unit_test(exceedances_are_fishers_test),
        cmocka_unit_test(rank_sums_of_repeated_runs),
        cmocka_unit_test(two_combs_in_one_list_are_told_apart),
        cmocka_unit_test(chance_makes_no_comb),
        cmocka_unit_test(no_worse_needs_more_than_no_difference),
        cmocka_unit_test(spreads_of_repeated_runs_on_paper),
        cmocka_unit_test(a_smooth_tail_reaches_its_maximum),
        cmocka_unit_test(a_far_sample_is_isolated_whatever_the_fit_saw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
