/* SPDX-License-Identifier: BSD-3-Clause */
#include "instructions.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH 64u

static void do_batch(const struct op *op, void *state)
{
    if (op->prepare)
        op->prepare(state, BATCH);
    op->batch(state, BATCH);
}

void instructions_repeat(const struct op *op)
{
    void *state = op->setup(op);
    unsigned i;

    for (i = 0; i < INSTRUCTIONS_REPEAT / BATCH; i++)
        do_batch(op, state);
    op->finish(state);
}

static int open_counter(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof(attr),
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t read_counter(int fd)
{
    uint64_t n = 0;

    MUST_SYS(read(fd, &n, sizeof(n)) == (ssize_t)sizeof(n));
    return n;
}

double instructions_by_processor(const struct op *op)
{
    uint64_t before, empty, sum = 0;
    int fd = open_counter();
    void *state;
    unsigned i;

    if (fd < 0)
        return NAN;
    state = op->setup(op);
    before = read_counter(fd);
    empty = read_counter(fd) - before;
    do_batch(op, state);
    for (i = 0; i < INSTRUCTIONS_REPEAT / BATCH; i++) {
        if (op->prepare)
            op->prepare(state, BATCH);
        before = read_counter(fd);
        op->batch(state, BATCH);
        sum += read_counter(fd) - before - empty;
    }
    op->finish(state);
    close(fd);
    return (double)sum / INSTRUCTIONS_REPEAT;
}

/*
 * Exclusive loads and stores are emulated by comparing and swapping: else the machine may let one
 * fail at any time, and the count would not repeat.
 */
static void exec_valgrind(const char *symbol, const char *name, const char *out)
{
    char self[512], out_arg[600], toggle[64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int null = open("/dev/null", O_WRONLY);

    if (n < 0 || null < 0)
        _exit(127);
    self[n] = '\0';
    snprintf(out_arg, sizeof(out_arg), "--callgrind-out-file=%s", out);
    snprintf(toggle, sizeof(toggle), "--toggle-collect=%s", symbol);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execlp("valgrind", "valgrind", "--tool=callgrind", "--sim-hints=fallback-llsc", toggle, out_arg,
           self, "--repeat", name, (char *)NULL);
    _exit(127);
}

static double read_total(const char *path)
{
    unsigned long long total = 0;
    char line[256];
    FILE *f = fopen(path, "r");

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "totals: %llu", &total) == 1)
            break;
    if (f)
        fclose(f);
    return (double)total;
}

double instructions_in(const char *symbol, const char *name)
{
    char out[512];
    int status = 0;
    double total;
    pid_t pid;

    snprintf(out, sizeof(out), "%s/callgrind.out", getenv("ACH_DIR"));
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        exec_valgrind(symbol, name, out);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        return NAN;
    total = read_total(out);
    unlink(out);
    return total > 0 ? total / INSTRUCTIONS_REPEAT : NAN;
}
