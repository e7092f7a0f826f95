/* SPDX-License-Identifier: BSD-3-Clause */
/* local_events.c - events of this process; those of a thread that holds a mutex are deferred */
#include "preload.h"

#define WAITERS 4096
#define PENDING_MAX 4

static unsigned waiters[WAITERS];
bool simp_shared_seen;

static __thread struct {
    unsigned held;
    unsigned n;
    sim_event_t pending[PENDING_MAX];
} self __attribute__((tls_model("initial-exec")));

sim_event_t simp_local_event(const void *address)
{
    return simc_event_address(simc_pid(), address);
}

static unsigned *counter(sim_event_t event)
{
    return &waiters[event % WAITERS];
}

void simp_local_enter(sim_event_t event)
{
    __atomic_fetch_add(counter(event), 1, __ATOMIC_SEQ_CST);
}

void simp_local_leave(sim_event_t event)
{
    __atomic_fetch_sub(counter(event), 1, __ATOMIC_SEQ_CST);
}

bool simp_local_awaited(sim_event_t event)
{
    return __atomic_load_n(counter(event), __ATOMIC_SEQ_CST) != 0;
}

void simp_local_post(sim_event_t event)
{
    if (!simc_free() || !simp_local_awaited(event))
        return;
    simc_act();
    simc_post(event);
}

void simp_local_post_pending(void)
{
    while (self.n)
        simp_local_post(self.pending[--self.n]);
}

void simp_local_post_or_keep(sim_event_t event)
{
    if (self.held && self.n < PENDING_MAX)
        self.pending[self.n++] = event;
    else
        simp_local_post(event);
}

void simp_local_hold(void)
{
    self.held++;
}

void simp_local_let_go(void)
{
    if (self.held)
        self.held--;
}
