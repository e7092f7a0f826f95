/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.h - run a function in a child, up to any instruction of it
 *
 * A place in a run is counted in system calls passed and instructions since
 * the last one: whole stretches between system calls are run at full speed,
 * and only the last stretch is stepped.
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
    TRACE_LOST     /* the child did something else; said on stderr */
};

/* Fork a child and stop it at the beginning of run. */
bool trace_start(struct trace *t);

/* Go on, to a place that so many system calls and then so many instructions away. */
enum trace_place trace_go(struct trace *t, unsigned syscalls, unsigned steps);

/* One instruction on. */
enum trace_place trace_step(struct trace *t);

/* Enter the system call that the child is before. TRACE_ASLEEP, or TRACE_CODE if it returned. */
enum trace_place trace_enter(struct trace *t);

/* Kill the child. It is dead when this returns, but remains a zombie until trace_reap. */
void trace_kill(struct trace *t);
void trace_reap(struct trace *t);

/* Let the child run on by itself, and see that it ends well. */
void trace_release(struct trace *t);
bool trace_ended_well(struct trace *t);

/* Why there is no stepping here, or NULL. */
const char *trace_missing(void);

/* The state of a process as /proc shows it: 'S' sleeps, 'R' runs, 'Z' is dead; 0: gone. */
char process_state(pid_t pid);

/* Wait until a process sleeps. False: it did not, for long. */
bool process_sleeps(pid_t pid);

#endif
