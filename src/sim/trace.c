/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.c - when each sink ran, in the trace format of Chrome, which Perfetto opens
 *
 * There are two processes in it: one has virtual times, the other wall times. Each
 * has a row for the world and for each sink.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/json_text.h"
#include "sim.h"

#define VIRTUAL 1
#define WALL 2

struct sim_trace {
    FILE *file;
    const char *between;
};

static void name(struct sim_trace *t, int process, int thread, const char *kind, const char *text)
{
    fprintf(t->file,
            "%s{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"args\":{\"name\":", t->between,
            process, thread, kind);
    json_text_write(t->file, text, strlen(text));
    fputs("}}", t->file);
    t->between = ",\n";
}

ach_status_t sim_trace_open(const char *path, const struct sim_sim *s, struct sim_trace **trace)
{
    struct sim_trace *t = malloc(sizeof(*t));
    size_t i;

    if (t)
        t->file = fopen(path, "we");
    if (!t || !t->file) {
        free(t);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot write %s: %s", path, strerror(errno));
    }
    t->between = "\n";
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", t->file);
    name(t, VIRTUAL, 0, "process_name", "virtual time");
    name(t, WALL, 0, "process_name", "wall time");
    name(t, VIRTUAL, 0, "thread_name", "world");
    name(t, WALL, 0, "thread_name", "world");
    for (i = 0; i < s->plan->n_controllers; i++) {
        name(t, VIRTUAL, (int)i + 1, "thread_name", s->plan->controllers[i].name);
        name(t, WALL, (int)i + 1, "thread_name", s->plan->controllers[i].name);
    }
    *trace = t;
    return ACH_OK;
}

/* Times are written in microseconds with three decimals. */
static void event(struct sim_trace *t, int process, int thread, const char *what, int64_t begin,
                  int64_t length)
{
    fprintf(t->file,
            "%s{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"ts\":%" PRId64 ".%03d"
            ",\"dur\":%" PRId64 ".%03d}",
            t->between, process, thread, what, begin / 1000, (int)(begin % 1000), length / 1000,
            (int)(length % 1000));
    t->between = ",\n";
}

void sim_trace_add(struct sim_trace *t, const struct sim_sink *k, const char *what, int64_t wall,
                   int64_t wall_length, int64_t time, int64_t length)
{
    int thread = k ? k->row : 0;

    if (!t || wall < 0 || length < 0)
        return;
    event(t, VIRTUAL, thread, what, time, length);
    event(t, WALL, thread, what, wall, wall_length);
}

/* A controller's first thread has the controller's row. */
void sim_trace_row(struct sim_trace *t, int row, const char *controller, unsigned thread)
{
    char text[64];

    if (!t)
        return;
    snprintf(text, sizeof(text), "%s %u", controller, thread);
    name(t, VIRTUAL, row, "thread_name", text);
    name(t, WALL, row, "thread_name", text);
}

bool sim_trace_close(struct sim_trace *t)
{
    bool good = true;

    if (t) {
        fputs("\n]}\n", t->file);
        good = fflush(t->file) == 0 && !ferror(t->file);
        good = fclose(t->file) == 0 && good;
        free(t);
    }
    return good;
}
