/* SPDX-License-Identifier: BSD-3-Clause */
/* board.c - the board and its slots, and the FIFO that is open while the coordinator lives */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim.h"

static ach_status_t fail(const char *what, const char *path)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot %s %s: %s", what, path, strerror(errno));
}

static ach_status_t map_board(struct sim_sim *s, int fd, const char *path)
{
    void *p;

    errno = posix_fallocate(fd, 0, sizeof(struct sim_board));
    if (errno != 0)
        return fail("allocate", path);
    p = mmap(NULL, sizeof(struct sim_board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return fail("map", path);
    s->board = p;
    return ACH_OK;
}

/* In a sticky directory such as /dev/shm only the owner can remove a file: name the owner. */
static ach_status_t not_removed(const char *path)
{
    const char *why = strerror(errno);
    struct stat st;

    if (lstat(path, &st) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot remove %s: %s", path, why);
    return ach_errstr_set(ACH_EACCES, "%s belongs to user %u and cannot be removed: %s", path,
                          (unsigned)st.st_uid, why);
}

/* Remove a file left by a killed simulation of this name; note.c has checked that none runs. */
static ach_status_t vacate(const struct sim_sim *s, const char *what, char path[PATH_MAX])
{
    if (!sim_path(s->plan->name, what, path))
        return ach_errstr_set(ACH_EINVAL, "the path of the channels is too long");
    return unlink(path) == 0 || errno == ENOENT ? ACH_OK : not_removed(path);
}

static ach_status_t make_board(struct sim_sim *s)
{
    char path[PATH_MAX];
    ach_status_t status = vacate(s, "board", path);
    int fd;

    if (status != ACH_OK)
        return status;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail("create", path);
    status = map_board(s, fd, path);
    close(fd);
    return status;
}

static ach_status_t make_life(struct sim_sim *s)
{
    char path[PATH_MAX];
    ach_status_t status = vacate(s, "life", path);

    if (status != ACH_OK)
        return status;
    if (mkfifo(path, 0600) != 0)
        return fail("create", path);
    s->life = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    return s->life >= 0 ? ACH_OK : fail("open", path);
}

ach_status_t sim_board_open(struct sim_sim *s)
{
    ach_status_t status;

    s->life = -1;
    status = make_board(s);
    return status == ACH_OK ? make_life(s) : status;
}

/* Also after sim_board_open has failed halfway. */
void sim_board_close(struct sim_sim *s)
{
    char path[PATH_MAX];

    if (s->board)
        munmap(s->board, sizeof(*s->board));
    if (s->life >= 0)
        close(s->life);
    s->board = NULL;
    s->life = -1;
    if (sim_path(s->plan->name, "board", path))
        unlink(path);
    if (sim_path(s->plan->name, "life", path))
        unlink(path);
}

static bool is_taken(const struct sim_sim *s, unsigned slot)
{
    const struct sim_sink *k = s->sinks;

    while (k && k->slot != slot)
        k = k->next;
    return k;
}

unsigned sim_board_slot(struct sim_sim *s)
{
    unsigned i;

    for (i = 1; i < SIM_BOARD_SLOTS; i++) {
        s->slot_last = s->slot_last % (SIM_BOARD_SLOTS - 1) + 1;
        if (is_taken(s, s->slot_last))
            continue;
        s->board->slots[s->slot_last] = (struct sim_slot){.section = SIM_SECTION_NONE};
        return s->slot_last;
    }
    return 0;
}

static uint32_t section_of(const struct sim_sim *s, const struct sim_sink *k)
{
    return __atomic_load_n(&s->board->slots[k->slot].section, __ATOMIC_ACQUIRE);
}

bool sim_board_parked(const struct sim_sim *s, const struct sim_sink *k)
{
    return section_of(s, k) == SIM_SECTION_PARKED;
}

static void want(struct sim_sim *s, const struct sim_sink *k)
{
    __atomic_store_n(&s->board->slots[k->slot].wanted, 1, __ATOMIC_SEQ_CST);
}

void sim_board_want(struct sim_sim *s, const struct sim_sink *k)
{
    const struct sim_sink *other;

    for (other = s->sinks; other; other = other->next)
        if (other->pid == k->pid && section_of(s, other) != SIM_SECTION_AWAIT)
            want(s, other);
}

void sim_board_want_others(struct sim_sim *s, const struct sim_sink *k)
{
    const struct sim_sink *other;

    for (other = s->sinks; other; other = other->next)
        if (other != k && other->pid == k->pid && other->phase == SIM_COMPUTES)
            want(s, other);
}

void sim_board_release(struct sim_sim *s, const struct sim_sink *k)
{
    const struct sim_sink *other;

    for (other = s->sinks; other; other = other->next) {
        uint32_t *wanted = &s->board->slots[other->slot].wanted;

        if (other->pid == k->pid && __atomic_load_n(wanted, __ATOMIC_RELAXED) &&
            __atomic_exchange_n(wanted, 0, __ATOMIC_SEQ_CST))
            syscall(SYS_futex, wanted, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

bool sim_board_critical(const struct sim_sim *s, const struct sim_sink *k)
{
    uint32_t section = section_of(s, k);

    return section == SIM_SECTION_CRITICAL ||
           (section == SIM_SECTION_AWAIT && k->phase == SIM_COMPUTES);
}
