/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - start of the library, and end of the process when the simulation is over */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "alarm.h"
#include "exec.h"
#include "futex.h"
#include "handle.h"
#include "pending.h"
#include "trap.h"

#define STATUS_TERMINATED 143

static void end_process(void)
{
    simc_exit();
    simp_signals_unblock(); /* the program may have a handler */
    kill(getpid(), SIGTERM);
    _exit(STATUS_TERMINATED);
}

/* Reset in a child of fork: descriptors are the parent's, and its threads may have held locks. */
static void init_in_child(void)
{
    simp_files_forget();
    simp_handles_forked();
    simp_alarms_forget();
    simp_signals_forget();
    simp_futexes_forget();
}

__attribute__((constructor)) static void begin(void)
{
    achi_sim_over = end_process;
    if (!simc_active())
        return;
    simp_exec_begin();
    simp_trap_begin();
    simp_signals_begin();
    simc_hello(0, NULL, NULL);
    pthread_atfork(NULL, NULL, init_in_child);
    simp_thread_watch();
}
