/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crash_step.c - kill at every instruction (G1, G2, G3, G5, G6)
 *
 * For each operation of the library: run it in a child, step by step, kill it
 * before the first instruction, before the second, and so on up to its end;
 * after each kill check that the channel is as it was or as the operation would
 * have left it, and that other processes can use it at once.
 *
 *     crash-step [--exhaustive] [PART OF AN OPERATION'S NAME]
 *
 * Some operations are long, because they run much libc code. A quick run kills
 * these at all places next to system calls, but only at a part of the others.
 */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "operations.h"

/* Per operation: the number of complaints printed, and of failures after which it is left. */
#define COMPLAINTS_MAX 8u
#define FAILURES_MAX 10u

/* From this length on, a quick run kills an operation only at every LONG_STRIDE-th instruction. */
#define LONG_INSTRUCTIONS 1500u
#define LONG_STRIDE 16u

struct tally {
    unsigned syscalls;
    unsigned points;   /* kills */
    unsigned failures; /* kills that left something wrong */
};

static struct {
    const struct operation *op;
    unsigned syscalls, steps;
    bool wrong;
    unsigned complaints;
} present;

void complain(const char *format, ...)
{
    va_list args;

    present.wrong = true;
    if (present.complaints++ >= COMPLAINTS_MAX)
        return;
    fprintf(stderr, "%s, killed after %u system calls and %u instructions: ", present.op->name,
            present.syscalls, present.steps);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* Run the operation without a kill; *complete is the range of messages that it leaves. */
static bool run_whole(struct world *w, const struct operation *op, struct range *complete,
                      unsigned *instructions)
{
    enum trace_place p = TRACE_LOST;
    bool ok;

    *instructions = 0;
    if (world_make(w, op)) {
        do {
            p = trace_step(&w->trace);
            ++*instructions;
        } while (p == TRACE_CODE || p == TRACE_SYSCALL);
    }
    ok = p == TRACE_END;
    world_settle(w);
    if (ok && *w->returned != op->status)
        complain("returns %s", ach_result_to_string(*w->returned));
    if (ok && op->effect != EFFECT_UNLINK && !world_range(w, complete))
        complain("leaves no channel");
    if (ok && op->effect == EFFECT_PUT)
        world_check_kept(w, complete);
    if (op->effect == EFFECT_UNLINK || op->effect == EFFECT_REPLACE)
        *complete = w->had;
    world_end(w);
    return ok && !present.wrong;
}

/* Where to kill an operation. */
struct place {
    unsigned syscalls, steps;
    bool explore; /* instead of these steps: to the next system call, and note the way */
    bool asleep;  /* in that system call, not before it */
};

/* Kill the operation at one place, and check what it left. */
static enum trace_place kill_at(struct world *w, const struct operation *op,
                                const struct place *place, struct trace_path *path,
                                const struct range *complete)
{
    enum trace_place p = TRACE_LOST;

    present.syscalls = place->syscalls;
    present.steps = place->steps;
    present.wrong = false;
    if (world_make(w, op)) {
        p = trace_pass(&w->trace, place->syscalls);
        if (p == TRACE_CODE)
            p = place->explore ? trace_explore(&w->trace, path)
                               : trace_follow(&w->trace, path, place->steps);
        if (place->asleep && p == TRACE_SYSCALL)
            p = trace_enter(&w->trace);
        if (p == TRACE_LOST)
            complain("the operation went astray");
        trace_kill(&w->trace);
        world_settle(w);
        world_check(w, complete);
    }
    world_end(w);
    return p;
}

static void count(struct tally *t)
{
    t->points++;
    t->failures += present.wrong;
}

/* Kill at the places between two system calls. */
static enum trace_place kill_stretch(struct world *w, const struct operation *op, struct tally *t,
                                     unsigned stride, const struct range *complete)
{
    static struct trace_path path;
    struct place place = {.syscalls = t->syscalls, .explore = true};
    enum trace_place end;

    path.n = 0;
    end = kill_at(w, op, &place, &path, complete);
    count(t);
    if (end == TRACE_SYSCALL && w->trace.unblock) {
        place.asleep = true;
        kill_at(w, op, &place, &path, complete);
        count(t);
    }
    place.explore = place.asleep = false;
    while (place.steps < path.n) {
        kill_at(w, op, &place, &path, complete);
        count(t);
        if (t->failures >= FAILURES_MAX)
            return TRACE_LOST;
        place.steps += place.steps < 2 ? 1 : stride;
    }
    return end;
}

static struct tally kill_operation(struct world *w, const struct operation *op, unsigned stride,
                                   bool exhaustive)
{
    struct tally t = {0};
    struct range complete = {0};
    enum trace_place p;
    unsigned instructions;

    present.op = op;
    present.complaints = 0;
    present.wrong = false;
    if (!run_whole(w, op, &complete, &instructions)) {
        complain("does not even run whole");
        t.failures++;
        return t;
    }
    if (!exhaustive && instructions >= LONG_INSTRUCTIONS)
        stride *= LONG_STRIDE;
    while ((p = kill_stretch(w, op, &t, stride, &complete)) == TRACE_SYSCALL)
        t.syscalls++;
    if (p != TRACE_END)
        t.failures++;
    printf("%-33s %5u instructions %3u system calls %5u kill points %3u failures%s\n", op->name,
           instructions, t.syscalls, t.points, t.failures, stride > 1 ? " (a part)" : "");
    fflush(stdout);
    return t;
}

static void see_if_it_makes_sense(void)
{
    const char *why = trace_missing();

#ifdef CRASH_SANITIZED
    check_skip("a sanitizer's instructions are not the library's");
#endif
    if (why)
        check_skip(why);
}

int main(int argc, char **argv)
{
    struct world *w = calloc(1, sizeof(*w));
    unsigned i, points = 0, failures = 0, scale = (unsigned)check_scale(100);
    bool asked = argc > 1 && strcmp(argv[1], "--exhaustive") == 0;
    bool exhaustive = asked || scale > 100;
    const char *part = argc > 1 + asked ? argv[1 + asked] : "";

    see_if_it_makes_sense();
    REQUIRE(w && getenv("ACH_DIR"));
    w->returned = check_shared(sizeof(*w->returned));
    REQUIRE_OK(ach_create(WORLD_SPARE, 4, 64, NULL));
    for (i = 0; i < operations_count; i++) {
        struct tally t;

        if (!strstr(operations[i].name, part))
            continue;
        t = kill_operation(w, &operations[i], exhaustive ? 1 : (99 + scale) / scale, exhaustive);
        points += t.points;
        failures += t.failures;
    }
    ach_unlink(WORLD_SPARE);
    free(w);
    printf("%u kill points, %u failures\n", points, failures);
    return failures || !points ? 1 : 0;
}
