/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * system.c - features of the system that runs the tests
 *
 * Emulators and old kernels lack some kinds of futexes. The library falls back
 * on slower or weaker ways; tests that need the full features check for them here.
 */
#include "conformance.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

bool have_pi_futexes(void)
{
    uint32_t word = 0;

    if (syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) != 0)
        return false;
    return syscall(SYS_futex, &word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0;
}

bool have_robust_lists(void)
{
    void *head = NULL;
    size_t len = 0;

    return !emulated() && syscall(SYS_get_robust_list, 0, &head, &len) == 0;
}

bool have_nameless_files(void)
{
    int fd = open(getenv("ACH_DIR"), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool under_thread_sanitizer(void)
{
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
    return true;
#else
    return false;
#endif
}

bool emulated(void)
{
    const char *wrapper = getenv("ACH_TEST_WRAPPER");

    return wrapper && strstr(wrapper, "qemu");
}
