/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers and sizes that compiled programs and bindings of other languages contain.
 * They are repeated here on purpose, so that a change fails.
 */
#include "check.h"

#include <ach/experimental.h>
#include <stdalign.h>

struct number {
    const char *name;
    unsigned long long is, want;
};

#define IS(name, want)                                                                             \
    {                                                                                              \
#name, (unsigned long long)(name), want                                                    \
    }

static const struct number statuses[] = {
    IS(ACH_OK, 0),           IS(ACH_OVERFLOW, 1),       IS(ACH_INVALID_NAME, 2),
    IS(ACH_BAD_SHM_FILE, 3), IS(ACH_FAILED_SYSCALL, 4), IS(ACH_EAGAIN, 5),
    IS(ACH_STALE_FRAMES, 5), IS(ACH_LOCKED, 5),         IS(ACH_MISSED_FRAME, 6),
    IS(ACH_TIMEOUT, 7),      IS(ACH_EEXIST, 8),         IS(ACH_ENOENT, 9),
    IS(ACH_CLOSED, 10),      IS(ACH_BUG, 11),           IS(ACH_EINVAL, 12),
    IS(ACH_CORRUPT, 13),     IS(ACH_BAD_HEADER, 14),    IS(ACH_EACCES, 15),
    IS(ACH_CANCELED, 16),    IS(ACH_EFAULT, 17),        IS(ACH_EINTR, 18),
    IS(ACH_ENOTSUP, 19),     IS(ACH_BAD_TYPE, 20),
};

static const struct number masks[] = {
    IS(ACH_MASK_OK, 1u << 0),
    IS(ACH_MASK_OVERFLOW, 1u << 1),
    IS(ACH_MASK_INVALID_NAME, 1u << 2),
    IS(ACH_MASK_BAD_SHM_FILE, 1u << 3),
    IS(ACH_MASK_FAILED_SYSCALL, 1u << 4),
    IS(ACH_MASK_EAGAIN, 1u << 5),
    IS(ACH_MASK_STALE_FRAMES, 1u << 5),
    IS(ACH_MASK_LOCKED, 1u << 5),
    IS(ACH_MASK_MISSED_FRAME, 1u << 6),
    IS(ACH_MASK_TIMEOUT, 1u << 7),
    IS(ACH_MASK_EEXIST, 1u << 8),
    IS(ACH_MASK_ENOENT, 1u << 9),
    IS(ACH_MASK_CLOSED, 1u << 10),
    IS(ACH_MASK_BUG, 1u << 11),
    IS(ACH_MASK_EINVAL, 1u << 12),
    IS(ACH_MASK_CORRUPT, 1u << 13),
    IS(ACH_MASK_BAD_HEADER, 1u << 14),
    IS(ACH_MASK_EACCES, 1u << 15),
    IS(ACH_MASK_CANCELED, 1u << 16),
    IS(ACH_MASK_EFAULT, 1u << 17),
    IS(ACH_MASK_EINTR, 1u << 18),
    IS(ACH_MASK_ENOTSUP, 1u << 19),
    IS(ACH_MASK_BAD_TYPE, 1u << 20),
    IS(ACH_MASK_NONE, 0),
    IS(ACH_MASK_ALL, 0xffffffff),
    IS(ACH_STATUS_MASK(ACH_TIMEOUT), 1u << 7),
};

static const struct number options[] = {
    IS(ACH_O_NONBLOCK, 0),
    IS(ACH_O_FIRST, 0),
    IS(ACH_O_ABSTIME, 0),
    IS(ACH_O_WAIT, 1),
    IS(ACH_O_LAST, 2),
    IS(ACH_O_COPY, 4),
    IS(ACH_O_RELTIME, 8),
    IS(ACH_O_LINKED, 16),
    IS(ACH_EV_O_PERIODIC_TIMEOUT, 1),
    IS(ACH_EV_O_PERIODIC_INPUT, 2),
    IS(ACH_MAP_DEFAULT, 0),
    IS(ACH_MAP_ANON, 1),
    IS(ACH_MAP_USER, 2),
    IS(ACH_MAP_KERNEL, 3),
    IS(ACH_READY_NONE, 0),
    IS(ACH_READY_IO_URING, 1),
    IS(ACH_READY_THREAD, 2),
    IS(ACH_CHAN_NAME_MAX, 64),
    IS(ACH_DEFAULT_CLOCK, CLOCK_MONOTONIC),
    IS(ACH_DEFAULT_FRAME_COUNT, 16),
    IS(ACH_DEFAULT_FRAME_SIZE, 512),
    IS(ACH_WAIT_MAX, 64),
};

static const struct number sizes[] = {
    IS(sizeof(ach_channel_t), 128),
    IS(sizeof(ach_attr_t), 64),
    IS(sizeof(ach_create_attr_t), 128),
    IS(sizeof(ach_cancel_attr_t), 64),
    IS(sizeof(ach_info_t), 256),
    IS(sizeof(ach_mask_t), 4),
    IS(sizeof(ach_status_t), 4),
    IS(sizeof(enum ach_map), 4),
    IS(sizeof(ach_get_opts_t), 4),
    IS(sizeof(ach_wait_item_t), 2 * sizeof(void *)),
    IS(sizeof(struct ach_evhandler), 3 * sizeof(void *)),
    IS(alignof(ach_channel_t), alignof(uint64_t)),
    IS(alignof(ach_attr_t), alignof(uint64_t)),
    IS(alignof(ach_create_attr_t), alignof(uint64_t)),
    IS(alignof(ach_cancel_attr_t), alignof(uint64_t)),
    IS(alignof(ach_info_t), alignof(uint64_t)),
    IS(offsetof(ach_channel_t, shm), 0),
    IS(offsetof(ach_channel_t, cancel), sizeof(void *)),
    IS(offsetof(ach_attr_t, map), 0),
    IS(offsetof(ach_attr_t, map_anon), 0),
    IS(offsetof(ach_attr_t, shm), sizeof(void *)),
    IS(offsetof(ach_create_attr_t, map), 0),
    IS(offsetof(ach_create_attr_t, map_anon), 0),
    IS(offsetof(ach_create_attr_t, shm), sizeof(void *)),
    IS(offsetof(ach_cancel_attr_t, async_unsafe), 0),
};

static void check_numbers(const struct number *n, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (!check_that(n[i].is == n[i].want, __FILE__, __LINE__, n[i].name))
            fprintf(stderr, "%s is %llu, not %llu\n", n[i].name, n[i].is, n[i].want);
}

#define CHECK_NUMBERS(table) check_numbers((table), sizeof(table) / sizeof((table)[0]))

/* The text of a status is its name; where several share a number, one of them. */
static void check_texts(void)
{
    size_t i, k;

    for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        const char *text = ach_result_to_string((enum ach_status)statuses[i].is);
        bool found = false;

        for (k = 0; k < sizeof(statuses) / sizeof(statuses[0]); k++)
            found |= statuses[k].is == statuses[i].is && strcmp(statuses[k].name, text) == 0;
        check_that(found, __FILE__, __LINE__, statuses[i].name);
    }
    CHECK(ach_result_to_string((enum ach_status)20) != NULL);
    CHECK(ach_result_to_string((enum ach_status) - 1) != NULL);
}

static void check_masks(void)
{
    int s, other;

    for (s = 0; s < 20; s++) {
        enum ach_status status = (enum ach_status)s;

        CHECK(ach_status_mask(status) == 1u << s);
        CHECK(ach_status_match(status, ACH_MASK_ALL));
        CHECK(!ach_status_match(status, ACH_MASK_NONE));
        for (other = 0; other < 20; other++)
            CHECK(!ach_status_match(status, ACH_STATUS_MASK((unsigned)other)) == (s != other));
    }
}

int main(void)
{
    CHECK_NUMBERS(statuses);
    CHECK_NUMBERS(masks);
    CHECK_NUMBERS(options);
    CHECK_NUMBERS(sizes);
    check_texts();
    check_masks();
    return check_result();
}
