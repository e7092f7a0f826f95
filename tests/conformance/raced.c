/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * raced.c - a channel is removed, and another created, while it is being replaced
 *
 * The library exchanges two files with renameat2. This program overrides it, to
 * do what other processes may do just before and just after the exchange.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#define CHAN "c"

static void (*before)(void), (*after)(void);
static ach_channel_t theirs;
static char path[4096];

static void once(void (**fun)(void))
{
    void (*it)(void) = *fun;
    int saved = errno;

    *fun = NULL;
    if (it)
        it();
    errno = saved;
}

int renameat2(int old_dir, const char *old, int new_dir, const char *new_, unsigned flags)
{
    int r;

    once(&before);
    r = (int)syscall(SYS_renameat2, old_dir, old, new_dir, new_, flags);
    once(&after);
    return r;
}

static void remove_it(void)
{
    REQUIRE(unlink(path) == 0);
}

static void make_another(void)
{
    REQUIRE_OK(ach_create(CHAN, 4, 64, NULL));
    REQUIRE_OK(ach_open(&theirs, CHAN, NULL));
}

static bool replaced(const ach_channel_t *chan)
{
    ach_info_t info;

    REQUIRE_OK(ach_channel_info(chan, &info));
    return info.replaced;
}

static enum ach_status truncate_it(void)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    return ach_create(CHAN, 4, 64, &attr);
}

/* A channel created meanwhile is replaced too, and its users are notified. */
static void truncated(void)
{
    REQUIRE_OK(ach_create(CHAN, 4, 64, NULL));
    before = remove_it;
    after = make_another;
    CHECK_OK(truncate_it());
    CHECK(replaced(&theirs));
    CHECK_OK(ach_close(&theirs));
    CHECK_OK(ach_unlink(CHAN));
}

/* A good channel created meanwhile in the place of a damaged one stays. */
static void corrupt(void)
{
    ach_create_attr_t attr;
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    REQUIRE(fd >= 0 && write(fd, "junk", 4) == 4);
    close(fd);
    ach_create_attr_init(&attr);
    ach_create_attr_set_replace_corrupt(&attr, 1);
    before = remove_it;
    after = make_another;
    CHECK_STATUS(ach_create(CHAN, 4, 64, &attr), ACH_EEXIST);
    CHECK(!replaced(&theirs));
    CHECK_OK(ach_put(&theirs, "x", 1));
    CHECK_OK(ach_close(&theirs));
    CHECK_OK(ach_unlink(CHAN));
}

/* Handles of a channel that was removed meanwhile keep working: it was not replaced. */
static void removed(void)
{
    ach_channel_t chan;

    REQUIRE_OK(ach_create(CHAN, 4, 64, NULL));
    REQUIRE_OK(ach_open(&chan, CHAN, NULL));
    before = remove_it;
    CHECK_OK(truncate_it());
    CHECK(!replaced(&chan));
    CHECK_OK(ach_put(&chan, "x", 1));
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_unlink(CHAN));
}

int main(void)
{
    REQUIRE_OK(ach_channel_path(CHAN, path, sizeof(path)));
    truncated();
    corrupt();
    removed();
    return check_result();
}
