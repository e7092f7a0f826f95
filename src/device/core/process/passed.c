/* SPDX-License-Identifier: BSD-3-Clause */
#include "passed.h"

#include <ach.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../queue.h"

enum { PASSED, HANDLED, NOT_HANDLED };

ach_status_t dev_passed_open(struct dev_passed *p, int fd)
{
    void *marks = mmap(NULL, DEV_PASSED_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (marks == MAP_FAILED)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a process: %s", strerror(errno));
    p->marks = marks;
    return ACH_OK;
}

/* Sealed, because an access behind the end of a file that was truncated is fatal. */
ach_status_t dev_passed_create(struct dev_passed *p, int *fd)
{
    ach_status_t status;

    *fd = memfd_create("ach-driver-process", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "memfd_create: %s", strerror(errno));
    if (ftruncate(*fd, DEV_PASSED_MAX) == 0 && fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
        status = dev_passed_open(p, *fd);
    else
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a process: %s", strerror(errno));
    if (status != ACH_OK)
        close(*fd);
    return status;
}

static unsigned passed_mark(const struct dev_passed *p, uint32_t i)
{
    return __atomic_load_n(&p->marks[i], __ATOMIC_ACQUIRE);
}

/* True: there was a command, which was not handled. */
static bool passed_forget(struct dev_passed *p, uint32_t i, const char *why)
{
    ach_queue_t *sender = p->senders[i];

    if (!sender)
        return false;
    if (why)
        ach_queue_unhandled(sender, why);
    dev_queue_unref(sender);
    p->senders[i] = NULL;
    return why;
}

/* 0 is the sequence of commands that are not tracked. */
uint32_t dev_passed_add(struct dev_passed *p, ach_queue_t *sender)
{
    uint32_t i = 0, tries = DEV_PASSED_MAX;

    do {
        if (tries-- == 0)
            return 0;
        p->sequence += p->sequence == UINT32_MAX ? 2 : 1;
        i = p->sequence % DEV_PASSED_MAX;
    } while (p->senders[i] && passed_mark(p, i) == PASSED); /* the process may still handle it */
    passed_forget(p, i, passed_mark(p, i) == NOT_HANDLED ? "its driver does not handle it" : NULL);
    __atomic_store_n(&p->marks[i], PASSED, __ATOMIC_RELEASE);
    p->senders[i] = dev_queue_ref(sender);
    p->sequences[i] = p->sequence;
    return p->sequence;
}

/* The sender of a command; NULL: it is not known any more. */
static ach_queue_t *passed_find(const struct dev_passed *p, uint32_t sequence)
{
    uint32_t i = sequence % DEV_PASSED_MAX;

    return sequence && p->sequences[i] == sequence ? p->senders[i] : NULL;
}

void dev_passed_remove(struct dev_passed *p, uint32_t sequence, const char *why)
{
    if (passed_find(p, sequence))
        passed_forget(p, sequence % DEV_PASSED_MAX, why);
}

ach_queue_t *dev_passed_sender(struct dev_passed *p, uint32_t sequence)
{
    ach_queue_t *sender = passed_find(p, sequence);

    return sender ? dev_queue_ref(sender) : NULL;
}

void dev_passed_settle(struct dev_passed *p, uint32_t sequence, bool handled)
{
    if (sequence)
        __atomic_store_n(&p->marks[sequence % DEV_PASSED_MAX], handled ? HANDLED : NOT_HANDLED,
                         __ATOMIC_RELEASE);
}

void dev_passed_collect(struct dev_passed *p)
{
    uint32_t i;

    for (i = 0; p->marks && i < DEV_PASSED_MAX; i++)
        if (p->senders[i] && passed_mark(p, i) == NOT_HANDLED)
            passed_forget(p, i, "its driver does not handle it");
}

unsigned dev_passed_finish(struct dev_passed *p)
{
    unsigned lost = 0;
    uint32_t i;

    for (i = 0; p->marks && i < DEV_PASSED_MAX; i++)
        lost += passed_forget(
            p, i, passed_mark(p, i) == HANDLED ? NULL : "the process of its driver has ended");
    if (p->marks)
        munmap(p->marks, DEV_PASSED_MAX);
    p->marks = NULL;
    return lost;
}
