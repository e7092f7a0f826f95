/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vtime-cases CASE                 run one case
 * vtime-cases --list               list the cases
 * vtime-cases --call NAME          call a function of the C library, with zeros
 * vtime-cases --number N [A]       make a system call through syscall(), with A and zeros
 * vtime-cases --instruction N [A]  make it by an instruction of this program
 *
 * The last two print what it returned, or the negative errno.
 */
#include <dlfcn.h>

#include "cases.h"

static const struct vtime_case *const files[] = {
    vtime_clocks, vtime_threads, vtime_signals,     vtime_streams, vtime_queues, vtime_processes,
    vtime_raw,    vtime_numbers, vtime_approximate, vtime_refused, vtime_errors};

static int call_function(const char *name)
{
    long (*f)(long, long, long, long, long, long) =
        (long (*)(long, long, long, long, long, long))dlsym(RTLD_DEFAULT, name);

    REQUIRE(f != NULL);
    f(0, 0, 0, 0, 0, 0);
    return 1;
}

static int make_call(const char *how, long number, long first)
{
    long r;

    if (strcmp(how, "--instruction") == 0) {
        r = raw(number, first, 0, 0, 0, 0, 0);
    } else {
        r = syscall(number, first, 0l, 0l, 0l, 0l, 0l);
        r = r == -1 ? -errno : r;
    }
    printf("%ld\n", r);
    return 0;
}

static int run_case(const char *name)
{
    const struct vtime_case *c;
    size_t i;

    for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        for (c = files[i]; c->name; c++) {
            if (strcmp(name, "--list") == 0)
                puts(c->name);
            if (strcmp(c->name, name) != 0)
                continue;
            c->run();
            return check_failures ? 1 : 0;
        }
    }
    return strcmp(name, "--list") == 0 ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return run_case(argv[1]);
    if (argc == 3 && strcmp(argv[1], "--call") == 0)
        return call_function(argv[2]);
    if (argc == 3 || argc == 4)
        return make_call(argv[1], atol(argv[2]), argc == 4 ? atol(argv[3]) : 0);
    return 2;
}
