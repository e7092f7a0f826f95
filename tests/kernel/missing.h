/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * missing.h - memory whose page faults userfaultfd holds back
 *
 * A thread that touches it sleeps in the kernel until missing_give, or for ever.
 */
#ifndef MISSING_H
#define MISSING_H

#include <check.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

/* NULL if this system or user has no userfaultfd. The caller closes the descriptor. */
static inline void *missing_memory(size_t size, int *uffd)
{
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register reg = {.mode = UFFDIO_REGISTER_MODE_MISSING};
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(p != MAP_FAILED);
    *uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    if (*uffd < 0)
        return NULL;
    reg.range.start = (uintptr_t)p;
    reg.range.len = size;
    REQUIRE(ioctl(*uffd, UFFDIO_API, &api) == 0 && ioctl(*uffd, UFFDIO_REGISTER, &reg) == 0);
    return p;
}

/* Provide all pages, filled with zeros. */
static inline void missing_give(int uffd, void *p, size_t size)
{
    struct uffdio_zeropage z = {.range = {.start = (uintptr_t)p, .len = size}};

    CHECK(ioctl(uffd, UFFDIO_ZEROPAGE, &z) == 0);
}

#endif
