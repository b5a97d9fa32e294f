/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ftrace text: what stands in front of a row, flag letters by era, bodies of events. Real lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "importers/ftrace/ftrace.h"
#include "importers/ftrace/hot.h"
#include "importers/mark.h"

static struct ftrace_row row_of(const char *text)
{
    struct ftrace_row row = {0};
    if (!ftrace_row_parse(text, strlen(text), &row))
        fail_msg("no row: %s", text);
    return row;
}

static void check_row(const char *text, enum ftrace_form form, const char *comm, int tid, int cpu, const char *token,
                      int64_t time, const char *body)
{
    struct ftrace_row row = row_of(text);
    char got[512];
    snprintf(got, sizeof got, "%d|%.*s|%d|%d|%.*s|%lld|%.*s", row.form, (int)row.comm_length, row.comm, row.tid, row.cpu,
             (int)row.token_length, row.token ? row.token : "", (long long)row.time, (int)(row.end - row.body), row.body);
    char want[512];
    snprintf(want, sizeof want, "%d|%s|%d|%d|%s|%lld|%s", form, comm, tid, cpu, token, (long long)time, body);
    assert_string_equal(got, want);
}

static void test_default(void **state)
{
    (void)state;
    check_row("          <idle>-0     [001] d..1   470.867169: ktime_get_real <-intel_idle", FORM_DEFAULT, "<idle>", 0, 1, "d..1",
              470867169000, "ktime_get_real <-intel_idle");
    check_row("     memfd:sealed-91-2822    [000] d..2.  1082.577682: sched_switch: x", FORM_DEFAULT, "memfd:sealed-91", 2822, 0,
              "d..2.", 1082577682000, "sched_switch: x");
    check_row("         aclocal-27474   (  27474) [001] d..2.  1082.573189: sched_switch: x", FORM_DEFAULT, "aclocal", 27474, 1,
              "d..2.", 1082573189000, "sched_switch: x");
    check_row("          <idle>-0       (-------) [001]     12.873859: hrtimer_cancel: x", FORM_DEFAULT, "<idle>", 0, 1, "",
              12873859000, "hrtimer_cancel: x");
    check_row(" a-1 [001] x-77      [010] .......    12.000001: f: [001] 9.999999: y", FORM_DEFAULT, "a-1 [001] x", 77, 10, ".......",
              12000001000, "f: [001] 9.999999: y");
    check_row("> bash-12 [000] 5.000002: f <-g", FORM_DEFAULT, "> bash", 12, 0, "", 5000002000, "f <-g");
    check_row("          <idle>-0     [000]314622467914: softirq_raise:        vec=7 [action=SCHED]", FORM_DEFAULT, "<idle>", 0, 0, "",
              314622467914, "softirq_raise:        vec=7 [action=SCHED]");
    check_row("     ksoftirqd/1-29    [001]    20.604922159: sched_switch:         x", FORM_DEFAULT, "ksoftirqd/1", 29, 1, "",
              20604922159, "sched_switch:         x");
    struct ftrace_row row = row_of("inst1:           <idle>-0     [001]    57.684076: local_timer_entry:    vector=236");
    assert_int_equal(row.comm_length, 6);
    assert_memory_equal(row.prefix, "inst1: ", 7);
}

static void test_latency(void **state)
{
    (void)state;
    check_row("    bash-27602     0d.h2. 1082573818us!: sched_waking: x", FORM_LATENCY, "bash", 27602, 0, "d.h2.", 1082573818000,
              "sched_waking: x");
    check_row("  <idle>-0      12dn.h5..    3us+:        0:120:R   + [001]    1585:  4:R cyclictest", FORM_LATENCY, "<idle>", 0, 12,
              "dn.h5..", 3000, "0:120:R   + [001]    1585:  4:R cyclictest");
    check_row("softirq--5       0d..1 12116us : f <-g", FORM_LATENCY, "softirq-", 5, 0, "d..1", 12116000, "f <-g");
    check_row(" kswapd0-100   0Dnh.    4us+: check_raw_flags (up_mutex)", FORM_LATENCY, "kswapd0", 100, 0, "Dnh.", 4000,
              "check_raw_flags (up_mutex)");
    check_row("   bash-1  0....   12us > sys_read (1 2)", FORM_LATENCY, "bash", 1, 0, "....", 12000, "> sys_read (1 2)");
    check_row("  <idle>-0       0d.h1.    20.576553: softirq_raise:        vec=7", FORM_REPORT_LATENCY, "<idle>", 0, 0, "d.h1.",
              20576553000, "softirq_raise:        vec=7");
}

static void test_others(void **state)
{
    (void)state;
    check_row("         swapper     0 [001]   123.456789: sched:sched_switch: x", FORM_PERF, "swapper", 0, 1, "", 123456789000,
              "sched:sched_switch: x");
    check_row("my prog   1/2 [001]   123.456789123: a:b: x", FORM_PERF, "my prog", 2, 1, "", 123456789123, "a:b: x");
    check_row("0 1 12920331408 type: 321", FORM_RAW, "", 0, 1, "", 12920331408, "type: 321");
    check_row("00000000 00000001 0000000300c61e19 type: 319", FORM_HEX, "", 0, 1, "", 0x300c61e19, "type: 319");
    struct ftrace_row row = row_of("          <idle>       0   1 13 00000004 00000002 [00c4708e] 949.478ms (+0.002ms): a: b");
    assert_int_equal(row.form, FORM_VERBOSE);
    assert_int_equal(row.time, 0xc4708e * 1000LL);
    assert_int_equal(row.cpu, 1);
    assert_int_equal(row.flags, flags_make(FLAG_IRQS_OFF | FLAG_NEED_RESCHED | FLAG_HARDIRQ, 4, 0));
    static const char *const no_rows[] = {
        "T: 0 (  169) P:95 I:1000 C:    588 Min:     49 Act:29568", "[    0.383721] pci 0000:00:1f.0: quirk: [io 0x600] claimed",
        " => try_to_wake_up", "#           TASK-PID     CPU#  |||||||", "x-1 [999999999999999999999] 1.000000: f", "", "-1 [0]",
    };
    for (size_t i = 0; i < sizeof no_rows / sizeof *no_rows; i++)
        assert_false(ftrace_row_parse(no_rows[i], strlen(no_rows[i]), &row));
}

static void check_flags(struct ftrace_era era, const char *token, uint32_t want, uint32_t want_known)
{
    uint32_t flags, known;
    if (!ftrace_flags_parse(&era, token, strlen(token), &flags, &known))
        fail_msg("no flags: %s", token);
    if (flags != want)
        fail_msg("%s: %08x, expected %08x", token, flags, want);
    if ((known & want_known) != want_known)
        fail_msg("%s: known %08x lacks %08x", token, known, want_known & ~known);
}

static void test_flags(void **state)
{
    (void)state;
    struct ftrace_era now = {0}, old = {.shortest = 4}, rt26 = {.is_26rt = true}, dovetail = {.is_pipelined = true};
    struct ftrace_era dovetail_510 = {.is_pipelined = true, .has_hard_d = true};
    check_flags(now, "d..2", flags_make(FLAG_IRQS_OFF, 2, 0), FLAG_IRQS_OFF | FLAG_PREEMPT_DEPTH);
    check_flags(now, "dNh2.", flags_make(FLAG_IRQS_OFF | FLAG_NEED_RESCHED | FLAG_HARDIRQ, 2, 0), FLAG_MIGRATE_DEPTH);
    check_flags(now, "Dn..3", flags_make(FLAG_IRQS_OFF | FLAG_BH_OFF | FLAG_NEED_RESCHED, 0, 3), FLAG_NMI);
    check_flags(now, "b...3", flags_make(FLAG_BH_OFF, 0, 3), 0);
    check_flags(now, ".l..1", flags_make(FLAG_NEED_RESCHED_LAZY, 0, 1), FLAG_NEED_RESCHED_LAZY);
    check_flags(now, ".B.1.", flags_make(FLAG_NEED_RESCHED | FLAG_NEED_RESCHED_LAZY, 1, 0), 0);
    check_flags(now, "dn.h4..", flags_make(FLAG_IRQS_OFF | FLAG_NEED_RESCHED | FLAG_HARDIRQ, 4, 0), FLAG_NEED_RESCHED_LAZY);
    check_flags(now, "...s.12", flags_make(FLAG_SOFTIRQ, 0, 2), FLAG_MIGRATE_DEPTH);
    check_flags(now, "..L....", flags_make(FLAG_NEED_RESCHED_LAZY, 0, 0), 0);
    check_flags(old, "d..10", flags_make(FLAG_IRQS_OFF, 16, 0), FLAG_PREEMPT_DEPTH);
    check_flags(rt26, "Dnh2", flags_make(FLAG_IRQS_OFF | FLAG_HARD_IRQS_OFF | FLAG_NEED_RESCHED | FLAG_HARDIRQ, 2, 0),
                FLAG_HARD_IRQS_OFF);
    check_flags(dovetail, "*.~1", flags_make(FLAG_IRQS_OFF | FLAG_HARD_IRQS_OFF | FLAG_ROOT_STALLED | FLAG_DOMAIN_HEAD, 1, 0),
                FLAG_DOMAIN_HEAD | FLAG_HARD_IRQS_OFF);
    check_flags(dovetail_510, "D...", flags_make(FLAG_IRQS_OFF | FLAG_HARD_IRQS_OFF, 0, 0), FLAG_DOMAIN_HEAD | FLAG_HARD_IRQS_OFF);
    uint32_t flags, known;
    assert_false(ftrace_flags_parse(&now, "d..", 3, &flags, &known));
    assert_false(ftrace_flags_parse(&now, "12.34", 5, &flags, &known));
}

/* Prints an event as KIND arguments, strings in their places. */
static void check_body(const char *body, const char *want)
{
    struct ftrace_row row = {.form = FORM_DEFAULT, .body = body, .end = body + strlen(body), .comm = "me", .comm_length = 2, .tid = 7};
    struct ftrace_event event;
    char got[1024];
    ftrace_body_parse(&row, &event);
    const struct event_kind_info *info = event_kind_info(event.kind);
    int n = snprintf(got, sizeof got, "%s", info->name);
    for (unsigned i = 0; i < info->n_arguments; i++) {
        unsigned word;
        char type = ftrace_argument(event.kind, i, &word);
        const char *text = NULL;
        int length = 0;
        for (unsigned k = 0; k < event.n_strings; k++)
            if (event.strings[k].word == word) {
                text = event.strings[k].text;
                length = (int)event.strings[k].length;
            }
        size_t left = sizeof got - (size_t)n;
        if (type == 's')
            n += snprintf(got + n, left, " %.*s", text ? length : 1, text ? text : "?");
        else if (type == 'i')
            n += snprintf(got + n, left, event.words[word] == (uint32_t)INT32_MIN ? " ?" : " %d", (int32_t)event.words[word]);
        else if (type == 'u' || type == 'x')
            n += snprintf(got + n, left, event.words[word] == UINT32_MAX ? " ?" : " %u", event.words[word]);
        else if (type == 'l')
            n += snprintf(got + n, left, event_words_i64(&event.words[word]) == INT64_MIN ? " ?" : " %lld",
                          (long long)event_words_i64(&event.words[word]));
        else if (type == 'X')
            n += snprintf(got + n, left, event_words_i64(&event.words[word]) == -1 ? " ?" : " %llx",
                          (long long)event_words_i64(&event.words[word]));
    }
    assert_string_equal(got, want);
}

#define LETTER(a) ((unsigned)(a))

static void test_sched(void **state)
{
    (void)state;
    check_body("sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=cyclictest next_pid=169 next_prio=4",
               "sched_switch swapper/1 0 120 82 cyclictest 169 4");
    check_body("sched_switch: prev_comm=a b prev_pid=1 x prev_pid=3 prev_prio=120 prev_state=R+ ==> next_comm=c next_pid=9 next_pid=2 next_prio=98",
               "sched_switch a b prev_pid=1 x 3 120 11090 c next_pid=9 2 98");
    check_body("sched_switch:         swapper/0:0 [120] R ==> rcuc/0:19 [98]", "sched_switch swapper/0 0 120 82 rcuc/0 19 98");
    check_body("sched_switch: task bash:12 [120] (S) ==> a:b:13 [115]", "sched_switch bash 12 120 83 a:b 13 115");
    check_body("sched_switch:          prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=0 next_comm=ksoftirqd/0 next_pid=14 next_prio=120",
               "sched_switch swapper/0 0 120 82 ksoftirqd/0 14 120");
    check_body("sched_switch: prev_comm=swapper/1 prev_pid=0x0 (0) prev_prio=0x78 (120) prev_state=0x2 (2) next_comm=cyclictest next_pid=0x1cf (463) next_prio=0x4 (4)",
               "sched_switch swapper/1 0 120 68 cyclictest 463 4");
    check_body("sched_waking: comm=my task pid=5 prio=-1 target_cpu=003", "sched_waking my task 5 -1 3");
    check_body("sched_wakeup:         cyclictest:12275 [19] CPU:002", "sched_wakeup cyclictest 12275 19 2");
    check_body("sched_wakeup:         cyclictest:12275 [19] success=1 CPU:002", "sched_wakeup cyclictest 12275 19 2");
    check_body("sched_migrate_task: comm=kcompactd0 pid=42 prio=120 orig_cpu=1 dest_cpu=0", "sched_migrate_task kcompactd0 42 120 1 0");
    check_body("sched_stat_runtime: comm=sh pid=33 runtime=1262240 [ns] vruntime=4990247054 [ns]", "sched_stat_runtime sh 33 1262240");
    check_body("sched:sched_process_exit: comm=cat pid=12 prio=120", "sched_process_exit cat 12 120");
}

static void test_irq_and_timers(void **state)
{
    (void)state;
    check_body("irq_handler_entry: irq=26 name=virtio0-req.1", "irq_handler_entry 26 virtio0-req.1");
    check_body("irq_handler_entry: irq=4354 name=Out-of-band LAPIC timer interrupt", "irq_handler_entry 4354 Out-of-band LAPIC timer interrupt");
    check_body("irq_handler_exit: irq=26 ret=handled", "irq_handler_exit 26 1");
    check_body("irq_handler_exit: irq=26 ret=unhandled", "irq_handler_exit 26 0");
    check_body("softirq_raise: vec=7 [action=SCHED]", "softirq_raise 7 SCHED");
    check_body("softirq_entry:         vec=7", "softirq_entry 7 ?");
    check_body("local_timer_entry: vector=236", "vector_entry local_timer 236");
    check_body("call_function_single_exit: vector=251", "vector_exit call_function_single 251");
    check_body("hrtimer_start: hrtimer=00000000057cadf2 function=hrtimer_wakeup expires=55275415519 softexpires=55275415519 mode=ABS|HARD was_armed=0",
               "hrtimer_start 57cadf2 hrtimer_wakeup 55275415519 55275415519 ABS|HARD");
    check_body("hrtimer_expire_entry: hrtimer=0xff1100007d8239a0 now=20576551074 function=tick_sched_timer/0x0",
               "hrtimer_expire_entry ff1100007d8239a0 tick_sched_timer 20576551074");
    check_body("timer_expire_entry: timer=(ptrval) function=delayed_work_timer_fn now=4294906009 baseclk=4294906008",
               "timer_expire_entry ? delayed_work_timer_fn 4294906009");
    check_body("cpu_idle: state=4294967295 cpu_id=5", "cpu_idle -1 5");
    check_body("irq_disable: caller=console_unlock+0xc0/0x510 parent=vprintk_emit+0x134/0x1d0",
               "irq_disable console_unlock+0xc0/0x510 vprintk_emit+0x134/0x1d0");
    check_body("irq_disable: caller=irqentry_enter+0x2a/0x60 parent=0x0", "irq_disable irqentry_enter+0x2a/0x60 0x0");
    check_body("sys_enter: NR 221 (1, 406, a, 0, 148d20, 1)", "sys_enter 221 ?");
    check_body("sys_exit:             NR 59 = -2", "sys_exit 59 ? -2");
    check_body("contention_begin: 00000000abcd (flags=SPIN|WRITE)", "contention_begin abcd 5");
    check_body("workqueue_execute_start: work struct 0000000011f7bae2: function vmstat_shepherd",
               "workqueue_execute_start 11f7bae2 vmstat_shepherd");
}

static void test_tracers(void **state)
{
    (void)state;
    check_body("ktime_get_real <-intel_idle", "function ktime_get_real intel_idle");
    check_body("rwsem_optimistic_spin+0x20/0x194 <-sclhi+0x4e/0x80 [i2c_algo_bit]",
               "function rwsem_optimistic_spin+0x20/0x194 sclhi+0x4e/0x80 [i2c_algo_bit]");
    check_body("do_thing(a=0x1, b=2) <-caller", "function do_thing caller");
    check_body("2193:120:R   + [006]    4301:  0:R cyclictest", "wakeup 2193 120 82 6 cyclictest 4301 0 82");
    check_body("0:120:R ==> [001]    1572:  4:R cyclictest", "context_switch 0 120 82 1 cyclictest 1572 4 82");
    check_body("#1     inner/outer(us): 8084/4151  ts:1796038103.143886508 count:146",
               "hwlat 8084000 4151000 1796038103143886508 146 ? ?");
    check_body("#4     inner/outer(us):    5/0     ts:1.000000002 count:1 nmi-total:3 nmi-count:2", "hwlat 5000 0 1000000002 1 2 3000");
    check_body("1000339     882874  11.74251  261478     91      0     41      0     31",
               "osnoise 1000339000 882874000 261478000 91 0 41 0 31");
    check_body("#51599 context    irq timer_latency    110720 ns", "timerlat 51599 irq 110720");
    check_body("timerlat_sample: timer_latency=75814 seqnum=507 context=0", "timerlat 507 irq 75814");
    check_body("irq_noise: local_timer:236 start 787.522542992 duration 14631 ns", "irq_noise local_timer 236 787522542992 14631");
    check_body("thread_noise:     a:b:1737 start 792.475734568 duration 97035 ns", "thread_noise a:b 1737 792475734568 97035");
    check_body("softirq_noise:    TIMER:1 start 1.000000001 duration 5 ns", "softirq_noise 1 TIMER 1000000001 5");
    check_body("sample_threshold: start 787.518374645 duration 4082900 ns interference 1", "sample_threshold 787518374645 4082900 1");
    check_body("tracing_mark_write: hit latency threshold (25271 > 18000)", "print tracing_mark_write hit latency threshold (25271 > 18000)");
    check_body("print:                tracing_gen_ctx_irq_test: hit latency threshold (20103 > 18000)",
               "print tracing_gen_ctx_irq_test hit latency threshold (20103 > 18000)");
    check_body("wakeup_lat: next_comm=cyclictest lat=17", "other wakeup_lat next_comm=cyclictest lat=17");
    check_body("try_to_wake_up <softirq--7> (62 73)", "sched_wakeup softirq- 7 ? ?");
    check_body("do_IRQ (c0150297 0 0)", "other do_IRQ (c0150297 0 0)");
    check_body("clear_inode (dispose_list)", "function clear_inode dispose_list");
}

static void test_cobalt(void **state)
{
    (void)state;
    check_body("cobalt_switch_context: prev_name=ROOT/0 prev_pid=0 prev_prio=-1 prev_state=0x18008 ==> next_name=rtk2/0 next_pid=69 next_prio=1",
               "cobalt_switch_context ROOT/0 0 -1 98312 rtk2/0 69 1");
    check_body("cobalt_switch_context: prev=c0ffee(ROOT) next=c0ffe0(my thread)", "cobalt_switch_context ROOT ? ? ? my thread ? ?");
    check_body("cobalt_thread_resume: name=rtk2/0 pid=69 mask=0x2", "cobalt_thread_resume rtk2/0 69 2");
    check_body("cobalt_thread_suspend: pid=69 mask=0x2 timeout=0 timeout_mode=0 wchan=(ptrval)", "cobalt_thread_suspend ? 69 2 0");
    check_body("cobalt_shadow_gorelax: reason=syscall", "cobalt_shadow_gorelax me 7 syscall");
    check_body("cobalt_shadow_hardened: state=0x48 info=0x0", "cobalt_shadow_hardened me 7");
    check_body("cobalt_timer_start: timer=(ptrval)([host-timer/0]) value=3952112 interval=0 mode=rel", "cobalt_timer_start ? 3952112 0");
    check_body("cobalt_timer_start: timer=c0ffe0(me) value=3952112 interval=1000 mode=abs", "cobalt_timer_start c0ffe0 3952112 1000");
    check_body("cobalt_tick_shot: next tick at 17.698953 (delay: 4809 us)", "cobalt_tick_shot 4809 ?");
    check_body("cobalt_head_sysentry: syscall=read", "cobalt_head_sysentry read");
    check_body("cobalt_head_sysexit: result=-11", "cobalt_head_sysexit -11");
    check_body("evl_timer_shot: proxy-timer at 17.698953 (delay: 4809 us, 12000 cycles)", "cobalt_tick_shot 4809 ?");
    check_body("evl_timer_expire: timer=lat-timer:3", "cobalt_timer_expire ?");
    check_body("irq_pipeline_entry: irq=4354", "cobalt_irq_entry 4354");
    check_body("cobalt_clock_entry: clock_irq=18", "cobalt_clock_entry 18");
    check_body("evl_switch_context: { swapper/0[-1] prio=-1, state=0x18008 } => { timer-responder:1[99] prio=98 }",
               "cobalt_switch_context swapper/0 -1 -1 ? timer-responder:1 99 98");
}

static void test_marks(void **state)
{
    (void)state;
    static const struct { const char *text; int64_t ns; } marks[] = {
        {"hit latency threshold (117 > 100)", 117000}, {"pinv_high blocked 25012 us", 25012000},
        {"** latency peak: 12.345 us **", 12345}, {"hello", -1}, {"** latency peak: -1.-200 us **", -1},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        int64_t ns = -1;
        mark_parse(marks[i].text, strlen(marks[i].text), &ns);
        assert_int_equal(ns, marks[i].ns);
    }
}

static void test_graph(void **state)
{
    (void)state;
    struct ftrace_graph_line g;
    const char *text = "  106.526652 |   0)  cyclict-532   |  .....12 |   5.629 us    |                        } /* rt_spin_unlock */";
    assert_true(ftrace_graph_parse(text, strlen(text), &g));
    assert_int_equal(g.what, GRAPH_EXIT);
    assert_int_equal(g.time, 106526652000);
    assert_int_equal(g.tid, 532);
    assert_int_equal(g.duration_ns, 5629);
    assert_int_equal(g.depth, 11);
    assert_memory_equal(g.name, "rt_spin_unlock", g.name_length);
    text = " 0) $ 1005564 us  |          tick();";
    assert_true(ftrace_graph_parse(text, strlen(text), &g));
    assert_int_equal(g.what, GRAPH_LEAF);
    assert_int_equal(g.duration_ns, 1005564000);
    assert_int_equal(g.time, NS_UNKNOWN);
    text = " 1)               |  do_idle() {";
    assert_true(ftrace_graph_parse(text, strlen(text), &g));
    assert_int_equal(g.what, GRAPH_ENTRY);
    text = "    50079 us |   1)  irq_tes-514   |  d.... |   0.000 us    |  execute_preemptirqtest [preemptirq_delay_test]();";
    assert_true(ftrace_graph_parse(text, strlen(text), &g));
    assert_int_equal(g.time, 50079000);
    assert_true(g.time_is_relative);
    int32_t cpu, tid;
    const char *comm;
    size_t length;
    text = " 0)  cyclict-531   =>   sleep-529   ";
    assert_true(ftrace_graph_switch(text, strlen(text), &cpu, &comm, &length, &tid));
    assert_int_equal(tid, 529);
    assert_false(ftrace_graph_parse("12:34:56 | foo", 14, &g));
}

/* The fast path gives what the slow path gives, or nothing. */
static void test_hot(void **state)
{
    (void)state;
    static const struct { const char *body; bool is_hot; } bodies[] = {
        {"sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a b next_pid=169 next_prio=-1", true},
        {"sched_switch: prev_comm=x prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=y next_pid=2 next_prio=98", true},
        {"sched_switch: prev_comm=x prev_pid=1 prev_prio=120 prev_state=D|K ==> next_comm=y next_pid=2 next_prio=98", false},
        {"sched_switch: prev_comm=x prev_pid=1 y prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=y next_pid=2 next_prio=98", false},
        {"sched_waking: comm=cyclictest pid=589 prio=4 target_cpu=001", true},
        {"sched_wakeup: comm=a pid=1 pid=589 prio=4 target_cpu=001", false},
        {"sched_wakeup:         comm=cyclictest pid=589 prio=4 target_cpu=001", true},
        {"sched_wakeup: comm=x pid=1 prio=4 success=1 target_cpu=001", false},
        {"hrtimer_start: hrtimer=00000000057cadf2 function=hrtimer_wakeup expires=55275415519 softexpires=55275415518 mode=ABS|HARD was_armed=0", true},
        {"hrtimer_start: hrtimer=0x57cadf2 function=hrtimer_wakeup expires=1 softexpires=2 mode=REL", true},
        {"hrtimer_start: hrtimer=0x57cadf2 function=hrtimer_wakeup expires=1 softexpires=2", false},
        {"hrtimer_cancel: hrtimer=00000000d11b8f24", true},
        {"hrtimer_cancel: hrtimer=(ptrval)", false},
        {"hrtimer_expire_entry: hrtimer=00000000d5c6b7ef function=hrtimer_wakeup now=124861761569", true},
        {"hrtimer_expire_entry: hrtimer=00000000d5c6b7ef now=124861761569", false},
        {"irq_handler_entry: irq=26 name=Out-of-band LAPIC timer", true},
        {"irq_handler_exit: irq=26 ret=unhandled", true},
        {"softirq_raise: vec=7 [action=SCHED]", true},
        {"local_timer_entry: vector=236", true},
        {"call_function_single_exit: vector=251", true},
        {"sched_switch:         swapper/0:0 [120] R ==> rcuc/0:19 [98]", true},
        {"sched_switch:         a:b:0 [120] R ==> rcuc/0:19 [98]", false},
        {"ktime_get_real <-intel_idle", true},
        {"a_function_of_a_very_long_name_that_goes_on.isra.0 <-caller", true},
        {"f+0x1/0x2 <-g", false},
        {"do_thing(a=0x1, b=2) <-caller", false},
    };
    struct event_batch *batch = event_batch_new();
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const char *body = bodies[i].body, *end = body + strlen(body);
        struct hot_row hot = {.batch = batch, .time_ns = 5, .tid = 7, .flags = 1};
        size_t n = batch->n;
        if (hot_body_add(&hot, body, end) != bodies[i].is_hot)
            fail_msg("%s: %s", bodies[i].is_hot ? "not taken" : "taken", body);
        assert_int_equal(batch->n, n + bodies[i].is_hot);
        if (!bodies[i].is_hot)
            continue;
        struct ftrace_row row = {.form = FORM_DEFAULT, .body = body, .end = end, .comm = "me", .comm_length = 2, .tid = 7};
        struct ftrace_event event;
        ftrace_body_parse(&row, &event);
        assert_int_equal(batch->kind[n], event.kind);
        assert_int_equal(batch->n_words - batch->arg[n], event.n_words);
        for (unsigned k = 0; k < event.n_strings; k++)
            event.words[event.strings[k].word] = event_batch_intern(batch, event.strings[k].text, event.strings[k].length);
        assert_memory_equal(batch->words + batch->arg[n], event.words, event.n_words * sizeof *event.words);
    }
    event_batch_free(batch);
}

static void test_header(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "# tracer: wakeup_rt", "# wakeup_rt latency trace v1.1.5 on 5.15.0.g66f4bea-master",
        "# latency: 34260 us, #19617/19620, CPU#6 | (M:PREEMPT(lazy) VP:0, KP:0, SP:0 HP:0 #P:8)",
        "#    | task: a-b-4301 (uid:0 nice:0 policy:1 rt_prio:99)", "#  => started at: f+0x1/0x2",
    };
    struct ftrace_header header;
    ftrace_header_init(&header);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct line line = {.text = lines[i], .length = strlen(lines[i]), .number = i + 1};
        assert_true(ftrace_header_line(&header, &line));
    }
    assert_string_equal(header.tracer, "wakeup_rt");
    assert_string_equal(header.kernel, "5.15.0.g66f4bea-master");
    assert_string_equal(header.model, "PREEMPT(lazy)");
    assert_string_equal(header.comm, "a-b");
    assert_string_equal(header.started_at, "f+0x1/0x2");
    assert_int_equal(header.latency_ns, 34260000);
    assert_int_equal(header.n_shown, 19617);
    assert_int_equal(header.cpu, 6);
    assert_int_equal(header.n_cpus, 8);
    assert_int_equal(header.tid, 4301);
    assert_int_equal(header.policy, POLICY_FIFO);
    assert_int_equal(header.rt_priority, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default), cmocka_unit_test(test_latency), cmocka_unit_test(test_others), cmocka_unit_test(test_flags),
        cmocka_unit_test(test_sched), cmocka_unit_test(test_irq_and_timers), cmocka_unit_test(test_tracers),
        cmocka_unit_test(test_cobalt), cmocka_unit_test(test_marks), cmocka_unit_test(test_graph), cmocka_unit_test(test_hot), cmocka_unit_test(test_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
