/* SPDX-License-Identifier: BSD-3-Clause */
/* null-arguments.c - NULL anywhere, and handles that are not open, give a status */
#include <ach/experimental.h>

#include "check.h"

static void test_attributes(void)
{
    ach_create_attr_t create;
    struct ach_header *shm;

    ach_create_attr_init(&create);
    CHECK_STATUS(ach_attr_set_shm(NULL, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_map(NULL, ACH_MAP_USER), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_lock_source(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_readonly(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_spin(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_lock_timeout(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_clock(NULL, CLOCK_REALTIME), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_map(NULL, ACH_MAP_USER), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_truncate(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_replace_corrupt(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_timestamps(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_readonly_wake(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_single_writer(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_mode(NULL, 0600), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_get_shm(NULL, &shm), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_get_shm(&create, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_cancel_attr_set_async_unsafe(NULL, 1), ACH_EINVAL);
}

/* Every function that takes a handle, with everything else as given. */
static void all_with(ach_channel_t *chan, enum ach_status want)
{
    const struct timespec now = {0};
    const void *view;
    void *room;
    uint64_t a, b;
    size_t size;
    struct timespec t;
    ach_info_t info;
    enum ach_map map;
    clockid_t clock;
    char buf[8];
    int fd;

    CHECK_STATUS(ach_close(chan), want);
    CHECK_STATUS(ach_chmod(chan, 0600), want);
    CHECK_STATUS(ach_put(chan, "x", 1), want);
    CHECK_STATUS(ach_get(chan, buf, sizeof(buf), &size, &now, ACH_O_WAIT), want);
    CHECK_STATUS(ach_flush(chan), want);
    CHECK_STATUS(ach_cancel(chan, NULL), want);
    CHECK_STATUS(ach_reserve(chan, 1, &room), want);
    CHECK_STATUS(ach_commit(chan, 1), want);
    CHECK_STATUS(ach_abort(chan), want);
    CHECK_STATUS(ach_view(chan, &view, &size, NULL, 0), want);
    CHECK_STATUS(ach_view_check(chan), want);
    CHECK_STATUS(ach_channel_seq(chan, &a), want);
    CHECK_STATUS(ach_channel_missed(chan, &a, &b), want);
    CHECK_STATUS(ach_channel_timestamp(chan, &t), want);
    CHECK_STATUS(ach_channel_info(chan, &info), want);
    CHECK_STATUS(ach_channel_fd(chan, &fd), want);
    CHECK_STATUS(ach_channel_map(chan, &map), want);
    CHECK_STATUS(ach_channel_clock(chan, &clock), want);
}

static void test_open_handle(ach_channel_t *chan)
{
    ach_wait_item_t item = {.chan = NULL};
    struct ach_evhandler handler = {.channel = NULL};
    const void *view;
    size_t size;
    char buf[8];

    CHECK_STATUS(ach_put(chan, NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_put(chan, "x", 0), ACH_EINVAL);
    CHECK_STATUS(ach_get(chan, NULL, 1, &size, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_get(chan, buf, 1, NULL, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_get(chan, buf, 1, &size, NULL, 0x4000), ACH_EINVAL);
    CHECK_STATUS(ach_reserve(chan, 1, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_view(chan, NULL, &size, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_view(chan, &view, NULL, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_channel_seq(chan, NULL), ACH_EINVAL);
    CHECK_OK(ach_channel_missed(chan, NULL, NULL));
    CHECK_STATUS(ach_channel_timestamp(chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_info(chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_fd(chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_map(chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_clock(chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_wait(NULL, 1, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_wait(&item, 0, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_wait(&item, 1, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_wait(&item, ACH_WAIT_MAX + 1, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_evhandle(NULL, 1, NULL, NULL, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_evhandle(&handler, 1, NULL, NULL, NULL, 0), ACH_EINVAL);
}

static void test_names(void)
{
    ach_attr_t attr;
    ach_channel_t chan;
    char path[4];

    ach_attr_init(&attr);
    attr.map = ACH_MAP_ANON;
    CHECK_STATUS(ach_create(NULL, 1, 1, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_open(NULL, "null", NULL), ACH_EINVAL);
    CHECK_STATUS(ach_open(&chan, NULL, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_open(&chan, NULL, &attr), ACH_EINVAL);
    CHECK_STATUS(ach_unlink(NULL), ACH_EINVAL);
    CHECK_STATUS(ach_list(NULL, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_path(NULL, path, sizeof(path)), ACH_EINVAL);
    CHECK_STATUS(ach_channel_path("null", NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_channel_path("null", path, sizeof(path)), ACH_OVERFLOW);
    ach_dump(NULL);
}

int main(void)
{
    ach_channel_t closed = {0}, chan;

    REQUIRE_OK(ach_create("null", 4, 16, NULL));
    REQUIRE_OK(ach_open(&chan, "null", NULL));
    test_attributes();
    test_names();
    all_with(NULL, ACH_EINVAL);
    all_with(&closed, ACH_CLOSED);
    test_open_handle(&chan);
    CHECK_OK(ach_close(&chan));
    CHECK_STATUS(ach_close(&chan), ACH_CLOSED);
    CHECK_OK(ach_unlink("null"));
    return check_result();
}
