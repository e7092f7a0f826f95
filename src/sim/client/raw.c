/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

/* The system call, per machine. Position-independent code: it is copied into the page. */
#if defined(__aarch64__)
__asm__(".pushsection .text\n"
        ".hidden simc_raw_begin\n.globl simc_raw_begin\n.type simc_raw_begin, %function\n"
        "simc_raw_begin:\n"
        "hint #34\n" /* bti c */
        "mov x8, x0\nmov x0, x1\nmov x1, x2\nmov x2, x3\nmov x3, x4\nmov x4, x5\nmov x5, x6\n"
        "svc #0\nret\n"
        ".hidden simc_raw_end\n.globl simc_raw_end\nsimc_raw_end:\n"
        ".popsection\n");
#elif defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".hidden simc_raw_begin\n.globl simc_raw_begin\n.type simc_raw_begin, @function\n"
        "simc_raw_begin:\n"
        "endbr64\n"
        "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\nmov %r8, %r10\n"
        "mov %r9, %r8\nmov 8(%rsp), %r9\nsyscall\nret\n"
        ".hidden simc_raw_end\n.globl simc_raw_end\nsimc_raw_end:\n"
        ".popsection\n");
#elif defined(__i386__)
__asm__(".pushsection .text\n"
        ".hidden simc_raw_begin\n.globl simc_raw_begin\n.type simc_raw_begin, @function\n"
        "simc_raw_begin:\n"
        "push %ebx\npush %esi\npush %edi\npush %ebp\n"
        "mov 20(%esp), %eax\nmov 24(%esp), %ebx\nmov 28(%esp), %ecx\nmov 32(%esp), %edx\n"
        "mov 36(%esp), %esi\nmov 40(%esp), %edi\nmov 44(%esp), %ebp\n"
        "int $0x80\n"
        "pop %ebp\npop %edi\npop %esi\npop %ebx\nret\n"
        ".hidden simc_raw_end\n.globl simc_raw_end\nsimc_raw_end:\n"
        ".popsection\n");
#else
#error "raw.c: no system calls for this machine"
#endif

typedef long raw_fun(long number, long a, long b, long c, long d, long e, long f);

extern raw_fun simc_raw_begin;
extern const char simc_raw_end[];

/* The function that makes system calls: in this library, or its copy in the allowed page. */
static raw_fun *entry = simc_raw_begin;

static size_t code_size(void)
{
    return (size_t)(simc_raw_end - (const char *)(uintptr_t)simc_raw_begin);
}

/* Another library with a copy of this code may have mapped the page. */
static bool use_page(void)
{
    bool same = memcmp((const void *)SIMC_RAW_PAGE, (const char *)(uintptr_t)simc_raw_begin,
                       code_size()) == 0;

    if (same)
        entry = (raw_fun *)SIMC_RAW_PAGE;
    return same;
}

bool simc_raw_map(void)
{
    size_t size = code_size();
    char *page = mmap((void *)SIMC_RAW_PAGE, SIMC_RAW_SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (page == MAP_FAILED)
        return errno == EEXIST && use_page();
    if (page == (char *)SIMC_RAW_PAGE) {
        memcpy(page, (const char *)(uintptr_t)simc_raw_begin, size);
        __builtin___clear_cache(page, page + size);
        if (mprotect(page, SIMC_RAW_SIZE, PROT_READ | PROT_EXEC) == 0) {
            entry = (raw_fun *)(uintptr_t)page;
            return true;
        }
    }
    munmap(page, SIMC_RAW_SIZE);
    return false;
}

long simc_raw(long number, long a, long b, long c, long d, long e, long f)
{
    return entry(number, a, b, c, d, e, f);
}

long simc_own_syscall(long number, ...)
{
    long a[6], r;
    va_list more;
    int i;

    va_start(more, number);
    for (i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    r = simc_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r >= 0 || r < -4095)
        return r;
    errno = (int)-r;
    return -1;
}
