/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace being read: its streams, what is known of each CPU, and what its rows add up to. */
#ifndef IMPORTERS_FTRACE_READER_H
#define IMPORTERS_FTRACE_READER_H

#include "base/text.h"
#include "importers/ftrace/ftrace.h"

#define GRAPH_DEPTH 64
#define GRAPH_NAME 64

struct graph_stack { /* open functions of a CPU's task, for exits that do not say their name */
    char names[GRAPH_DEPTH][GRAPH_NAME];
    int64_t entered_ns[GRAPH_DEPTH];
    bool is_open[GRAPH_DEPTH];
    unsigned next_depth; /* of a call that comes next */
};

struct cpu_slot {
    int64_t last_ns; /* of its last event; NS_UNKNOWN: none yet */
    bool gap_is_open; /* events were lost after last_ns: the gap ends at the next event */
    uint64_t n_lost;
    const char *gap_reason;
    int32_t graph_tid; /* from the banners */
    int64_t rebuilt_ns; /* graph without stamps: durations added up */
    struct graph_stack *graph;
};

/* One buffer: the main one, or an instance that trace-cmd prefixes rows with. */
struct trace_buffer {
    char name[32];
    uint32_t run;
    uint32_t stream;
    struct event_sink *sink;
    struct cpu_slot *slots;
    size_t n_slots;
    uint32_t known; /* flags that the rows tell */
    int64_t step_ns; /* greatest common divisor of the distances of stamps; 0: none yet */
    int64_t previous_ns;
    uint64_t n_stamps, n_distinct;
    int64_t resolution_ns; /* what the text can show */
    bool is_order;         /* stamps are no times */
};

#define N_KEPT_CLAIMS 32
struct kept_sample {
    int64_t latency_ns, time_ns, irq_latency_ns;
    int32_t cpu, tid;
    uint64_t line, sequence;
    uint32_t stream;
    const char *comm; /* kept by the writer */
};
/* A column of values that the trace's rows carry: one series. */
struct trace_column {
    enum column_kind { COLUMN_TIMERLAT = 1, COLUMN_HWLAT, COLUMN_OSNOISE, COLUMN_OSNOISE_SINGLE } kind;
    char context[16]; /* "irq", "thread", "inner" ... */
    int32_t cpu;
    uint32_t series;
    uint64_t n;
    int64_t min_ns, max_ns;
    double sum_ns;
    uint64_t last_sequence;
    int64_t last_ns;
    struct kept_sample top[N_KEPT_CLAIMS]; /* the largest, unordered */
    size_t n_top;
};

/* What turns stamps without a unit into time: clock.c. */
struct clock_scale {
    enum { SCALE_NONE = 0, SCALE_RATIO, SCALE_ORDER } how;
    int64_t origin, origin_ns;
    double ns_per_tick;
    int64_t resolution_ns;
};

struct task_slot { /* a name that was seen for a tid; length 0: free */
    int32_t tid;
    uint8_t length, is_cut;
    char comm[16];
};
#define PREFIX_SLOTS 1024 /* powers of two */
#define TOKEN_SLOTS 1024
struct prefix_slot { /* "comm-pid" columns as they stand in the text, for the hot path */
    char bytes[24];
    int32_t tid;
    uint32_t flags; /* FLAG_TASK_UNKNOWN or 0; UINT32_MAX: empty */
};

struct ftrace_reader {
    bool is_open;
    uint32_t run;      /* the import's run when the trace began */
    bool is_console;   /* "Dumping ftrace buffer:" */
    bool is_report;    /* trace-cmd report */
    struct ftrace_header header;
    struct ftrace_era era;
    struct trace_buffer *buffers;
    size_t n_buffers;
    const char *clock;  /* "mono" ...; NULL unknown */
    struct clock_scale scale;
    bool is_rebuilt;    /* graph without stamps */
    bool has_another;   /* time went back: the rows are of a trace without a header now */
    uint32_t run_series; /* of the header's maximum; ROW_NONE */
    uint32_t first_stream; /* of the rows below the header, if another trace begins behind them */
    uint64_t n_rows;
    uint64_t n_bare, first_bare; /* rows of function_graph without the columns that place them */
    uint64_t n_foreign, first_foreign;
    uint64_t n_wrapped, first_wrapped;
    struct text joined; /* the row being read, where it was wrapped */
    uint64_t n_without_time;
    uint8_t prio_base;
    bool flags_lie;      /* 2.6: interrupts arrive while the letters say they are off */
    int64_t first_ns;
    /* The row before, for stacks and continuation lines. */
    struct {
        bool is_set, is_print;
        size_t buffer;
        int32_t cpu, tid;
        int64_t time_ns;
        uint32_t flags;
    } last;
#define N_HEADER_STACK 48
    const char *header_stack[N_HEADER_STACK]; /* for the header's claim */
    size_t n_header_stack;
    struct trace_column *columns;
    size_t n_columns, columns_capacity;
    struct kept_sample silences[N_KEPT_CLAIMS];
    size_t n_silences;
    struct task_slot *tasks; /* open addressing */
    size_t n_tasks, task_capacity;
    struct prefix_slot prefixes[PREFIX_SLOTS];
    uint64_t tokens[TOKEN_SLOTS]; /* flag tokens of up to 8 letters, and their flags */
    uint32_t token_flags[TOKEN_SLOTS], known;
};

extern const struct importer importer_ftrace;

/* What a row does: rows.c. True: a stack's frames follow on the next lines. */
bool reader_take_row(struct ftrace_reader *reader, struct import *import, const struct ftrace_row *row, uint64_t line);
/* False: it cannot be placed in this trace. */
bool reader_take_graph(struct ftrace_reader *reader, struct import *import, const struct ftrace_graph_line *graph,
                       uint64_t line);

/* Opens a trace for the rows that follow: series and claim of its header, facts. Buffers come with their first row. */
void reader_open(struct ftrace_reader *reader, struct import *import);
/* Writes what is left and forgets the trace. */
void reader_close(struct ftrace_reader *reader, struct import *import);
/* The buffer of a row's prefix ("inst1:"), made at first use; NULL: too many. */
struct trace_buffer *reader_buffer(struct ftrace_reader *reader, struct import *import, const char *name, size_t length);
/* The slot of a CPU; cpu is below FTRACE_CPUS_MAX. Good until another CPU's is asked for. */
void buffer_grow_slots(struct trace_buffer *buffer, size_t n);
static inline struct cpu_slot *buffer_slot(struct trace_buffer *buffer, int32_t cpu)
{
    if ((size_t)cpu >= buffer->n_slots)
        buffer_grow_slots(buffer, (size_t)cpu + 1);
    return &buffer->slots[cpu];
}

/* Adds an event of a row to its buffer. Times that fall a little are lifted to the one before. */
void reader_add(struct ftrace_reader *reader, struct import *import, struct trace_buffer *buffer, int32_t cpu,
                int64_t time_ns, int32_t tid, uint32_t flags, const struct ftrace_event *event);
/* Keeps watch over the grid that all stamps lie on: a coarse clock shows by it. */
void buffer_watch_grid_slow(struct trace_buffer *buffer, int64_t time_ns);
static inline void buffer_watch_grid(struct trace_buffer *buffer, int64_t time_ns)
{
    buffer->n_stamps++;
    if (buffer->previous_ns == time_ns)
        return;
    buffer->previous_ns = time_ns;
    buffer->n_distinct++;
    if (buffer->step_ns == 0 || buffer->step_ns >= 1000000)
        buffer_watch_grid_slow(buffer, time_ns);
}
/* A stack with its frames; not counted among the events. */
void reader_add_stack(struct ftrace_reader *reader, struct import *import, struct trace_buffer *buffer, int32_t cpu, int64_t time_ns,
                      int32_t tid, uint32_t flags, unsigned kind, const char *const *frames, const size_t *lengths,
                      size_t n_frames);
/* Says that rows of the buffer tell these flags (the bits that all rows tell are kept). */
void buffer_set_known(struct trace_buffer *buffer, uint32_t known);
/* Flags of a row's token. */
uint32_t reader_flags(struct ftrace_reader *reader, const char *token, size_t length);
static inline size_t token_slot(uint64_t key)
{
    return (key * 0x9e3779b97f4a7c15u >> 40) & (TOKEN_SLOTS - 1);
}
/* Remembers that a task of this name was seen; is_cut: the name may be longer. */
void reader_name_task(struct ftrace_reader *reader, struct import *import, int32_t tid, const char *comm, size_t length,
                      bool is_cut);
/* Events were lost on a CPU (CPU_UNKNOWN: all seen) between its last event and its next. */
void buffer_lost(struct trace_buffer *buffer, int32_t cpu, uint64_t n_lost, const char *reason);
/* Of all buffers and CPUs: the text itself lacks rows here. */
void reader_lost(struct ftrace_reader *reader, const char *reason);

/* What an event adds to series and claims: summary.c. */
void summary_event(struct ftrace_reader *reader, struct import *import, const struct trace_buffer *buffer, int32_t cpu,
                   int64_t time_ns, const struct ftrace_row *row, uint64_t line, const struct ftrace_event *event);
/* What the header's maximum is of. */
enum claim_section summary_section(const struct ftrace_header *header);
void summary_header(struct ftrace_reader *reader, struct import *import);
void summary_finish(struct ftrace_reader *reader, struct import *import);

/* The trace clock that a trace_clock file beside the text names, or NULL. */
const char *clock_beside(struct import *import);
/* Finds what the unit-less stamps of the rows ahead mean. */
void clock_find_scale(struct ftrace_reader *reader, struct import *import, struct lines *lines);
int64_t clock_time_ns(const struct ftrace_reader *reader, const struct ftrace_row *row);

/* Reads rows of the default form straight from the bytes as long as they keep their columns; the number read. */
uint64_t reader_hot_loop(struct ftrace_reader *reader, struct import *import, struct lines *lines);

#endif
