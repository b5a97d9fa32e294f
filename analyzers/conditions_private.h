/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of the conditions by what they judge, and what they share; the table in conditions.c orders them. */
#ifndef ANALYZERS_CONDITIONS_PRIVATE_H
#define ANALYZERS_CONDITIONS_PRIVATE_H

#include "analyzers/conditions.h"

/* conditions_measurement.c: how it was measured */
enum condition judge_command(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_priority(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_length(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_load(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_secondary(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_timer(const struct store *store, uint32_t run, struct findings *out);

/* conditions_kernel.c: how the kernel was built and started */
enum condition judge_kernel(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_debug(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_throttling(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_isolation(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_threaded(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_console(const struct store *store, uint32_t run, struct findings *out);

/* conditions_machine.c: the hardware, and who else ran on it */
enum condition judge_governor(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_idle(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_virtualization(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_clocksource(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_irq_threads(const struct store *store, uint32_t run, struct findings *out);
enum condition judge_background(const struct store *store, uint32_t run, struct findings *out);

/* A new finding about the run, in `out`'s arena; the variant picks among the code's sentences ("": the first). */
struct finding *condition_tell(struct findings *out, const char *code, const char *variant, enum severity severity,
                               enum confidence confidence, uint32_t run);
/*
 * The decimal integer that a fact's text begins with. False, and the value as it was: no text, no digit in front, or a
 * number that as microseconds would be no int64_t of nanoseconds.
 */
bool fact_integer(const char *text, int64_t *value);
/* True if the fact's text holds the word, in capitals or not; a text that is NULL holds none. */
bool fact_mentions(const char *text, const char *word);

/* A word of the kernel's command line, copied into `value`: "" if it has no value; NULL: not there, or no command line. */
const char *cmdline_value(const char *cmdline, const char *word, char *value, size_t size);

#endif
