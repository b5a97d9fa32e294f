/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iterate FILE: the empty loop of the library that trace-cmd reads with; prints how many events it saw. */
#include <stdio.h>

#if __has_include(<trace-cmd.h>) || __has_include(<trace-cmd/trace-cmd.h>)
#if __has_include(<trace-cmd.h>)
#include <trace-cmd.h>
#else
#include <trace-cmd/trace-cmd.h>
#endif

static unsigned long n_events;

static int count(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
    (void)handle;
    (void)record;
    (void)cpu;
    (void)data;
    n_events++;
    return 0;
}

int main(int argc, char **argv)
{
    struct tracecmd_input *handle = argc == 2 ? tracecmd_open(argv[1], TRACECMD_FL_LOAD_NO_PLUGINS) : NULL;
    if (!handle)
        return 3;
    tracecmd_iterate_events(handle, NULL, 0, count, NULL);
    printf("%lu\n", n_events);
    tracecmd_close(handle);
    return 0;
}
#else
int main(void)
{
    fputs("libtracecmd-dev is not installed\n", stderr);
    return 77;
}
#endif
