/* SPDX-License-Identifier: BSD-3-Clause */
#include "golang.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define HEADERS_MAX 64
#define SECTIONS_MAX 256
#define NOTES_MAX 1024
#define GO_NOTE "Go" /* name of the note; compared with its NUL, padded to 4 bytes in the file */
#define SECTION_INFO ".go.buildinfo"
#define SECTION_TABLE ".gopclntab"

static bool read_all(int fd, void *to, size_t size, uint64_t offset)
{
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Notes are aligned to 4 bytes on all machines. */
static bool has_note(const char *notes, size_t size)
{
    size_t at = 0;

    while (at + sizeof(ElfW(Nhdr)) <= size) {
        ElfW(Nhdr) n;
        size_t name, text;

        memcpy(&n, notes + at, sizeof(n));
        at += sizeof(n);
        name = ((size_t)n.n_namesz + 3) & ~(size_t)3;
        text = ((size_t)n.n_descsz + 3) & ~(size_t)3;
        if (name > size - at || text > size - at - name)
            return false;
        if (n.n_namesz >= sizeof(GO_NOTE) && memcmp(notes + at, GO_NOTE, sizeof(GO_NOTE)) == 0)
            return true;
        at += name + text;
    }
    return false;
}

static bool notes_say(int fd, const ElfW(Ehdr) * e)
{
    ElfW(Phdr) h[HEADERS_MAX];
    size_t i, n = e->e_phnum < HEADERS_MAX ? e->e_phnum : HEADERS_MAX;

    if (e->e_phentsize != sizeof(h[0]) || !read_all(fd, h, n * sizeof(h[0]), e->e_phoff))
        return false;
    for (i = 0; i < n; i++) {
        char notes[NOTES_MAX];
        size_t size = h[i].p_filesz < sizeof(notes) ? (size_t)h[i].p_filesz : sizeof(notes);
        ssize_t got;

        if (h[i].p_type != PT_NOTE)
            continue;
        got = pread(fd, notes, size, (off_t)h[i].p_offset);
        if (got > 0 && has_note(notes, (size_t)got))
            return true;
    }
    return false;
}

static bool is_section_of_go(int fd, uint64_t name_at)
{
    char name[sizeof(SECTION_INFO)] = "";

    if (pread(fd, name, sizeof(name), (off_t)name_at) <= 0)
        return false;
    return memcmp(name, SECTION_INFO, sizeof(SECTION_INFO)) == 0 ||
           memcmp(name, SECTION_TABLE, sizeof(SECTION_TABLE)) == 0;
}

/* The linker option "-buildid=" omits the note; the sections remain after strip. */
static bool sections_say(int fd, const ElfW(Ehdr) * e)
{
    ElfW(Shdr) names, section;
    size_t i, n = e->e_shnum < SECTIONS_MAX ? e->e_shnum : SECTIONS_MAX;

    if (e->e_shentsize != sizeof(section) || e->e_shstrndx >= n ||
        !read_all(fd, &names, sizeof(names), e->e_shoff + e->e_shstrndx * sizeof(section)))
        return false;
    for (i = 0; i < n; i++)
        if (read_all(fd, &section, sizeof(section), e->e_shoff + i * sizeof(section)) &&
            is_section_of_go(fd, names.sh_offset + section.sh_name))
            return true;
    return false;
}

bool sim_golang_made(int fd, const ElfW(Ehdr) * header)
{
    return notes_say(fd, header) || sections_say(fd, header);
}

bool sim_golang_made_file(const char *path)
{
    ElfW(Ehdr) e;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool made;

    if (fd < 0)
        return false;
    made = read_all(fd, &e, sizeof(e), 0) && memcmp(e.e_ident, ELFMAG, SELFMAG) == 0 &&
           sim_golang_made(fd, &e);
    close(fd);
    return made;
}
