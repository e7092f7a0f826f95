/* SPDX-License-Identifier: BSD-3-Clause */
/* board.c - the coordinator's side of the board: the file, and who has which slot */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim.h"

static ach_status_t fail(const char *what, const char *path)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot %s %s: %s", what, path, strerror(errno));
}

/* A simulation of that name that was killed may have left one; note.c has made sure that none runs. */
ach_status_t achi_board_open(struct achi_sim *s)
{
    char path[PATH_MAX];
    void *p;
    int fd;

    if (!achi_board_path(s->plan->name, path))
        return ach_errstr_set(ACH_EINVAL, "the path of the channels is too long");
    if (unlink(path) != 0 && errno != ENOENT)
        return fail("remove", path);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail("create", path);
    if (posix_fallocate(fd, 0, sizeof(struct achi_board)) != 0) {
        close(fd);
        unlink(path);
        return fail("allocate", path);
    }
    p = mmap(NULL, sizeof(struct achi_board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p == MAP_FAILED) {
        unlink(path);
        return fail("map", path);
    }
    s->board = p;
    return ACH_OK;
}

void achi_board_close(struct achi_sim *s)
{
    char path[PATH_MAX];

    if (!s->board)
        return;
    munmap(s->board, sizeof(*s->board));
    s->board = NULL;
    if (achi_board_path(s->plan->name, path))
        unlink(path);
}

static bool is_taken(const struct achi_sim *s, unsigned slot)
{
    const struct achi_sink *k = s->sinks;

    while (k && k->slot != slot)
        k = k->next;
    return k;
}

unsigned achi_board_slot(struct achi_sim *s)
{
    unsigned i;

    for (i = 1; i < ACHI_BOARD_SLOTS; i++) {
        s->slot_last = s->slot_last % (ACHI_BOARD_SLOTS - 1) + 1;
        if (is_taken(s, s->slot_last))
            continue;
        __atomic_store_n(&s->board->slots[s->slot_last], ACHI_SECTION_NONE, __ATOMIC_RELAXED);
        return s->slot_last;
    }
    return 0;
}

bool achi_board_critical(const struct achi_sim *s, const struct achi_sink *k)
{
    uint32_t section = __atomic_load_n(&s->board->slots[k->slot], __ATOMIC_ACQUIRE);

    return section == ACHI_SECTION_CRITICAL ||
           (section == ACHI_SECTION_AWAIT && k->phase == ACHI_COMPUTES);
}
