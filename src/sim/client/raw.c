/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

/* One function for each machine. It is position independent: it is copied into the page. */
#if defined(__aarch64__)
__asm__(".pushsection .text\n"
        ".hidden achi_raw_begin\n.globl achi_raw_begin\n.type achi_raw_begin, %function\n"
        "achi_raw_begin:\n"
        "hint #34\n" /* bti c */
        "mov x8, x0\nmov x0, x1\nmov x1, x2\nmov x2, x3\nmov x3, x4\nmov x4, x5\nmov x5, x6\n"
        "svc #0\nret\n"
        ".hidden achi_raw_end\n.globl achi_raw_end\nachi_raw_end:\n"
        ".popsection\n");
#elif defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".hidden achi_raw_begin\n.globl achi_raw_begin\n.type achi_raw_begin, @function\n"
        "achi_raw_begin:\n"
        "endbr64\n"
        "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\nmov %r8, %r10\n"
        "mov %r9, %r8\nmov 8(%rsp), %r9\nsyscall\nret\n"
        ".hidden achi_raw_end\n.globl achi_raw_end\nachi_raw_end:\n"
        ".popsection\n");
#elif defined(__i386__)
__asm__(".pushsection .text\n"
        ".hidden achi_raw_begin\n.globl achi_raw_begin\n.type achi_raw_begin, @function\n"
        "achi_raw_begin:\n"
        "push %ebx\npush %esi\npush %edi\npush %ebp\n"
        "mov 20(%esp), %eax\nmov 24(%esp), %ebx\nmov 28(%esp), %ecx\nmov 32(%esp), %edx\n"
        "mov 36(%esp), %esi\nmov 40(%esp), %edi\nmov 44(%esp), %ebp\n"
        "int $0x80\n"
        "pop %ebp\npop %edi\npop %esi\npop %ebx\nret\n"
        ".hidden achi_raw_end\n.globl achi_raw_end\nachi_raw_end:\n"
        ".popsection\n");
#else
#error "raw.c: no system calls for this machine"
#endif

typedef long raw_fun(long number, long a, long b, long c, long d, long e, long f);

extern raw_fun achi_raw_begin;
extern const char achi_raw_end[];

/* Makes our own system calls: the code of this library, or its copy in the page the filter allows. */
static raw_fun *entry = achi_raw_begin;

static size_t code_size(void)
{
    return (size_t)(achi_raw_end - (const char *)(uintptr_t)achi_raw_begin);
}

/* Another copy of this code, in another library, may have mapped it. */
static bool use_page(void)
{
    bool same = memcmp((const void *)ACHI_RAW_PAGE, (const char *)(uintptr_t)achi_raw_begin,
                       code_size()) == 0;

    if (same)
        entry = (raw_fun *)ACHI_RAW_PAGE;
    return same;
}

bool achi_raw_map(void)
{
    size_t size = code_size();
    char *page = mmap((void *)ACHI_RAW_PAGE, ACHI_RAW_SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (page == MAP_FAILED)
        return errno == EEXIST && use_page();
    if (page == (char *)ACHI_RAW_PAGE) {
        memcpy(page, (const char *)(uintptr_t)achi_raw_begin, size);
        __builtin___clear_cache(page, page + size);
        if (mprotect(page, ACHI_RAW_SIZE, PROT_READ | PROT_EXEC) == 0) {
            entry = (raw_fun *)(uintptr_t)page;
            return true;
        }
    }
    munmap(page, ACHI_RAW_SIZE);
    return false;
}

long achi_raw(long number, long a, long b, long c, long d, long e, long f)
{
    return entry(number, a, b, c, d, e, f);
}

long achi_own_syscall(long number, ...)
{
    long a[6], r;
    va_list more;
    int i;

    va_start(more, number);
    for (i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    r = achi_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r >= 0 || r < -4095)
        return r;
    errno = (int)-r;
    return -1;
}
