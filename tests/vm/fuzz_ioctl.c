/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_ioctl.c - every ioctl number, with arguments that are valid, nearly valid or random */
#include "fuzz.h"

#include <sys/ioctl.h>

static const unsigned long numbers[] = {
    ACH_KERNEL_CREATE,  ACH_KERNEL_UNLINK, ACH_KERNEL_INFO,   ACH_KERNEL_STATUS,
    ACH_KERNEL_OPTIONS, ACH_KERNEL_WAIT,   ACH_KERNEL_CANCEL, ACH_KERNEL_FLUSH,
    ACH_KERNEL_SOURCE,  ACH_KERNEL_CURSOR, ACH_KERNEL_AGAIN,  ACH_KERNEL_CREATE_TYPED,
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

union argument {
    struct ach_kernel_create create;
    struct ach_kernel_create_typed typed;
    struct ach_kernel_name name;
    struct ach_kernel_options options;
    struct ach_kernel_wait wait;
    unsigned char bytes[256];
};

static void some_name(struct fuzz *f, char *name)
{
    static const char *const odd[] = {"", ".", "..", "../x", "a/b", "a!b", "%s%n", "-"};

    switch (fuzz_below(f, 8)) {
    case 0:
        snprintf(name, ACH_KERNEL_NAME_MAX, "%s", odd[fuzz_below(f, sizeof(odd) / sizeof(*odd))]);
        break;
    case 1:
        memset(name, 'x', ACH_KERNEL_NAME_MAX - fuzz_below(f, 3));
        break;
    case 2: /* without privileges: a channel of root */
        snprintf(name, ACH_KERNEL_NAME_MAX, "%s", geteuid() ? "honest" : "fuzz-0");
        break;
    default:
        snprintf(name, ACH_KERNEL_NAME_MAX, "fuzz-%u", (unsigned)fuzz_below(f, 6));
    }
}

/* Mostly channels that can be created, some of impossible size. */
static void some_create(struct fuzz *f, struct ach_kernel_create *c)
{
    some_name(f, c->name);
    c->frame_cnt = fuzz_below(f, 4) ? 1 + fuzz_below(f, 64) : fuzz_number(f);
    c->frame_size = fuzz_below(f, 4) ? 1 + fuzz_below(f, 3000) : fuzz_number(f);
    c->flags = (uint32_t)(fuzz_below(f, 8) ? fuzz_below(f, 8) : fuzz_number(f));
    c->clock = (int32_t)(fuzz_below(f, 8) ? 0 : fuzz_number(f));
    c->mode = (uint32_t)(fuzz_below(f, 8) ? 0666 : fuzz_number(f));
    c->type_size = fuzz_below(f, 8) ? 0 : 1;
}

/* A type of any size, in memory that is there, or in part. */
static void some_typed(struct fuzz *f, struct ach_kernel_create_typed *t)
{
    static const char bytes[4096];

    some_create(f, &t->create);
    t->create.type_size = (uint32_t)(fuzz_below(f, 4) ? fuzz_below(f, 5000) : fuzz_number(f));
    t->type = fuzz_below(f, 4) ? (uintptr_t)bytes : fuzz_number(f);
}

static void some_wait(struct fuzz *f, struct ach_kernel_wait *w)
{
    w->seen = fuzz_below(f, 2) ? fuzz_below(f, 1000) : fuzz_number(f);
    w->deadline = fuzz_below(f, 2) ? check_now_ns() + fuzz_below(f, 3000000) : fuzz_number(f);
    w->clock = (int32_t)(fuzz_below(f, 2) ? 1 : fuzz_below(f, 14));
    w->flags = (uint32_t)fuzz_below(f, 3);
    w->cancels = (uint32_t)fuzz_below(f, 3);
}

static void some_argument(struct fuzz *f, unsigned long number, union argument *a)
{
    memset(a, 0, sizeof(*a));
    if (number == ACH_KERNEL_CREATE)
        some_create(f, &a->create);
    else if (number == ACH_KERNEL_CREATE_TYPED)
        some_typed(f, &a->typed);
    else if (number == ACH_KERNEL_UNLINK)
        some_name(f, a->name.name);
    else if (number == ACH_KERNEL_WAIT)
        some_wait(f, &a->wait);
    else if (number == ACH_KERNEL_OPTIONS)
        a->options = (struct ach_kernel_options){.options = (uint32_t)fuzz_below(f, 8),
                                                 .timeout = fuzz_below(f, 5000000)};
    if (fuzz_below(f, 8) == 0)
        a->bytes[fuzz_below(f, sizeof(*a))] ^= (unsigned char)(1u << fuzz_below(f, 8));
}

static unsigned long some_number(struct fuzz *f)
{
    unsigned long n = numbers[fuzz_below(f, NUMBERS)];

    switch (fuzz_below(f, 16)) {
    case 0:
        return n ^ 1ul << fuzz_below(f, 32);
    case 1:
        return _IOC(fuzz_below(f, 4), 0xAC, fuzz_below(f, 256), fuzz_below(f, 200));
    case 2:
        return (unsigned long)fuzz_number(f);
    default:
        return n;
    }
}

/* Keep a descriptor that an ioctl returned. */
static void keep(struct fuzz *f, int fd)
{
    unsigned i = (unsigned)fuzz_below(f, FDS);

    if (f->fds[i] >= 0)
        close(f->fds[i]);
    f->fds[i] = fd;
}

void fuzz_ioctl(struct fuzz *f)
{
    unsigned long number = some_number(f);
    union argument a;
    void *p = &a;
    int r;

    some_argument(f, number, &a);
    if (fuzz_below(f, 6) == 0)
        p = fuzz_address(f, _IOC_SIZE(number));
    r = ioctl(fuzz_fd(f), number, p);
    atomic_fetch_add(&fuzz_counts->ioctls, 1);
    if (r >= 0)
        atomic_fetch_add(&fuzz_counts->accepted, 1);
    if (r >= 0 && (number == ACH_KERNEL_CURSOR || number == ACH_KERNEL_AGAIN))
        keep(f, r);
}
