/* SPDX-License-Identifier: BSD-3-Clause */
#include "instructions.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "operations.h"
#include "peer.h"

static const struct op *const ops[INSTRUCTIONS_MAX] = {&op_put, &op_get_last, &op_get_first};
static const char *const functions[INSTRUCTIONS_MAX] = {"ach_put", "ach_get:LAST", "ach_get:FIRST"};

static void repeat(const struct op *op, void *state, unsigned times)
{
    unsigned n = op->batch_max < 64 ? op->batch_max : 64;

    for (; times >= n; times -= n) {
        if (op->prepare)
            op->prepare(state, n);
        op->batch(state, n);
    }
}

int instructions_repeat(const char *name)
{
    unsigned i;

    for (i = 0; i < INSTRUCTIONS_MAX; i++) {
        if (strcmp(ops[i]->name, name) == 0) {
            void *state = ops[i]->setup();

            repeat(ops[i], state, INSTRUCTIONS_REPEAT);
            ops[i]->finish(state);
            return 0;
        }
    }
    return 2;
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

/* One batch after another, counting only the operation itself. */
static double count_by_processor(int fd, const struct op *op)
{
    void *state = op->setup();
    uint64_t before, empty, sum = 0;
    unsigned i, n = 64;

    before = read_counter(fd);
    empty = read_counter(fd) - before;
    repeat(op, state, n);
    for (i = 0; i < INSTRUCTIONS_REPEAT / n; i++) {
        if (op->prepare)
            op->prepare(state, n);
        before = read_counter(fd);
        op->batch(state, n);
        sum += read_counter(fd) - before - empty;
    }
    op->finish(state);
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
        return 0;
    total = read_total(out);
    unlink(out);
    return total / INSTRUCTIONS_REPEAT;
}

/* By the processor if there is a counter, fd. */
static unsigned count_all(int fd, struct instructions *out)
{
    unsigned i, n = 0;

    for (i = 0; i < INSTRUCTIONS_MAX; i++) {
        double count = fd >= 0 ? count_by_processor(fd, ops[i])
                               : instructions_in(ops[i]->symbol, ops[i]->name);

        if (count > 0)
            out[n++] = (struct instructions){ops[i]->name, functions[i], count};
    }
    return n;
}

unsigned instructions_count_exactly(struct instructions *out)
{
    return count_all(-1, out);
}

unsigned instructions_count(struct instructions *out, const char **how)
{
    int fd = open_counter();
    unsigned n = count_all(fd, out);

    *how = fd >= 0 ? "counted by the processor" : "counted by valgrind, inside the function";
    if (fd >= 0)
        close(fd);
    if (n == 0)
        *how = "neither a hardware counter nor valgrind is here to count them";
    return n;
}
