/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "importers/rt_tests.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"

static const char *const tools[] = {"cyclictest", "cyclicdeadline", "signaltest", "oslat", "pmqtest", "ptsematest",
                                    "sigwaittest", "svsematest", "rt-migrate-test", "ssdd", "pi_stress", "deadline_test",
                                    "queuelat", "pip_stress", "hackbench"};

/* The program's name: the last part of the first word. */
static const char *tool_of(const char *command_line)
{
    size_t length = strcspn(command_line, " ");
    size_t begin = length;
    while (begin > 0 && command_line[begin - 1] != '/')
        begin--;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strlen(tools[i]) == length - begin && memcmp(tools[i], command_line + begin, length - begin) == 0)
            return tools[i];
    return NULL;
}

bool rt_tests_parse_date(const char *text, int64_t *seconds)
{
    struct tm tm = {0};
    const char *rest = text ? strptime(text, "%a, %d %b %Y %H:%M:%S", &tm) : NULL;
    int sign, hours, minutes;
    char c;
    if (!rest || sscanf(rest, " %c%2d%2d", &c, &hours, &minutes) != 3)
        return false;
    sign = c == '-' ? -1 : 1;
    *seconds = (int64_t)timegm(&tm) - sign * (hours * 3600 + minutes * 60);
    return true;
}

void rt_tests_read_head(const json_t *json, struct rt_tests_head *head)
{
    int64_t begin, end;
    *head = (struct rt_tests_head){.duration_ns = NS_UNKNOWN, .return_code = INT64_MIN};
    head->command_line = json_text(json, "cmdline");
    head->version = json_text(json, "rt_test_version");
    json_whole(json, "return_code", &head->return_code);
    if (rt_tests_parse_date(json_text(json, "start_time"), &begin) && rt_tests_parse_date(json_text(json, "end_time"), &end) &&
        end > begin)
        duration_of_seconds(end - begin, &head->duration_ns);
    tool_command_clear(&head->command);
    if (!head->command_line)
        return;
    head->tool = tool_of(head->command_line);
    char line[4200], first[256];
    snprintf(line, sizeof line, "%s", head->command_line);
    /* The first word may be any path: name it by itself for the reader of options. */
    snprintf(first, sizeof first, "%.*s", (int)strcspn(line, " "), line);
    const char *slash = strrchr(first, '/');
    if (!tool_command_find(line, strlen(line), slash ? slash + 1 : first, &head->command))
        snprintf(head->command.text, sizeof head->command.text, "%.1000s", line);
}

static void text_fact(struct import *import, const char *key, const char *value)
{
    if (value && *value)
        import_fact(import, key, "%s", value);
}

void rt_tests_facts(struct import *import, const json_t *json, const struct rt_tests_head *head)
{
    char key[80];
    const char *tool = head->tool ? head->tool : "cyclictest";
    snprintf(key, sizeof key, "%s.start_time", tool);
    text_fact(import, key, json_text(json, "start_time"));
    snprintf(key, sizeof key, "%s.end_time", tool);
    text_fact(import, key, json_text(json, "end_time"));
    if (head->return_code != INT64_MIN) {
        snprintf(key, sizeof key, "%s.return_code", tool);
        import_fact(import, key, "%lld", (long long)head->return_code);
    }
    const json_t *system = json_object_get(json, "sysinfo");
    text_fact(import, "kernel.release", json_text(system, "release"));
    text_fact(import, "kernel.version", json_text(system, "version"));
    text_fact(import, "kernel.machine", json_text(system, "machine"));
    text_fact(import, "host.name", json_text(system, "nodename"));
    int64_t realtime;
    /* /sys/kernel/realtime: 1 is a statement, 0 only says that the file is missing (mainline PREEMPT_RT has none). */
    if (json_whole(system, "realtime", &realtime) && realtime == 1)
        import_fact(import, "kernel.realtime", "1");
    if (head->version)
        import_tool_version(import, "%s", head->version);
}
