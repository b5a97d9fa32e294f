/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All importers, one row each. At equal sureness the earlier row wins. */
#include "importers/importer.h"

#include <stddef.h>
#include <string.h>

#define IMPORTERS(X) \
    /* one X(name) per line, each with its backslash; the last line stays empty */ \
    X(trace_dat) \
    X(trace_raw) \
    X(ftrace) \
    X(ipipe) \
    X(maxima) \
    X(tracefs) \
    X(trace_hist) \
    X(ipipe_files) \
    X(cyclictest) \
    X(summary_columns) \
    X(rt_tests_json) \
    X(rt_pairs) \
    X(rt_migrate) \
    X(queuelat) \
    X(deadline_test) \
    X(rt_verdicts) \
    X(uname) \
    X(uname_r) \
    X(cmdline) \
    X(interrupts) \
    X(proc_stat) \
    X(timer_list) \
    X(kernel_config) \
    X(system_listing) \
    X(lscpu) \
    X(ps) \
    X(dmesg) \
    X(system_value) \
    X(system_file) \
    X(rtla) \
    X(reported) \
    X(grid) \
    X(stat_lines) \
    X(candidates) \
    X(jitterdebugger) \
    X(sysjitter) \
    X(hgrm) \
    X(bpf_hist) \
    X(schbench) \
    X(perf_sched) \
    X(evl_ps) \
    X(evl_sysfs) \
    X(rteval) \
    X(rteval_text) \
    X(csv) \
    X(jitter_raw) \
    X(jitter_hdf5) \
    X(prose) \
    X(latency_hist) \
    X(stress_ng) \
    X(hwlatdetect) \
    X(oslat) \
    X(xeno_latency) \
    X(xeno_plot) \
    X(evl_plot) \
    X(irq_affinity) \
    X(bundle) \
    X(bundle_threads) \
    X(bundle_samples) \
    X(bundle_outliers) \
    X(bundle_clocks) \
    X(bundle_incidents) \
    X(xeno_stat) \
    X(xeno_acct) \
    X(xeno_sched) \
    X(xeno_proc) \
    X(xeno_relax) \


#define X(name) extern const struct importer importer_##name;
IMPORTERS(X)
#undef X

const struct importer *const importers[] = {
#define X(name) &importer_##name,
    IMPORTERS(X)
#undef X
    NULL,
};

const struct importer *importer_find(const char *name)
{
    for (size_t i = 0; importers[i]; i++)
        if (strcmp(importers[i]->name, name) == 0)
            return importers[i];
    return NULL;
}
