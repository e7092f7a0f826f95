/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vdso.c - the vDSO
 *
 * The C library and others have found the vDSO's functions already, or find them through the
 * auxiliary vector. So the functions stay where they are, and their code is replaced in this
 * process by the system call.
 */
#include "vdso.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "preload.h"

static const struct {
    const char *name;
    uint32_t number;
} functions[] = {
#if defined(__aarch64__)
    {"__kernel_clock_gettime", SYS_clock_gettime},
    {"__kernel_gettimeofday", SYS_gettimeofday},
    {"__kernel_clock_getres", SYS_clock_getres},
#else
    {"__vdso_clock_gettime", SYS_clock_gettime},     {"__vdso_gettimeofday", SYS_gettimeofday},
    {"__vdso_clock_getres", SYS_clock_getres},       {"__vdso_time", SYS_time},
#ifdef SYS_clock_gettime64
    {"__vdso_clock_gettime64", SYS_clock_gettime64},
#endif
#endif
};

#define CODE_MAX 32

/* A function that makes the system call with its own arguments. Returns its size. */
static size_t make_code(unsigned char *code, uint32_t number)
{
#if defined(__aarch64__)
    const uint32_t words[] = {0xd503245f,                 /* bti c */
                              0xd2800008 | (number << 5), /* mov x8, #number */
                              0xd4000001,                 /* svc #0 */
                              0xd65f03c0};                /* ret */

    memcpy(code, words, sizeof(words));
    return sizeof(words);
#elif defined(__x86_64__)
    static const unsigned char before[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xb8}; /* endbr64; mov $ */
    static const unsigned char after[] = {0x0f, 0x05, 0xc3};              /* , %eax; syscall; ret */

    memcpy(code, before, sizeof(before));
    memcpy(code + sizeof(before), &number, 4);
    memcpy(code + sizeof(before) + 4, after, sizeof(after));
    return sizeof(before) + 4 + sizeof(after);
#else
    static const unsigned char before[] = {0x53,                   /* push %ebx */
                                           0x8b, 0x5c, 0x24, 0x08, /* mov 8(%esp), %ebx */
                                           0x8b, 0x4c, 0x24, 0x0c, /* mov 12(%esp), %ecx */
                                           0xb8};                  /* mov $ */
    static const unsigned char after[] = {0xcd, 0x80, 0x5b, 0xc3}; /* int $0x80; pop %ebx; ret */

    memcpy(code, before, sizeof(before));
    memcpy(code + sizeof(before), &number, 4);
    memcpy(code + sizeof(before) + 4, after, sizeof(after));
    return sizeof(before) + 4 + sizeof(after);
#endif
}

/* If the mapping is sealed and mprotect fails, write through /proc/self/mem, as debuggers do. */
static bool write_code(char *to, const unsigned char *code, size_t size)
{
    uintptr_t page = (uintptr_t)to & ~(uintptr_t)4095;
    size_t length = (uintptr_t)to + size - page;
    bool done;
    int fd;

    if (mprotect((void *)page, length, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
        memcpy(to, code, size);
        __builtin___clear_cache(to, to + size);
        return mprotect((void *)page, length, PROT_READ | PROT_EXEC) == 0;
    }
    fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    done = fd >= 0 && pwrite(fd, code, size, (off_t)(uintptr_t)to) == (ssize_t)size;
    if (fd >= 0)
        syscall(SYS_close, fd);
    return done;
}

struct image {
    const char *base; /* load address: symbol values are relative to it */
    const ElfW(Sym) * symbols;
    const char *names;
    size_t n;
};

static bool read_image(struct image *m)
{
    const char *start = (const char *)getauxval(AT_SYSINFO_EHDR);
    const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)start;
    const ElfW(Phdr) *h = (const ElfW(Phdr) *)(start + e->e_phoff);
    const ElfW(Dyn) *d = NULL;
    const uint32_t *hash = NULL;
    unsigned i;

    m->base = start;
    for (i = 0; i < e->e_phnum; i++) {
        if (h[i].p_type == PT_LOAD)
            m->base = start + h[i].p_offset - h[i].p_vaddr;
        if (h[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(start + h[i].p_offset);
    }
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            m->symbols = (const ElfW(Sym) *)(m->base + d->d_un.d_ptr);
        if (d->d_tag == DT_STRTAB)
            m->names = m->base + d->d_un.d_ptr;
        if (d->d_tag == DT_HASH)
            hash = (const uint32_t *)(m->base + d->d_un.d_ptr);
    }
    if (!m->symbols || !m->names)
        return false;
    /* Newer kernels have no DT_HASH. The string table follows the symbol table. */
    m->n = hash ? hash[1] : (size_t)(m->names - (const char *)m->symbols) / sizeof(ElfW(Sym));
    return true;
}

static bool hide(const struct image *m, const ElfW(Sym) * s, uint32_t number)
{
    unsigned char code[CODE_MAX];
    size_t size = make_code(code, number);

    return s->st_size >= size && write_code((char *)(uintptr_t)(m->base + s->st_value), code, size);
}

bool simp_vdso_hide(void)
{
    struct image m = {0};
    size_t i, k;

    if (!getauxval(AT_SYSINFO_EHDR))
        return true;
    if (!read_image(&m))
        return false;
    for (i = 0; i < m.n; i++)
        for (k = 0; k < sizeof(functions) / sizeof(functions[0]); k++)
            if (m.symbols[i].st_shndx != SHN_UNDEF &&
                strcmp(m.names + m.symbols[i].st_name, functions[k].name) == 0 &&
                !hide(&m, &m.symbols[i], functions[k].number))
                return false;
    return true;
}
