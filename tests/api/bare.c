/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of the core alone: it puts messages and gets them, without a C
 * library, and exits with 0 if they came out as they went in; else with the
 * line that went wrong.
 */
#include "get.h"
#include "put.h"

#define PAGE 4096u
#define FRAMES 4u

static unsigned char memory[64 * 1024] __attribute__((aligned(PAGE)));
static uint64_t wakes;

void achi_commit_wake(const struct achi_view *v, uint32_t add)
{
    wakes++;
    __atomic_fetch_add(&v->hdr->commit, add, __ATOMIC_RELEASE);
}

uint64_t achi_now(const struct achi_view *v)
{
    (void)v;
    return 42;
}

static void fill(unsigned char *p, uint64_t n, unsigned char seed)
{
    uint64_t i;

    for (i = 0; i < n; i++)
        __atomic_store_n(&p[i], (unsigned char)(seed + i), __ATOMIC_RELAXED);
}

static bool filled(const unsigned char *p, uint64_t n, unsigned char seed)
{
    uint64_t i;

    for (i = 0; i < n; i++)
        if (p[i] != (unsigned char)(seed + i))
            return false;
    return true;
}

static int round_trip(const struct achi_view *v, struct achi_cursor *cur, uint64_t n,
                      unsigned char seed)
{
    static unsigned char in[400], out[400];
    struct achi_look look;
    uint32_t word;

    fill(in, n, seed);
    if (achi_get(v, cur, out, sizeof(out), 0, &look, &word) != ACH_EAGAIN)
        return __LINE__;
    if (!achi_raise(v, &word))
        return __LINE__;
    if (achi_put(v, in, n) != ACH_OK || wakes == 0)
        return __LINE__;
    if (achi_get(v, cur, out, sizeof(out), 0, &look, &word) != ACH_OK || look.size != n)
        return __LINE__;
    return filled(out, n, seed) && look.stamp == 42 ? 0 : __LINE__;
}

static int run(void)
{
    struct ach_header *hdr = (struct ach_header *)memory;
    struct achi_cursor cur = {.seen = 0};
    struct achi_geometry g;
    struct achi_view v;
    unsigned i;

    if (achi_geometry_init(&g, FRAMES, 100, PAGE, ACHI_F_TIMESTAMPS, 0) != ACH_OK)
        return __LINE__;
    if (g.memory > sizeof(memory))
        return __LINE__;
    achi_format(hdr, &g, 1, 0, 1);
    if (achi_geometry_check(&g, hdr, g.memory, PAGE) != ACH_OK)
        return __LINE__;
    achi_view_init(&v, hdr, &g, 1);
    for (i = 1; i <= 400; i++) {
        int line = round_trip(&v, &cur, i, (unsigned char)i);

        if (line)
            return line;
    }
    return cur.received == 400 && cur.missed == 0 && wakes == 400 ? 0 : __LINE__;
}

/* _start has no return address: the stack is not aligned as in a called function. */
#if defined(__x86_64__) || defined(__i386__)
#define FIRST_FUNCTION __attribute__((noreturn, used, force_align_arg_pointer))
#else
#define FIRST_FUNCTION __attribute__((noreturn, used))
#endif

static inline void leave(long status)
{
#if defined(__x86_64__)
    __asm__ volatile("syscall" : : "a"(231L), "D"(status) : "rcx", "r11", "memory");
#elif defined(__i386__)
    __asm__ volatile("int $0x80" : : "a"(252L), "b"(status) : "memory");
#elif defined(__aarch64__)
    register long number __asm__("x8") = 94;
    register long value __asm__("x0") = status;

    __asm__ volatile("svc 0" : : "r"(number), "r"(value) : "memory");
#else
#error "add exit_group of this machine"
#endif
}

FIRST_FUNCTION void _start(void);
FIRST_FUNCTION void _start(void)
{
    int line = run();

    /* A status has eight bits. */
    leave(line > 255 ? 255 : line);
    __builtin_unreachable();
}
