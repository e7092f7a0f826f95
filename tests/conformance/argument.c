/* SPDX-License-Identifier: BSD-3-Clause */
/* argument.c - NULL, and handles that are not open, for every function */
#include "conformance.h"

static ach_channel_t chan;
static char buf[64];
static size_t size = 77;
static const void *view = buf;
static void *room = buf;
static uint64_t number = 77;
static struct timespec when = {7, 7};
static ach_info_t info;
static int fd = 77;
static enum ach_map map = ACH_MAP_KERNEL;
static clockid_t clock_id = 77;

/* Every function that takes a handle returns this status for this one. */
static void check_all(ach_channel_t *c, enum ach_status want)
{
    CHECK_STATUS(ach_close(c), want);
    CHECK_STATUS(ach_chmod(c, 0600), want);
    CHECK_STATUS(ach_put(c, buf, 1), want);
    CHECK_STATUS(ach_get(c, buf, sizeof(buf), &size, NULL, 0), want);
    CHECK_STATUS(ach_get(c, buf, sizeof(buf), &size, NULL, ACH_O_WAIT), want);
    CHECK_STATUS(ach_flush(c), want);
    CHECK_STATUS(ach_cancel(c, NULL), want);
    CHECK_STATUS(ach_reserve(c, 1, &room), want);
    CHECK_STATUS(ach_commit(c, 1), want);
    CHECK_STATUS(ach_abort(c), want);
    CHECK_STATUS(ach_view(c, &view, &size, NULL, 0), want);
    CHECK_STATUS(ach_view_check(c), want);
    CHECK_STATUS(ach_channel_seq(c, &number), want);
    CHECK_STATUS(ach_channel_missed(c, &number, &number), want);
    CHECK_STATUS(ach_channel_timestamp(c, &when), want);
    CHECK_STATUS(ach_channel_info(c, &info), want);
    CHECK_STATUS(ach_channel_fd(c, &fd), want);
    CHECK_STATUS(ach_channel_map(c, &map), want);
    CHECK_STATUS(ach_channel_clock(c, &clock_id), want);
}

/* Outputs stay as they were when a function fails. */
static void check_outputs(void)
{
    ach_info_t zero;

    memset(&zero, 0, sizeof(zero));
    CHECK(size == 77 && view == buf && room == buf && number == 77 && when.tv_sec == 7);
    CHECK(memcmp(&info, &zero, sizeof(info)) == 0);
    CHECK(fd == 77 && map == ACH_MAP_KERNEL && clock_id == 77);
}

static void null_handles(void)
{
    ach_wait_item_t item = {.chan = NULL, .status = ACH_BUG};

    check_all(NULL, ACH_EINVAL);
    CHECK_STATUS(ach_open(NULL, CHAN, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_wait(&item, 1, NULL, 0), ACH_EINVAL);
    check_outputs();
}

static void closed_handles(void)
{
    ach_wait_item_t item = {.chan = &chan, .status = ACH_BUG};

    make(4, 64);
    open_it(&chan);
    CHECK_OK(ach_close(&chan));
    check_all(&chan, ACH_CLOSED);
    CHECK_STATUS(ach_wait(&item, 1, NULL, 0), ACH_CLOSED);
    memset(&chan, 0, sizeof(chan));
    check_all(&chan, ACH_CLOSED);
    check_outputs();
    remove_it();
}

static void null_outputs(void)
{
    make(4, 64);
    open_it(&chan);
    put_range(&chan, 1, 1);
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), NULL, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), NULL, NULL, ACH_O_LAST | ACH_O_WAIT), ACH_EINVAL);
    CHECK_STATUS(ach_get(&chan, NULL, 1, &size, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_reserve(&chan, 1, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_view(&chan, NULL, &size, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_view(&chan, &view, NULL, NULL, 0), ACH_EINVAL);
    CHECK_STATUS(ach_channel_seq(&chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_timestamp(&chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_info(&chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_fd(&chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_map(&chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_clock(&chan, NULL), ACH_EINVAL);
    CHECK_OK(ach_channel_missed(&chan, NULL, NULL));
    CHECK_STATUS(ach_list(NULL, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_path(CHAN, NULL, 100), ACH_EINVAL);
    check_outputs();
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void null_attributes(void)
{
    struct ach_header *shm = NULL;
    ach_create_attr_t attr = create_attr();

    ach_attr_init(NULL);
    ach_create_attr_init(NULL);
    ach_cancel_attr_init(NULL);
    CHECK_STATUS(ach_attr_set_shm(NULL, (struct ach_header *)buf), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_map(NULL, ACH_MAP_USER), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_lock_source(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_readonly(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_spin(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_lock_timeout(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_clock(NULL, CLOCK_MONOTONIC), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_map(NULL, ACH_MAP_USER), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_truncate(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_replace_corrupt(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_timestamps(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_readonly_wake(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_single_writer(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_mode(NULL, 0600), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_get_shm(NULL, &shm), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_get_shm(&attr, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_cancel_attr_set_async_unsafe(NULL, 1), ACH_EINVAL);
}

static void attributes(void)
{
    ach_create_attr_t create_attributes;
    ach_attr_t attr;

    memset(&attr, 0xff, sizeof(attr));
    memset(&create_attributes, 0xff, sizeof(create_attributes));
    ach_attr_init(&attr);
    ach_create_attr_init(&create_attributes);
    CHECK(attr.map == ACH_MAP_DEFAULT && !attr.shm && !attr.lock_source && !attr.readonly);
    CHECK(attr.spin_ns == 0 && attr.lock_timeout_ns == 1000000000);
    CHECK(create_attributes.map == ACH_MAP_DEFAULT && !create_attributes.shm);
    CHECK(!create_attributes.truncate && !create_attributes.set_clock);
    CHECK_STATUS(ach_attr_set_map(&attr, (enum ach_map)4), ACH_EINVAL);
    CHECK_STATUS(ach_create_attr_set_map(&create_attributes, (enum ach_map)4), ACH_EINVAL);
    CHECK_OK(ach_create_attr_set_truncate(&create_attributes, 2));
    CHECK(create_attributes.truncate == 1);
}

static const struct test tests[] = {
    {"argument-null-handles", null_handles, ALL, NULL},
    {"argument-closed-handles", closed_handles, ALL, NULL},
    {"argument-null-outputs", null_outputs, ALL, NULL},
    {"argument-null-attributes", null_attributes, ALL, NULL},
    {"argument-attributes", attributes, ALL, NULL},
};
THEME(argument_theme, tests);
