/* SPDX-License-Identifier: BSD-3-Clause */
/* slow_proc.c - preloaded into the coordinator: looking at a second thread takes 100 ms */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Controllers, which inherit this library, have ACH_SIM in their environment. */
static void delay(const char *path)
{
    const struct timespec t = {0, 100000000};
    int pid, tid;
    char what;

    if (sscanf(path, "/proc/%d/task/%d/sta%c", &pid, &tid, &what) == 3 && pid != tid &&
        !getenv("ACH_SIM"))
        nanosleep(&t, NULL);
}

EXPORT int open(const char *path, int flags, ...)
{
    __builtin_va_list list;
    unsigned mode = 0;

    __builtin_va_start(list, flags);
    if (flags & (O_CREAT | O_TMPFILE))
        mode = __builtin_va_arg(list, unsigned);
    __builtin_va_end(list);
    delay(path);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
