/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/vocabulary.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define NAME_OF(names, value) ((size_t)(value) < sizeof(names) / sizeof *(names) ? (names)[value] : NULL)

const char *measure_path_name(enum measure_path path)
{
    static const char *const names[] = {
#define X(id, name) [PATH_##id] = name,
        MEASURE_PATHS(X)
#undef X
    };
    return NAME_OF(names, path);
}

static const char *const policy_names[] = {
    [POLICY_OTHER] = "other", [POLICY_FIFO] = "fifo", [POLICY_RR] = "rr",         [POLICY_BATCH] = "batch",
    [POLICY_IDLE] = "idle",   [POLICY_DEADLINE] = "deadline", [POLICY_COBALT] = "cobalt",
};

const char *policy_name(enum policy policy)
{
    return NAME_OF(policy_names, policy);
}

enum policy policy_from_name(const char *name)
{
    static const struct {
        const char *name;
        enum policy policy;
    } others[] = {{"normal", POLICY_OTHER}, {"TS", POLICY_OTHER}, {"FF", POLICY_FIFO}, {"DL", POLICY_DEADLINE},
                  {"DLN", POLICY_DEADLINE}, {"B", POLICY_BATCH},  {"IDL", POLICY_IDLE}, {"evl", POLICY_COBALT}};
    if (!name)
        return POLICY_UNKNOWN;
    if (!strncasecmp(name, "SCHED_", 6))
        name += 6;
    for (size_t i = 1; i < sizeof policy_names / sizeof *policy_names; i++)
        if (!strcasecmp(name, policy_names[i]))
            return (enum policy)i;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcasecmp(name, others[i].name))
            return others[i].policy;
    return POLICY_UNKNOWN;
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {
        [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};
    return NAME_OF(names, severity);
}

const char *confidence_name(enum confidence confidence)
{
    static const char *const names[] = {[CONFIDENCE_UNKNOWN] = "unknown",
                                        [CONFIDENCE_POSSIBLE] = "possible",
                                        [CONFIDENCE_LIKELY] = "likely",
                                        [CONFIDENCE_PROVEN] = "proven"};
    return NAME_OF(names, confidence);
}
