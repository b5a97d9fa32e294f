/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/row_table.h"

#include <string.h>

#include "base/bytes.h"

/* The type of a field follows from the member; an enum is 32 bits wide, a char array is a hash in hex. */
#define TYPE_OF(row, member)                                                                                 \
    _Generic(((row *)0)->member,                                                                             \
        int32_t: FIELD_I32, int64_t: FIELD_I64, uint64_t: FIELD_U64, double: FIELD_F64, bool: FIELD_BOOL,    \
        const char *: FIELD_STRING, char *: FIELD_HEX, struct decimal: FIELD_DECIMAL, default: FIELD_U32)
#define F(row, member)         {.offset = offsetof(row, member), .type = TYPE_OF(row, member), .name = #member}
#define REF(row, member, table) {.offset = offsetof(row, member), .type = FIELD_U32, .refers_to = table, .name = #member}
#define OPTIONAL(row, member, table)                                                                         \
    {.offset = offsetof(row, member), .type = FIELD_U32, .refers_to = table, .is_optional = true, .name = #member}
#define ENUM(row, member, last) {.offset = offsetof(row, member), .type = FIELD_U32, .max = last, .name = #member}

/* A guard: whoever adds a member to a row is told to add it here, too. */
#if UINTPTR_MAX == UINT64_MAX
#define ROW_SIZE(row, bytes)                                                                                 \
    _Static_assert(sizeof(row) == (bytes), "new member of " #row ": add it to its fields in row_table.c")
#else
#define ROW_SIZE(row, bytes) _Static_assert(sizeof(row) > 0, "")
#endif

static const struct row_field run_fields[] = {F(struct run, label), F(struct run, group)};
ROW_SIZE(struct run, 16);

static const struct row_field artefact_fields[] = {
    OPTIONAL(struct artefact, run, TABLE_RUNS), F(struct artefact, path),       F(struct artefact, format),
    F(struct artefact, tool_version),           F(struct artefact, size_bytes), F(struct artefact, sha256),
};
ROW_SIZE(struct artefact, 112);

static const struct row_field stream_fields[] = {
    REF(struct stream, run, TABLE_RUNS), OPTIONAL(struct stream, artefact, TABLE_ARTEFACTS), F(struct stream, name),
    F(struct stream, clock), F(struct stream, clock_is_relative), F(struct stream, resolution_ns),
    F(struct stream, tracer), F(struct stream, kernel), F(struct stream, preempt_model), F(struct stream, n_cpus),
    F(struct stream, n_shown), F(struct stream, n_written), F(struct stream, n_events), F(struct stream, begin_ns),
    F(struct stream, end_ns), F(struct stream, n_cpus_seen),
};
ROW_SIZE(struct stream, 120);

static const struct row_field series_fields[] = {
    REF(struct series, run, TABLE_RUNS), OPTIONAL(struct series, artefact, TABLE_ARTEFACTS), F(struct series, name),
    F(struct series, tool), F(struct series, tool_version), ENUM(struct series, path, PATH_NOISE),
    F(struct series, tid), F(struct series, comm), F(struct series, cpu), ENUM(struct series, policy, POLICY_COBALT),
    F(struct series, priority), F(struct series, interval_ns), F(struct series, resolution_ns),
    F(struct series, n_samples), F(struct series, min_ns), F(struct series, max_ns), F(struct series, avg_ns),
    F(struct series, n_overflow), F(struct series, overflow_limit_ns), F(struct series, n_stated_lost),
    F(struct series, n_requested), F(struct series, duration_ns), F(struct series, start_ns),
    ENUM(struct series, omission, OMISSION_NONE), ENUM(struct series, bin_edge, BIN_EXACT),
    F(struct series, bin_width_ns), F(struct series, max_is_lower_bound), F(struct series, is_cut),
    F(struct series, has_times), F(struct series, is_block_maxima), F(struct series, unit_evidence),
};
ROW_SIZE(struct series, 192);

static const struct row_field claim_fields[] = {
    REF(struct claim, run, TABLE_RUNS), OPTIONAL(struct claim, artefact, TABLE_ARTEFACTS), F(struct claim, line),
    ENUM(struct claim, kind, CLAIM_LOG), ENUM(struct claim, section, SECTION_BLOCKED),
    OPTIONAL(struct claim, series, TABLE_SERIES), OPTIONAL(struct claim, stream, TABLE_STREAMS), F(struct claim, cpu),
    F(struct claim, tid), F(struct claim, comm), ENUM(struct claim, policy, POLICY_COBALT),
    F(struct claim, rt_priority), F(struct claim, latency_ns), F(struct claim, time_ns), F(struct claim, begin_ns),
    F(struct claim, end_ns), F(struct claim, irq_latency_ns), F(struct claim, started_at), F(struct claim, ended_at),
    F(struct claim, text),
};
ROW_SIZE(struct claim, 152);

static const struct row_field claim_part_fields[] = {
    REF(struct claim_part_row, claim, TABLE_CLAIMS), ENUM(struct claim_part_row, part.kind, PART_OTHER),
    F(struct claim_part_row, part.subject), F(struct claim_part_row, part.amount_ns),
    F(struct claim_part_row, part.is_inferred), F(struct claim_part_row, part.is_upper_bound),
    F(struct claim_part_row, part.is_total_of_following),
};
ROW_SIZE(struct claim_part, 32);

static const struct row_field claim_stack_fields[] = {REF(struct claim_stack_row, claim, TABLE_CLAIMS),
                                                      F(struct claim_stack_row, frame)};

static const struct row_field fact_fields[] = {
    REF(struct fact, run, TABLE_RUNS), OPTIONAL(struct fact, artefact, TABLE_ARTEFACTS), F(struct fact, key),
    F(struct fact, value)};
ROW_SIZE(struct fact, 24);

static const struct row_field note_fields[] = {
    OPTIONAL(struct note, artefact, TABLE_ARTEFACTS), OPTIONAL(struct note, run, TABLE_RUNS), F(struct note, code),
    F(struct note, count), F(struct note, first_line), F(struct note, text)};
ROW_SIZE(struct note, 40);

static const struct row_field counter_fields[] = {
    REF(struct counter, run, TABLE_RUNS), OPTIONAL(struct counter, artefact, TABLE_ARTEFACTS),
    F(struct counter, source), F(struct counter, snapshot), F(struct counter, scope), F(struct counter, name),
    F(struct counter, value), F(struct counter, delta)};
ROW_SIZE(struct counter, 72);

static const struct row_field gap_fields[] = {
    REF(struct gap, run, TABLE_RUNS), OPTIONAL(struct gap, stream, TABLE_STREAMS), F(struct gap, cpu),
    F(struct gap, begin_ns), F(struct gap, end_ns), F(struct gap, n_lost), F(struct gap, reason)};
ROW_SIZE(struct gap, 48);

static const struct row_field clock_pair_fields[] = {
    REF(struct clock_pair, run, TABLE_RUNS), F(struct clock_pair, clock_a), F(struct clock_pair, clock_b),
    F(struct clock_pair, a_ns), F(struct clock_pair, b_ns), F(struct clock_pair, error_ns)};
ROW_SIZE(struct clock_pair, 48);

static const struct row_field task_fields[] = {
    REF(struct task, run, TABLE_RUNS), OPTIONAL(struct task, artefact, TABLE_ARTEFACTS), F(struct task, tid),
    F(struct task, comm), ENUM(struct task, policy, POLICY_COBALT), F(struct task, rt_priority), F(struct task, cpu)};
ROW_SIZE(struct task, 40);

static const struct row_field sample_counter_fields[] = {REF(struct sample_counter_row, series, TABLE_SERIES),
                                                         F(struct sample_counter_row, name)};

#define TABLE(id, text, row, list) [id] = {text, sizeof(row), sizeof(list) / sizeof *(list), list}
const struct row_table row_tables[N_TABLES] = {
    TABLE(TABLE_RUNS, "runs", struct run, run_fields),
    TABLE(TABLE_ARTEFACTS, "artefacts", struct artefact, artefact_fields),
    TABLE(TABLE_STREAMS, "streams", struct stream, stream_fields),
    TABLE(TABLE_SERIES, "series", struct series, series_fields),
    TABLE(TABLE_CLAIMS, "claims", struct claim, claim_fields),
    TABLE(TABLE_CLAIM_PARTS, "claim_parts", struct claim_part_row, claim_part_fields),
    TABLE(TABLE_CLAIM_STACKS, "claim_stacks", struct claim_stack_row, claim_stack_fields),
    TABLE(TABLE_FACTS, "facts", struct fact, fact_fields),
    TABLE(TABLE_NOTES, "notes", struct note, note_fields),
    TABLE(TABLE_COUNTERS, "counters", struct counter, counter_fields),
    TABLE(TABLE_GAPS, "gaps", struct gap, gap_fields),
    TABLE(TABLE_CLOCK_PAIRS, "clock_pairs", struct clock_pair, clock_pair_fields),
    TABLE(TABLE_TASKS, "tasks", struct task, task_fields),
    TABLE(TABLE_SAMPLE_COUNTERS, "sample_counters", struct sample_counter_row, sample_counter_fields),
};

static const uint8_t field_bytes[] = {
    [FIELD_U32] = 4,  [FIELD_I32] = 4,    [FIELD_I64] = 8, [FIELD_U64] = 8,      [FIELD_F64] = 8,
    [FIELD_BOOL] = 4, [FIELD_STRING] = 4, [FIELD_HEX] = 4, [FIELD_DECIMAL] = 12,
};

size_t row_table_row_bytes(const struct row_table *table)
{
    size_t n = 0;
    for (size_t i = 0; i < table->n_fields; i++)
        n += field_bytes[table->fields[i].type];
    return n;
}

/* Times and lengths whose sums and differences stay in range. */
static int64_t within_limit(int64_t ns)
{
    return ns > NS_LIMIT || ns < -NS_LIMIT ? NS_UNKNOWN : ns;
}

/* Counts that doubles and signed numbers hold; beyond, it is no count of anything. */
static uint64_t within_count(uint64_t n)
{
    return n > (uint64_t)NS_LIMIT ? COUNT_UNKNOWN : n;
}

static void field_encode(const struct row_field *field, const char *member, unsigned char *out, row_string_id *string,
                         void *context)
{
    struct decimal d;
    const char *text;
    bool flag;
    int64_t wide;
    uint64_t count;
    switch ((enum field_type)field->type) {
    case FIELD_U32:
    case FIELD_I32:
        memcpy(out, member, 4);
        break;
    case FIELD_I64:
        memcpy(&wide, member, 8);
        write_le64(out, (uint64_t)within_limit(wide));
        break;
    case FIELD_U64:
        memcpy(&count, member, 8);
        write_le64(out, within_count(count));
        break;
    case FIELD_F64:
        memcpy(out, member, 8);
        break;
    case FIELD_BOOL:
        memcpy(&flag, member, sizeof flag);
        write_le32(out, flag);
        break;
    case FIELD_STRING:
        memcpy(&text, member, sizeof text);
        write_le32(out, string(context, text));
        break;
    case FIELD_HEX:
        write_le32(out, string(context, *member ? member : NULL));
        break;
    case FIELD_DECIMAL:
        memcpy(&d, member, sizeof d);
        write_le64(out, (uint64_t)d.mantissa);
        write_le16(out + 8, d.digits);
        write_le16(out + 10, d.is_known);
        break;
    }
}

void row_encode(const struct row_table *table, const void *row, unsigned char *out, row_string_id *string, void *context)
{
    for (size_t i = 0; i < table->n_fields; i++) {
        const struct row_field *field = &table->fields[i];
        field_encode(field, (const char *)row + field->offset, out, string, context);
        out += field_bytes[field->type];
    }
}

static void field_unknown(const struct row_field *field, char *member)
{
    switch ((enum field_type)field->type) {
    case FIELD_I32:
        *(int32_t *)(void *)member = INT32_MIN;
        break;
    case FIELD_I64:
        *(int64_t *)(void *)member = NS_UNKNOWN;
        break;
    case FIELD_U64:
        *(uint64_t *)(void *)member = COUNT_UNKNOWN;
        break;
    case FIELD_F64:
        *(double *)(void *)member = (double)NAN;
        break;
    case FIELD_U32:
        if (field->refers_to)
            *(uint32_t *)(void *)member = ROW_NONE;
        break;
    case FIELD_BOOL:
    case FIELD_STRING:
    case FIELD_HEX:
    case FIELD_DECIMAL:
        break; /* zeroed */
    }
}

static bool field_decode(const struct row_field *field, const unsigned char *bytes, char *member,
                         const size_t n_rows[N_TABLES], row_string *string, void *context)
{
    uint32_t number = read_le32(bytes);
    int64_t wide;
    struct decimal d = {0};
    const char *text;
    bool flag = number != 0;
    switch ((enum field_type)field->type) {
    case FIELD_U32:
        if (field->refers_to && number >= n_rows[field->refers_to] && !(field->is_optional && number == ROW_NONE))
            return false;
        if (field->max && number > field->max)
            number = 0;
        memcpy(member, &number, 4);
        break;
    case FIELD_I32:
        memcpy(member, &number, 4);
        break;
    case FIELD_I64:
        wide = within_limit((int64_t)read_le64(bytes));
        memcpy(member, &wide, 8);
        break;
    case FIELD_U64:
    case FIELD_F64:
        memcpy(member, bytes, 8);
        break;
    case FIELD_BOOL:
        memcpy(member, &flag, sizeof flag);
        break;
    case FIELD_STRING:
        text = string(context, number);
        memcpy(member, &text, sizeof text);
        break;
    case FIELD_HEX:
        text = string(context, number);
        if (text && strlen(text) == 64)
            memcpy(member, text, 65);
        break;
    case FIELD_DECIMAL:
        d.mantissa = (int64_t)read_le64(bytes);
        d.digits = (uint8_t)read_le16(bytes + 8);
        d.is_known = read_le16(bytes + 10) & 1;
        memcpy(member, &d, sizeof d);
        break;
    }
    return true;
}

bool row_decode(const struct row_table *table, const unsigned char *bytes, size_t row_bytes, void *row,
                const size_t n_rows[N_TABLES], row_string *string, void *context)
{
    size_t at = 0;
    bool is_whole = true;
    for (size_t i = 0; i < table->n_fields; i++) {
        const struct row_field *field = &table->fields[i];
        char *member = (char *)row + field->offset;
        is_whole = is_whole && row_bytes - at >= field_bytes[field->type];
        if (!is_whole) {
            field_unknown(field, member);
            continue;
        }
        if (!field_decode(field, bytes + at, member, n_rows, string, context))
            return false;
        at += field_bytes[field->type];
    }
    return true;
}
