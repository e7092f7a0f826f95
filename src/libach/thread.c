/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct achi_thread achi_thread_self = {.asked = ACHI_NEVER};

static struct achi_process no_page = {.life = 1};
struct achi_process *achi_process = &no_page;

/*
 * A child of fork is another thread, maybe in another namespace. The kernel
 * wipes the page that achi_process points to, whatever made the child; kernels
 * before 4.14 cannot, and there pthread_atfork has to do.
 */
static void forget(void)
{
    achi_thread_self.asked = ACHI_NEVER;
    achi_process->cancels = 0;
}

__attribute__((constructor)) static void watch_fork(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page != MAP_FAILED && madvise(page, size, MADV_WIPEONFORK) == 0) {
        achi_process = page;
        achi_process->life = 1;
    }
    pthread_atfork(NULL, NULL, forget);
}

uint64_t achi_pid_namespace(void)
{
    struct stat st;

    return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* The number of this process's life, a new one if the page was wiped. Never 0. */
static uint32_t life(void)
{
    static uint32_t last = 1; /* a child goes on counting */
    uint32_t now = 0, next = __atomic_load_n(&last, __ATOMIC_RELAXED) + 1;

    if (!__atomic_compare_exchange_n(&achi_process->life, &now, next, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return now;
    __atomic_store_n(&last, next, __ATOMIC_RELAXED);
    return next;
}

void achi_thread_ask(void)
{
    struct achi_thread *self = &achi_thread_self;
    struct robust_list_head *head = NULL;
    size_t len = 0;
    uint32_t now = life();
    int saved = errno;

    self->pending = &self->no_slot;
    self->futex_offset = 0;
    if (syscall(SYS_get_robust_list, 0, &head, &len) == 0 && head && len == sizeof(*head)) {
        self->pending = (volatile uintptr_t *)&head->list_op_pending;
        self->futex_offset = head->futex_offset;
    }
    self->pidns = achi_pid_namespace();
    self->pid = getpid();
    self->tid = (uint32_t)syscall(SYS_gettid);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a signal handler asks again, or finds all of it */
    self->asked = now;
    errno = saved;
}
