/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.c - checks the headers of an executable file
 *
 * The dynamic linker of glibc loads the library that shows virtual time. Statically linked
 * programs, and Go programs, which call the kernel directly, would see real time.
 */
#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golang.h"

#define SCRIPTS_MAX 5 /* nested #! interpreters; the kernel's limit */
#define HEADERS_MAX 64

#if defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#elif defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#else
#define OWN_MACHINE EM_386
#endif
#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

static bool refuse(char *why, const char *path, const char *because)
{
    snprintf(why, SIM_PROGRAM_WHY, "%s %s", path, because);
    return false;
}

static bool good_linker(int fd, const ElfW(Phdr) * h)
{
    char name[PATH_MAX] = "";
    size_t size = h->p_filesz < sizeof(name) - 1 ? (size_t)h->p_filesz : sizeof(name) - 1;
    const char *base;

    if (pread(fd, name, size, (off_t)h->p_offset) <= 0)
        return false;
    base = strrchr(name, '/');
    return strncmp(base ? base + 1 : name, "ld-linux", 8) == 0;
}

/* The dynamic linker itself may be started with a program as its argument. */
static bool is_linker(const char *path)
{
    char real[PATH_MAX];
    const char *base = realpath(path, real) ? strrchr(real, '/') : NULL;

    return base && strncmp(base + 1, "ld-", 3) == 0;
}

static bool good_elf(int fd, const char *path, const ElfW(Ehdr) * e, char *why)
{
    ElfW(Phdr) h[HEADERS_MAX];
    size_t i, n = e->e_phnum < HEADERS_MAX ? e->e_phnum : HEADERS_MAX;
    bool dynamic = false;

    if (e->e_phentsize != sizeof(h[0]) ||
        pread(fd, h, n * sizeof(h[0]), (off_t)e->e_phoff) != (ssize_t)(n * sizeof(h[0])))
        return true;
    if (sim_golang_made(fd, e))
        return refuse(why, path, SIM_GOLANG_WHY);
    for (i = 0; i < n; i++) {
        if (h[i].p_type == PT_INTERP && !good_linker(fd, &h[i]))
            return refuse(why, path, "needs another C library than glibc");
        dynamic |= h[i].p_type == PT_INTERP;
    }
    return dynamic || is_linker(path) ||
           refuse(why, path, "is statically linked, and loads no library");
}

static bool good(const char *path, unsigned depth, char *why);

/* #! INTERPRETER [ARGUMENT] */
static bool good_script(char *line, unsigned depth, char *why)
{
    char *name = line + 2 + strspn(line + 2, " \t");

    name[strcspn(name, " \t\n")] = '\0';
    return depth >= SCRIPTS_MAX || good(name, depth + 1, why);
}

static bool good(const char *path, unsigned depth, char *why)
{
    union {
        ElfW(Ehdr) elf;
        char text[256];
    } head = {.text = ""};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    bool fine = true;

    if (fd < 0)
        return true;
    n = pread(fd, head.text, sizeof(head.text) - 1, 0);
    if (n >= (ssize_t)sizeof(head.elf) && memcmp(head.text, ELFMAG, SELFMAG) == 0) {
        if (head.elf.e_ident[EI_CLASS] != OWN_CLASS || head.elf.e_machine != OWN_MACHINE)
            fine = refuse(why, path, "is for another machine than the simulation's library");
        else
            fine = good_elf(fd, path, &head.elf, why);
    } else if (n > 2 && memcmp(head.text, "#!", 2) == 0) {
        fine = good_script(head.text, depth, why);
    }
    close(fd);
    return fine;
}

bool sim_program_good(const char *path, char *why)
{
    return good(path, 0, why);
}

bool sim_program_find(const char *name, char *path, size_t size)
{
    const char *list = getenv("PATH");

    if (!*name)
        return false;
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        return true;
    }
    for (list = list ? list : "/bin:/usr/bin"; list; list = strchr(list, ':')) {
        list += *list == ':';
        snprintf(path, size, "%.*s%s%s", (int)strcspn(list, ":"), list,
                 strcspn(list, ":") ? "/" : "./", name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}
