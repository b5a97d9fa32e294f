/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the I-pipe tracer in their layouts. Real lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "importers/ipipe.h"

static struct ipipe_row row_of(const char *text, bool is_verbose, bool has_mark)
{
    struct ipipe_row row;
    if (!ipipe_row_parse(text, strlen(text), is_verbose, has_mark, &row))
        fail_msg("no row: %s", text);
    return row;
}

static void test_verbose(void **state)
{
    (void)state;
    struct ipipe_row row = row_of(">| #begin   0x80000000     0+   1.190  ipipe_enter_cpuidle+0x70 (<00000000>)", true, true);
    assert_int_equal(row.mark, '>');
    assert_int_equal(row.kind, KIND_IPIPE_BEGIN);
    assert_int_equal(row.value, 0x80000000);
    assert_int_equal(row.time_us, 0);
    assert_int_equal(row.delay_ns, 1190);
    assert_int_equal(row.flags, FLAG_HARD_IRQS_OFF | FLAG_IRQS_OFF | FLAG_ROOT_STALLED | FLAG_IN_SECTION);
    assert_memory_equal(row.function, "ipipe_enter_cpuidle+0x70", row.function_length);

    row = row_of(":|  +*func                   1!  12.940N xnintr_irq_handler+0xb (__ipipe_dispatch_wired+0x51)", true, true);
    assert_int_equal(row.delay_ns, 12940);
    assert_int_equal(row.flags, FLAG_HARD_IRQS_OFF | FLAG_IRQS_OFF | FLAG_ROOT_STALLED | FLAG_DOMAIN_HEAD | FLAG_IN_SECTION | FLAG_NMI_NOISE);

    row = row_of(":|  #*[ 1234] samplin 99    14    0.310  xnpod_schedule+0x59 [xeno_nucleus] (xnintr_irq_handler+0xd8 [xeno_nucleus])", true, true);
    assert_int_equal(row.kind, KIND_IPIPE_TASK);
    assert_int_equal(row.tid, 1234);
    assert_int_equal(row.prio, 99);
    assert_int_equal(row.time_us, 14);
    assert_int_equal(row.comm_length, 7);
    assert_memory_equal(row.parent, "xnintr_irq_handler+0xd8 [xeno_nucleus]", row.parent_length);

    row = row_of(":|# [  413] -<?>-   99   -48    0.984  xnthread_resume+0xbc (<00000000>)", true, true);
    assert_int_equal(row.comm_length, 0); /* the task was gone when the dump was read */

    row = row_of(" |*#event   tick@-37665-39372    1.079  xnclock_core_local_shot.part.0+0xa8 (<00000000>)", true, true);
    assert_int_equal(row.kind, KIND_IPIPE_EVENT);
    assert_int_equal(row.tick_us, -37665);
    assert_int_equal(row.time_us, -39372);

    row = row_of(": + (0x42)  0x0000012b   -13+\t1.126  CoBaLt_trace+0xd4 (<00000000>)", true, true);
    assert_int_equal(row.kind, KIND_IPIPE_SPECIAL);
    assert_int_equal(row.id, 0x42);
    assert_int_equal(row.value, 0x12b);

    row = row_of("    *fn                  -30     3.465  timer_interrupt+0x14 (__ipipe_do_timer+0x30)", true, true);
    assert_int_equal(row.kind, KIND_IPIPE_FUNCTION);
    assert_int_equal(row.time_us, -30);
    assert_int_equal(row.flags, FLAG_ROOT_STALLED);
}

static void test_others(void **state)
{
    (void)state;
    struct ipipe_row row = row_of(":|begin   -1520+  ipipe_test_and_stall_root (<00000000>)", false, true);
    assert_int_equal(row.time_us, -1520);
    assert_int_equal(row.delay_ns, NS_UNKNOWN);
    row = row_of(": (0x42)    -13+  CoBaLt_trace (<00000000>)", false, true);
    assert_int_equal(row.id, 0x42);
    row = row_of("|  +*func                  -12 xnintr_irq_handler+0xb (__ipipe_dispatch_wired+0x51)", true, false);
    assert_int_equal(row.time_us, -12);
    assert_true(row.flags & FLAG_HARD_IRQS_OFF);
    static const char *const no_rows[] = {"", ":| +begin", " +----- Hard IRQs ('|': locked)", "bash-3.00# cat /proc/ipipe/trace/max",
                                          ":| +begin   0x80000000 -116    0.841  no_parent"};
    for (size_t i = 0; i < sizeof no_rows / sizeof *no_rows; i++)
        assert_false(ipipe_row_parse(no_rows[i], strlen(no_rows[i]), true, true, &row));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_verbose), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
