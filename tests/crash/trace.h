/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.h - run a function in a child, up to any instruction of it
 *
 * A place in a run is counted in system calls passed and instructions since
 * the last one: whole stretches between system calls are run at full speed. The
 * last one is stepped once, which tells its instructions; after that a breakpoint
 * leads close to any of them.
 */
#ifndef CRASH_TRACE_H
#define CRASH_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct trace {
    pid_t pid;
    void (*ready)(void *cx);   /* runs first, in the child, at full speed */
    void (*run)(void *cx);     /* every instruction of this is a place */
    void (*unblock)(void *cx); /* in the tracer: make a system call that sleeps return; or NULL */
    void *cx;
};

enum trace_place {
    TRACE_CODE,    /* before an instruction */
    TRACE_SYSCALL, /* before a system call */
    TRACE_ASLEEP,  /* within a system call that sleeps */
    TRACE_END,     /* the function has returned */
    TRACE_LOST     /* the child did something unexpected, which was reported on stderr */
};

#define TRACE_PATH_MAX 200000u /* more than there are instructions between two system calls */

/* Where the instructions of a stretch are, in their order. */
struct trace_path {
    unsigned n;
    uintptr_t pcs[TRACE_PATH_MAX];
};

/* Fork a child and stop it at the beginning of run. */
bool trace_start(struct trace *t);

/* Run the child for the given number of system calls. */
enum trace_place trace_pass(struct trace *t, unsigned syscalls);

/* Step to the end of the stretch, and note the way. */
enum trace_place trace_explore(struct trace *t, struct trace_path *path);

/*
 * Run the given number of instructions of a stretch that was explored. A run that differs may get
 * to the next system call.
 */
enum trace_place trace_follow(struct trace *t, const struct trace_path *path, unsigned steps);

/* Execute one instruction, or one system call. */
enum trace_place trace_step(struct trace *t);

/* Enter the next system call. Returns TRACE_ASLEEP if it sleeps, TRACE_CODE if it returned. */
enum trace_place trace_enter(struct trace *t);

/* Kill the child. It is dead when this returns, but remains a zombie until trace_reap. */
void trace_kill(struct trace *t);
void trace_reap(struct trace *t);

/* Detach from the child, so that it runs on; later wait for it: has it exited with 0? */
void trace_release(struct trace *t);
bool trace_ended_well(struct trace *t);

/* The reason why single-stepping does not work here; NULL: it works. */
const char *trace_missing(void);

/* Wait until a process sleeps. False: it ended, or did not sleep within the time limit. */
bool process_sleeps(pid_t pid);

#endif
