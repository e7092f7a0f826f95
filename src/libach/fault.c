/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.c - a SIGBUS handler for channels whose files were truncated
 *
 * The handler runs in the thread that touched the memory, at any instruction: of a put that holds
 * the lock, of a program that reads a view or fills a reservation. It returns there, and does not
 * jump out. It replaces all of the channel's memory by private memory: zeros, and the state of a
 * channel that was replaced. The interrupted code handles zeros safely, since it trusts no shared
 * memory; and it ends soon with ACH_CORRUPT, since every call checks the state.
 */
#include "fault.h"

#include <ach.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "error.h"
#include "handle.h"

/* The base of an area that is being filled in; no mapping begins at address 1. */
#define TAKEN 1u

static struct achi_area *areas;
static struct sigaction before; /* written before the handler can run */
static bool installed;
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

/* Take the area of a channel that was closed. NULL: there is none. */
static struct achi_area *area_reuse(void)
{
    struct achi_area *a;

    for (a = __atomic_load_n(&areas, __ATOMIC_ACQUIRE); a; a = a->next) {
        uintptr_t unused = 0;

        if (__atomic_compare_exchange_n(&a->base, &unused, TAKEN, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return a;
    }
    return NULL;
}

struct achi_area *achi_area_add(const void *base, size_t size)
{
    struct achi_area *a = area_reuse(), *fresh = NULL;

    if (!a)
        a = fresh = malloc(sizeof(*a));
    if (!a)
        return NULL;
    __atomic_store_n(&a->size, size, __ATOMIC_RELAXED);
    __atomic_store_n(&a->lost, false, __ATOMIC_RELAXED);
    __atomic_store_n(&a->base, (uintptr_t)base, __ATOMIC_RELEASE);
    if (!fresh)
        return a;
    fresh->next = __atomic_load_n(&areas, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&areas, &fresh->next, fresh, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return fresh;
}

void achi_area_remove(struct achi_area *a)
{
    if (a)
        __atomic_store_n(&a->base, 0, __ATOMIC_RELEASE);
}

/* Other areas may be added and removed meanwhile, but not the one that this thread is using. */
static struct achi_area *area_at(const void *address)
{
    struct achi_area *a;

    for (a = __atomic_load_n(&areas, __ATOMIC_ACQUIRE); a; a = a->next) {
        uintptr_t base = __atomic_load_n(&a->base, __ATOMIC_ACQUIRE);
        size_t size = __atomic_load_n(&a->size, __ATOMIC_RELAXED);

        if (base > TAKEN && (uintptr_t)address - base < size)
            return a;
    }
    return NULL;
}

/* One mremap, so that other threads see the old memory or a closed channel. */
static bool area_replace(struct achi_area *a)
{
    void *base = (void *)a->base;
    struct ach_header *hdr = mmap(NULL, a->size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (hdr == MAP_FAILED)
        return false;
    hdr->state = ACHI_REPLACED;
    if (mremap(hdr, a->size, a->size, MREMAP_MAYMOVE | MREMAP_FIXED, base) == MAP_FAILED) {
        munmap(hdr, a->size);
        return false;
    }
    __atomic_store_n(&a->lost, true, __ATOMIC_RELAXED);
    return true;
}

/* The address is not in a channel: do what would happen without this handler. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
    const struct sigaction standard = {.sa_handler = SIG_DFL};

    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(sig, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(sig);
    } else if (before.sa_handler == SIG_DFL || info->si_code > 0) {
        sigaction(sig, &standard, NULL); /* the access is repeated, and ends the process */
        if (info->si_code <= 0)
            raise(sig); /* sent by a process, not caused by an access */
    }
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    struct achi_area *a = info->si_code == BUS_ADRERR ? area_at(info->si_addr) : NULL;

    if (!a || !area_replace(a))
        pass_on(sig, info, context);
    errno = saved;
}

enum ach_status ach_handle_sigbus(void)
{
    const struct sigaction action = {.sa_sigaction = on_sigbus,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};
    enum ach_status r = ACH_OK;

    pthread_mutex_lock(&installing);
    if (!installed) {
        installed = sigaction(SIGBUS, NULL, &before) == 0 && sigaction(SIGBUS, &action, NULL) == 0;
        if (!installed)
            r = achi_fail_errno("cannot handle SIGBUS");
    }
    pthread_mutex_unlock(&installing);
    return r;
}
