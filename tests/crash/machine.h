/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * machine.h - what stepping must know of the processor
 *
 * A traced child is a fork of the tracer, so its code is read in the tracer's
 * own memory, at the same addresses.
 */
#ifndef CRASH_MACHINE_H
#define CRASH_MACHINE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__) && defined(__LP64__)
#define MACHINE_KNOWN 1
#define MACHINE_PC(regs) (regs).rip
#define MACHINE_BREAKPOINT 0xcc
typedef uint8_t machine_word; /* of a breakpoint */
#elif defined(__aarch64__)
#define MACHINE_KNOWN 1
#define MACHINE_PC(regs) (regs).pc
#define MACHINE_BREAKPOINT 0xd4200000u
typedef uint32_t machine_word;
#else
#define MACHINE_KNOWN 0
#define MACHINE_PC(regs) *(unsigned long *)&(regs)
#define MACHINE_BREAKPOINT 0
typedef uint8_t machine_word;
#endif

static inline bool machine_pc(pid_t pid, uintptr_t *pc)
{
    struct user_regs_struct regs;
    struct iovec v = {.iov_base = &regs, .iov_len = sizeof(regs)};

    if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &v) != 0)
        return false;
    *pc = (uintptr_t)MACHINE_PC(regs);
    return true;
}

static inline bool machine_set_pc(pid_t pid, uintptr_t pc)
{
    struct user_regs_struct regs;
    struct iovec v = {.iov_base = &regs, .iov_len = sizeof(regs)};

    if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &v) != 0)
        return false;
    MACHINE_PC(regs) = pc;
    return ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &v) == 0;
}

static inline machine_word machine_code(uintptr_t pc)
{
    machine_word code;

    memcpy(&code, (const void *)pc, sizeof(code));
    return code;
}

#if defined(__aarch64__)

static inline bool machine_at_syscall(uintptr_t pc)
{
    return machine_code(pc) == 0xd4000001u;
}

/* Load and store exclusive, of one register: every stop in between loses the reservation. */
static inline bool machine_load_exclusive(uintptr_t pc)
{
    return (machine_code(pc) & 0x3fe00000u) == 0x08400000u;
}

static inline bool machine_store_exclusive(uintptr_t pc)
{
    return (machine_code(pc) & 0x3fe00000u) == 0x08000000u;
}

#else

static inline bool machine_at_syscall(uintptr_t pc)
{
    return memcmp((const void *)pc, "\x0f\x05", 2) == 0;
}

#endif

#endif
