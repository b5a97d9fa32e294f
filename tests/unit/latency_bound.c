/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduling-latency bound: the fixture that tells a right fixed point from an optimistic one, and its properties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyzers/stats/latency_bound.h"

/* POID 5, PAIE 2, PSD 3, a vector at 1000 and 1011, 5 each. A schedule: interrupt 1000-1005, work until 1011, interrupt
 * until 1016, work until 1020. */
static void a_vector_that_repeats_in_its_own_window_counts(void **state)
{
    (void)state;
    const struct bound_terms terms = {.poid_ns = 5, .paie_ns = 2, .psd_ns = 3};
    const int64_t arrival[] = {1000, 1011}, duration[] = {5, 5};
    const struct bound_interrupt interrupt = {2, arrival, duration};
    int64_t bound;
    assert_true(bound_latency_ns(&terms, &interrupt, 1, 1000000, &bound));
    assert_int_equal(bound, 20);
}

static void without_interrupts_it_is_the_sum_of_the_parts(void **state)
{
    (void)state;
    const struct bound_terms terms = {.poid_ns = 50, .paie_ns = 20, .psd_ns = 30, .dst_ns = 60};
    int64_t bound;
    assert_true(bound_latency_ns(&terms, NULL, 0, 1000000, &bound));
    assert_int_equal(bound, 110);
}

static void interrupts_that_fill_the_cpu_have_no_bound(void **state)
{
    (void)state;
    enum { N = 1000 };
    int64_t arrival[N], duration[N], bound;
    for (int i = 0; i < N; i++) {
        arrival[i] = 10 * i;
        duration[i] = 10;
    }
    const struct bound_terms terms = {.poid_ns = 5};
    const struct bound_interrupt interrupt = {N, arrival, duration};
    assert_false(bound_latency_ns(&terms, &interrupt, 1, 5000, &bound));
}

/* Against the definition, on seeded arrivals: every window that ends at an arrival, summed one by one. */
static void the_window_is_exact(void **state)
{
    (void)state;
    enum { N = 200 };
    int64_t arrival[N], duration[N];
    unsigned seed = 7;
    for (int trial = 0; trial < 50; trial++) {
        for (int i = 0; i < N; i++) {
            arrival[i] = (i ? arrival[i - 1] : 0) + 1 + (int64_t)(rand_r(&seed) % 40);
            duration[i] = 1 + (int64_t)(rand_r(&seed) % 9);
        }
        const struct bound_interrupt interrupt = {N, arrival, duration};
        int64_t window = rand_r(&seed) % 300, worst = 0;
        for (int j = 0; j < N; j++) {
            int64_t sum = 0;
            for (int i = 0; i <= j; i++)
                sum += arrival[i] >= arrival[j] - window ? duration[i] : 0;
            worst = sum > worst ? sum : worst;
        }
        assert_int_equal(bound_interference_ns(&interrupt, window), worst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_that_repeats_in_its_own_window_counts),
        cmocka_unit_test(without_interrupts_it_is_the_sum_of_the_parts),
        cmocka_unit_test(interrupts_that_fill_the_cpu_have_no_bound),
        cmocka_unit_test(the_window_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
