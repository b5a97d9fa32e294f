/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bodies of the dozen events that fill traces, in exactly the form that kernels since 3.x print. Every step must fit to the
 * line's end; anything else is left to body.c, which is the oracle of the tests.
 *
 * An event's name is looked up by its first and last eight bytes and its length.
 */
#include "importers/ftrace/hot.h"

static inline uint64_t load64(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* True and past it if the n bytes of a literal stand at *p. */
static inline bool take(const char **p, const char *end, const char *literal, size_t n)
{
    if ((size_t)(end - *p) < n || memcmp(*p, literal, n) != 0)
        return false;
    *p += n;
    return true;
}
#define TAKE(literal) take(&p, end, literal, sizeof(literal) - 1)

static inline bool take_hex(const char **p, const char *end, uint64_t *value)
{
    const char *s = *p;
    uint64_t n = 0;
    if (end - s > 2 && s[0] == '0' && s[1] == 'x')
        s += 2;
    const char *digits = s;
    for (; s < end; s++) {
        unsigned c = (unsigned char)*s, digit = c - '0';
        if (digit > 9) {
            digit = c - 'a';
            if (digit > 5)
                break;
            digit += 10;
        }
        n = n << 4 | digit;
    }
    if (s == digits || s - digits > 16)
        return false;
    *value = n;
    *p = s;
    return true;
}

static inline bool take_i32(const char **p, const char *end, uint32_t *word)
{
    uint64_t n;
    bool is_negative = *p < end && **p == '-';
    *p += is_negative;
    if (!hot_digits(p, end, &n) || n > INT32_MAX)
        return false;
    *word = is_negative ? 0 - (uint32_t)n : (uint32_t)n;
    return true;
}

static inline void set(const struct hot_row *row, uint32_t *word, const char *text, size_t length)
{
    if (length)
        event_batch_set_string(row->batch, word, event_batch_intern(row->batch, text, length));
}

static inline uint32_t *add(const struct hot_row *row, unsigned kind, size_t n_words)
{
    return event_batch_add(row->batch, row->time_ns, row->tid, kind, row->flags, n_words);
}

/* A comm of at most 15 bytes up to " key"; the key must follow. */
static inline bool take_comm(const char **p, const char *end, const char *key, size_t key_length, const char **comm, size_t *length)
{
    const char *begin = *p;
    for (const char *s = begin; s < end && s - begin < 16; s++)
        if (*s == ' ' && (size_t)(end - s) > key_length && memcmp(s, key, key_length) == 0) {
            *comm = begin;
            *length = (size_t)(s - begin);
            *p = s + key_length;
            return true;
        }
    return false;
}
#define COMM(key) take_comm(&p, end, key, sizeof(key) - 1, &comm, &length)

/* A name without ':' up to ":pid [prio]", as trace-cmd's plug-in prints tasks. */
static inline bool take_report_task(const char **p, const char *end, const char **comm, size_t *length, uint32_t *tid, uint32_t *prio)
{
    const char *begin = *p, *s = begin;
    while (s < end && s - begin < 16 && *s != ':')
        s++;
    if (s == begin || s >= end || *s != ':')
        return false;
    *comm = begin;
    *length = (size_t)(s - begin);
    *p = s + 1;
    return take_i32(p, end, tid) && take(p, end, " [", 2) && take_i32(p, end, prio) && take(p, end, "]", 1);
}

/* "swapper/0:0 [120] R ==> rcuc/0:19 [98]" */
static bool hot_report_switch(const struct hot_row *row, unsigned kind, const char *p, const char *end)
{
    const char *prev, *next;
    size_t prev_length, next_length;
    uint32_t words[7];
    if (!take_report_task(&p, end, &prev, &prev_length, &words[1], &words[2]) || end - p < 8 || *p != ' ')
        return false;
    words[3] = (unsigned char)p[1];
    p += 2;
    if (words[3] < 'A' || !TAKE(" ==> ") || !take_report_task(&p, end, &next, &next_length, &words[5], &words[6]) || p != end)
        return false;
    uint32_t *w = add(row, kind, 7);
    memcpy(w, words, sizeof words);
    w[0] = w[4] = 0;
    set(row, &w[0], prev, prev_length);
    set(row, &w[4], next, next_length);
    return true;
}

static bool hot_switch(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    const char *comm, *prev;
    size_t length, prev_length;
    uint32_t words[7];
    (void)name, (void)name_length;
    if (!TAKE("prev_comm="))
        return hot_report_switch(row, kind, p, end);
    if (!COMM(" prev_pid="))
        return false;
    prev = comm;
    prev_length = length;
    if (!take_i32(&p, end, &words[1]) || !TAKE(" prev_prio=") || !take_i32(&p, end, &words[2]) || !TAKE(" prev_state=") || end - p < 8)
        return false;
    words[3] = (unsigned char)*p++;
    if (words[3] < 'A') /* a number */
        return false;
    if (*p == '+')
        words[3] |= (uint32_t)(unsigned char)*p++ << 8;
    if (!TAKE(" ==> next_comm=") || !COMM(" next_pid=") || !take_i32(&p, end, &words[5]) || !TAKE(" next_prio=") ||
        !take_i32(&p, end, &words[6]) || p != end)
        return false;
    uint32_t *w = add(row, kind, 7);
    w[1] = words[1];
    w[2] = words[2];
    w[3] = words[3];
    w[5] = words[5];
    w[6] = words[6];
    set(row, &w[0], prev, prev_length);
    set(row, &w[4], comm, length);
    return true;
}

static bool hot_wakeup(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    const char *comm;
    size_t length;
    uint32_t words[3];
    (void)name, (void)name_length;
    if (!TAKE("comm=") || !COMM(" pid=") || !take_i32(&p, end, &words[0]) || !TAKE(" prio=") || !take_i32(&p, end, &words[1]) ||
        !TAKE(" target_cpu=") || !take_i32(&p, end, &words[2]) || p != end)
        return false;
    uint32_t *w = add(row, kind, 4);
    w[1] = words[0];
    w[2] = words[1];
    w[3] = words[2];
    set(row, &w[0], comm, length);
    return true;
}

/* "hrtimer=ADDRESS" alone: cancel, expire_exit. */
static bool hot_hrtimer(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    uint64_t timer;
    (void)name, (void)name_length;
    if (!TAKE("hrtimer=") || !take_hex(&p, end, &timer) || p != end)
        return false;
    event_words_set_i64(add(row, kind, 2), (int64_t)timer);
    return true;
}

static bool hot_expire(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    uint64_t timer, now;
    (void)name, (void)name_length;
    if (!TAKE("hrtimer=") || !take_hex(&p, end, &timer) || !TAKE(" function="))
        return false;
    const char *function = p, *stop = memchr(p, ' ', (size_t)(end - p));
    if (!stop || memchr(function, '/', (size_t)(stop - function))) /* trace-cmd: "name/0x0" */
        return false;
    p = stop;
    if (!TAKE(" now=") || !hot_digits(&p, end, &now) || p != end)
        return false;
    uint32_t *w = add(row, kind, 5);
    event_words_set_i64(&w[0], (int64_t)timer);
    event_words_set_i64(&w[3], (int64_t)now);
    set(row, &w[2], function, (size_t)(stop - function));
    return true;
}

static bool hot_start(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    uint64_t timer, expires, soft;
    (void)name, (void)name_length;
    if (!TAKE("hrtimer=") || !take_hex(&p, end, &timer) || !TAKE(" function="))
        return false;
    const char *function = p, *stop = memchr(p, ' ', (size_t)(end - p));
    if (!stop || memchr(function, '/', (size_t)(stop - function))) /* trace-cmd: "name/0x0" */
        return false;
    p = stop;
    if (!TAKE(" expires=") || !hot_digits(&p, end, &expires) || !TAKE(" softexpires=") || !hot_digits(&p, end, &soft) || !TAKE(" mode="))
        return false;
    const char *mode = p;
    while (p < end && *p != ' ')
        p++;
    const char *mode_end = p;
    if (p < end && !TAKE(" was_armed="))
        return false;
    uint32_t *w = add(row, kind, 8);
    event_words_set_i64(&w[0], (int64_t)timer);
    event_words_set_i64(&w[3], (int64_t)expires);
    event_words_set_i64(&w[5], (int64_t)soft);
    set(row, &w[2], function, (size_t)(stop - function));
    set(row, &w[7], mode, (size_t)(mode_end - mode));
    return true;
}

static bool hot_irq_entry(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    uint32_t irq;
    (void)name, (void)name_length;
    if (!TAKE("irq=") || !take_i32(&p, end, &irq) || !TAKE(" name=") || p == end)
        return false;
    uint32_t *w = add(row, kind, 2);
    w[0] = irq;
    set(row, &w[1], p, (size_t)(end - p));
    return true;
}

static bool hot_irq_exit(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    uint32_t irq;
    (void)name, (void)name_length;
    if (!TAKE("irq=") || !take_i32(&p, end, &irq) || !TAKE(" ret="))
        return false;
    bool is_handled = TAKE("handled");
    if (!is_handled && !TAKE("unhandled"))
        return false;
    uint32_t *w = add(row, kind, 2);
    w[0] = irq;
    w[1] = is_handled;
    return true;
}

static bool hot_softirq(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    uint32_t vector;
    (void)name, (void)name_length;
    if (!TAKE("vec=") || !take_i32(&p, end, &vector) || !TAKE(" [action=") || end - p < 2 || end[-1] != ']')
        return false;
    uint32_t *w = add(row, kind, 2);
    w[0] = vector;
    set(row, &w[1], p, (size_t)(end - 1 - p));
    return true;
}

static bool hot_vector(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length)
{
    uint32_t vector;
    if (!TAKE("vector=") || !take_i32(&p, end, &vector) || p != end)
        return false;
    uint32_t *w = add(row, kind, 2);
    w[1] = vector;
    set(row, &w[0], name, name_length - (kind == KIND_VECTOR_ENTRY ? 6 : 5));
    return true;
}

struct hot_rule {
    const char *name;
    unsigned kind;
    bool (*add)(const struct hot_row *row, unsigned kind, const char *p, const char *end, const char *name, size_t name_length);
};
static const struct hot_rule rules[] = {
    {"sched_switch", KIND_SCHED_SWITCH, hot_switch},
    {"sched_waking", KIND_SCHED_WAKING, hot_wakeup},
    {"sched_wakeup", KIND_SCHED_WAKEUP, hot_wakeup},
    {"hrtimer_start", KIND_HRTIMER_START, hot_start},
    {"hrtimer_cancel", KIND_HRTIMER_CANCEL, hot_hrtimer},
    {"hrtimer_expire_entry", KIND_HRTIMER_EXPIRE_ENTRY, hot_expire},
    {"hrtimer_expire_exit", KIND_HRTIMER_EXPIRE_EXIT, hot_hrtimer},
    {"irq_handler_entry", KIND_IRQ_HANDLER_ENTRY, hot_irq_entry},
    {"irq_handler_exit", KIND_IRQ_HANDLER_EXIT, hot_irq_exit},
    {"softirq_raise", KIND_SOFTIRQ_RAISE, hot_softirq},
    {"softirq_entry", KIND_SOFTIRQ_ENTRY, hot_softirq},
    {"softirq_exit", KIND_SOFTIRQ_EXIT, hot_softirq},
    {"local_timer_entry", KIND_VECTOR_ENTRY, hot_vector},
    {"local_timer_exit", KIND_VECTOR_EXIT, hot_vector},
    {"reschedule_entry", KIND_VECTOR_ENTRY, hot_vector},
    {"reschedule_exit", KIND_VECTOR_EXIT, hot_vector},
    {"call_function_single_entry", KIND_VECTOR_ENTRY, hot_vector},
    {"call_function_single_exit", KIND_VECTOR_EXIT, hot_vector},
    {"irq_work_entry", KIND_VECTOR_ENTRY, hot_vector},
    {"irq_work_exit", KIND_VECTOR_EXIT, hot_vector},
};
#define N_RULES (sizeof rules / sizeof *rules)
#define N_SLOTS 64

static inline unsigned slot_of(const char *name, size_t length)
{
    uint64_t h = (load64(name) ^ load64(name + length - 8) * 3 ^ length) * 0x9e3779b97f4a7c15u;
    return (unsigned)(h >> 58);
}

static const struct hot_rule *find(const char *name, size_t length)
{
    static uint8_t slots[N_SLOTS], lengths[N_RULES];
    static bool is_filled;
    if (__builtin_expect(!is_filled, 0)) {
        for (size_t i = 0; i < N_RULES; i++) {
            lengths[i] = (uint8_t)strlen(rules[i].name);
            unsigned s = slot_of(rules[i].name, lengths[i]);
            while (slots[s])
                s = (s + 1) % N_SLOTS;
            slots[s] = (uint8_t)(i + 1);
        }
        is_filled = true;
    }
    for (unsigned s = slot_of(name, length); slots[s]; s = (s + 1) % N_SLOTS) {
        unsigned i = slots[s] - 1u;
        if (lengths[i] == length && memcmp(rules[i].name, name, length) == 0)
            return &rules[i];
    }
    return NULL;
}

/* The end of a plain symbol. */
static inline const char *symbol_end(const char *p, const char *end)
{
    static const bool plain[256] = {['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['_'] = true, ['.'] = true};
    while (p < end && plain[(unsigned char)*p])
        p++;
    return p;
}

/* "ktime_get_real <-intel_idle" */
static bool hot_function(const struct hot_row *row, const char *text, const char *end)
{
    const char *stop = symbol_end(text, end), *parent = stop + 3;
    if (stop - text < 2 || end - stop < 4 || stop[0] != ' ' || stop[1] != '<' || stop[2] != '-' || symbol_end(parent, end) != end)
        return false;
    uint32_t *w = add(row, KIND_FUNCTION, 2);
    set(row, &w[0], text, (size_t)(stop - text));
    set(row, &w[1], parent, (size_t)(end - parent));
    return true;
}

bool hot_body_add(const struct hot_row *row, const char *text, const char *end)
{
    size_t length = 0, most = (size_t)(end - text);
    if (most > 32)
        most = 32;
    while (length < most && text[length] != ':' && text[length] != ' ')
        length++;
    if (length < most && text[length] == ' ')
        return hot_function(row, text, end);
    if (length == most)
        return most == 32 && hot_function(row, text, end);
    if (length < 8 || length + 2 >= (size_t)(end - text) || text[length] != ':' || text[length + 1] != ' ')
        return false;
    const struct hot_rule *rule = find(text, length);
    if (!rule)
        return false;
    const char *p = text + length + 2;
    while (p < end && *p == ' ') /* trace-cmd report pads the name */
        p++;
    return rule->add(row, rule->kind, p, end, text, length);
}
