/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* PIDFD_GET_PID_NAMESPACE of <linux/pidfd.h>, which may be older than the kernel. */
#define GET_PID_NAMESPACE _IO(0xff, 5)

/* Cancels take microseconds; wait up to a second for a thread that was stopped in ach_cancel. */
#define CANCEL_LOOK_NS 50000l
#define CANCEL_LOOKS 20000

__thread struct achi_thread achi_thread_self = {.asked = ACHI_NEVER};

static struct achi_process no_page = {.life = 1};
struct achi_process *achi_process = &no_page;

static uint32_t life_at_fork;

/*
 * A child of fork has another thread id, maybe in another namespace. The kernel
 * wipes the page that achi_process points to in every child; kernels before
 * 4.14 cannot, and there pthread_atfork does it.
 */
static void remember(void)
{
    __atomic_store_n(&life_at_fork, __atomic_load_n(&achi_process->life, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
}

static void forget(void)
{
    if (achi_process->life != life_at_fork) /* wiped, and maybe used by another handler */
        return;
    achi_process->life = 0;
    achi_process->cancels = 0;
    achi_process->handles = 0;
    achi_process->sources = 0;
}

__attribute__((constructor)) static void watch_fork(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page != MAP_FAILED && madvise(page, size, MADV_WIPEONFORK) == 0) {
        achi_process = page;
        achi_process->life = 1;
    }
    pthread_atfork(remember, NULL, forget);
}

/* The PID namespace without /proc. Needs Linux 6.11. */
static int namespace_fd(void)
{
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    int fd = -1;

    if (self >= 0) {
        fd = ioctl(self, GET_PID_NAMESPACE, 0);
        close(self);
    }
    return fd;
}

/* The calling process's PID namespace, or 0 if unknown. */
static uint64_t pid_namespace(void)
{
    struct stat st;
    uint64_t ns = 0;
    int fd;

    if (stat("/proc/self/ns/pid", &st) == 0)
        return st.st_ino;
    fd = namespace_fd();
    if (fd >= 0) {
        if (fstat(fd, &st) == 0)
            ns = st.st_ino;
        close(fd);
    }
    return ns;
}

/* This process's life; a new number if the page was wiped. Never 0. */
static uint32_t life(void)
{
    static uint32_t last = 1; /* a child continues its parent's count */
    uint32_t now = 0, next = __atomic_load_n(&last, __ATOMIC_RELAXED) + 1;

    if (!__atomic_compare_exchange_n(&achi_process->life, &now, next, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return now;
    __atomic_store_n(&last, next, __ATOMIC_RELAXED);
    return next;
}

/* A child of clone(2), and a thread of some C libraries, has no robust list: register ours. */
static struct robust_list_head *robust_list(struct achi_thread *self)
{
    struct robust_list_head *head = NULL;
    size_t len = 0;

    bool known = syscall(SYS_get_robust_list, 0, &head, &len) == 0;

    if (known && head && len == sizeof(*head))
        return head;
    self->own = (struct robust_list_head){.list.next = &self->own.list};
    if (known && !head)
        syscall(SYS_set_robust_list, &self->own, sizeof(self->own));
    return &self->own; /* registered or not */
}

void achi_thread_ask(void)
{
    struct achi_thread *self = &achi_thread_self;
    uint32_t now = life();
    int saved = errno;
    struct robust_list_head *head = robust_list(self);
    bool scarce; /* out of files or memory: ask again next time */

    self->pending = (volatile uintptr_t *)&head->list_op_pending;
    self->futex_offset = head->futex_offset;
    errno = 0;
    self->pidns = pid_namespace();
    scarce = !self->pidns && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
    self->process = (uint64_t)now << 32 | (uint32_t)getpid();
    self->tid = (uint32_t)syscall(SYS_gettid);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a signal handler sees all fields, or asks again */
    self->asked = scarce ? ACHI_NEVER : now;
    errno = saved;
}

void achi_await_cancels(void)
{
    const struct timespec pause = {.tv_nsec = CANCEL_LOOK_NS};
    int i;

    for (i = 0; i < CANCEL_LOOKS; i++) {
        if (__atomic_load_n(&achi_process->cancels, __ATOMIC_SEQ_CST) == 0)
            return;
        nanosleep(&pause, NULL);
    }
}
