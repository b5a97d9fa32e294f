/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * provoke: holds up a CPU in a known way and says when, for the target test.
 *
 *     echo "KIND CPU US" > /sys/module/provoke/parameters/run
 *
 * KIND: preempt (preemption off), irq (interrupts off), hardirq (a timer callback in hard interrupt context). The write
 * returns when it is over. The kernel log gets a line "provoke: KIND cpu N begin NS end NS" in CLOCK_MONOTONIC.
 * Function and thread names tell what they do, so that a trace can show them.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

struct provocation {
	char kind[16];
	int cpu;
	unsigned int us;
	u64 begin_ns, end_ns;
	struct hrtimer timer;
	struct completion done;
};

static noinline void provoke_spin(struct provocation *p)
{
	p->begin_ns = ktime_get_mono_fast_ns();
	do {
		p->end_ns = ktime_get_mono_fast_ns();
		cpu_relax();
	} while (p->end_ns - p->begin_ns < (u64)p->us * 1000);
}

static noinline void provoke_preempt_off(struct provocation *p)
{
	preempt_disable();
	provoke_spin(p);
	preempt_enable();
}

static noinline void provoke_irqs_off(struct provocation *p)
{
	unsigned long flags;

	local_irq_save(flags);
	provoke_spin(p);
	local_irq_restore(flags);
}

static enum hrtimer_restart provoke_in_hardirq(struct hrtimer *timer)
{
	struct provocation *p = container_of(timer, struct provocation, timer);

	provoke_spin(p);
	complete(&p->done);
	return HRTIMER_NORESTART;
}

static int provoke_thread(void *data)
{
	struct provocation *p = data;

	if (!strcmp(p->kind, "preempt")) {
		provoke_preempt_off(p);
		complete(&p->done);
	} else if (!strcmp(p->kind, "irq")) {
		provoke_irqs_off(p);
		complete(&p->done);
	} else {
		hrtimer_start(&p->timer, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
	}
	return 0;
}

static int run_set(const char *value, const struct kernel_param *param)
{
	struct provocation p = {};
	struct task_struct *task;

	if (sscanf(value, "%15s %d %u", p.kind, &p.cpu, &p.us) != 3 || p.us > 500000 ||
	    p.cpu < 0 || !cpu_online(p.cpu) ||
	    (strcmp(p.kind, "preempt") && strcmp(p.kind, "irq") && strcmp(p.kind, "hardirq")))
		return -EINVAL;
	init_completion(&p.done);
	hrtimer_init(&p.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	p.timer.function = provoke_in_hardirq;
	task = kthread_create(provoke_thread, &p, "provoke_%s", p.kind);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, p.cpu);
	wake_up_process(task);
	wait_for_completion(&p.done);
	hrtimer_cancel(&p.timer);
	pr_info("provoke: %s cpu %d begin %llu end %llu\n", p.kind, p.cpu, p.begin_ns, p.end_ns);
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_DESCRIPTION("Holds up a CPU in a known way");
MODULE_LICENSE("GPL");
