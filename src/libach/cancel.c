/* SPDX-License-Identifier: BSD-3-Clause */
/* cancel.c - make a handle's waiters return */
#include "futex.h"
#include "kernel.h"
#include "notice.h"
#include "ready.h"
#include "wait.h"

enum ach_status ach_cancel(ach_channel_t *chan, const ach_cancel_attr_t *attr)
{
    struct achi_process *process = achi_process;
    struct achi_handle *h;

    (void)attr;
    if (!chan)
        return ACH_EINVAL;
    /* A canceled waiter may close the handle before we have nudged: ach_close awaits this count. */
    __atomic_fetch_add(&process->cancels, 1, __ATOMIC_SEQ_CST);
    h = __atomic_load_n(&chan->priv, __ATOMIC_SEQ_CST);
    if (h && __atomic_load_n(&h->life, __ATOMIC_RELAXED) != chan->life)
        h = NULL;
    if (h) {
        __atomic_store_n((uint32_t *)(uintptr_t)&chan->cancel, 1, __ATOMIC_SEQ_CST);
        if (achi_in_kernel(h))
            achi_kernel_cancel(h->fd);
        else if (h->readonly)
            achi_futex_wake(achi_cancel_word(chan), true);
        else
            achi_nudge_own(h);
        achi_ready_cancel(h);
    }
    __atomic_fetch_sub(&process->cancels, 1, __ATOMIC_RELEASE);
    return h ? ACH_OK : ACH_CLOSED;
}
