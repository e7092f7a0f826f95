/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define BATCH 64u

void instructions_repeat(const struct op *op)
{
    void *state = op->setup(op);
    unsigned i;

    for (i = 0; i < INSTRUCTIONS_REPEAT / BATCH; i++) {
        if (op->prepare)
            op->prepare(state, BATCH);
        op->batch(state, BATCH);
    }
    release_to(0);
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
    snprintf(toggle, sizeof(toggle), "--toggle-collect=%.*s", (int)strcspn(symbol, ":"), symbol);
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
    pid_t pid;

    snprintf(out, sizeof(out), "%s/callgrind.out", getenv("ACH_DIR"));
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        exec_valgrind(symbol, name, out);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0 || read_total(out) <= 0)
        attempt_fail("there is no valgrind that can count them");
    return read_total(out) / INSTRUCTIONS_REPEAT;
}
