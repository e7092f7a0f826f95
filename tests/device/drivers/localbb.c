/* SPDX-License-Identifier: BSD-3-Clause */
/* localbb.c - a blackboard: set, get and subscribe; other clients see it; it has a limit */
#include <ach/interface/blackboard.h>

#include "rig.h"

static ach_blackboard_entry_t entry(const char *group, const char *key, const void *data,
                                    uint32_t size)
{
    return (ach_blackboard_entry_t){.key_count = (uint32_t)strlen(key) + 1,
                                    .key = (char *)(uintptr_t)key,
                                    .group_count = (uint32_t)strlen(group) + 1,
                                    .group = (char *)(uintptr_t)group,
                                    .type = 3,
                                    .subtype = 4,
                                    .data_count = size,
                                    .data = (uint8_t *)(uintptr_t)data,
                                    .timestamp_sec = 5};
}

static bool set(struct ear *ear, const char *group, const char *key, const char *text)
{
    ach_blackboard_entry_t e = entry(group, key, text, (uint32_t)strlen(text));

    return ear_acked(ear, ACH_BLACKBOARD_REQ_SET_ENTRY, &e);
}

static bool holds(const ach_message_t *m, const char *group, const char *key, const char *text)
{
    const ach_blackboard_entry_t *e = ach_message_body(m);

    return e && strcmp(e->group, group) == 0 && strcmp(e->key, key) == 0 &&
           e->data_count == strlen(text) &&
           (e->data_count == 0 || memcmp(e->data, text, e->data_count) == 0) &&
           e->type == (*text ? 3 : 0) && e->timestamp_sec == (*text ? 5u : 0u);
}

/* An entry without data was never set. */
static void check_get(struct ear *ear, uint8_t subtype, const char *group, const char *key,
                      const char *text)
{
    ach_blackboard_entry_t e = entry(group, key, NULL, 0);
    ach_message_t *m = ear_request(ear, subtype, &e);

    CHECK(holds(m, group, key, text));
    ach_message_unref(m);
}

static void check_update(struct ear *ear, const char *group, const char *key, const char *text)
{
    ach_message_t *m = ear_data(ear, ACH_BLACKBOARD_DATA_UPDATE);

    CHECK(holds(m, group, key, text));
    ach_message_unref(m);
}

static void test_entries(void)
{
    struct rig *rig = rig_start("driver (name \"localbb\" provides [\"blackboard:0\"])");
    struct ear *one = ear_open(rig, "blackboard:0"), *two = ear_open(rig, "blackboard:0"), *late;
    ach_blackboard_entry_t group = entry("arm", "", NULL, 0);
    ach_blackboard_entry_t nameless = {.data_count = 0}; /* not even a NUL */

    CHECK(set(one, "arm", "angle", "1.5"));
    check_update(two, "arm", "angle", "1.5");
    CHECK(set(two, "arm", "state", "up") && set(two, "base", "angle", "0"));
    CHECK(set(one, "arm", "angle", "2"));
    check_get(two, ACH_BLACKBOARD_REQ_GET_ENTRY, "arm", "angle", "2");
    check_get(two, ACH_BLACKBOARD_REQ_SUBSCRIBE_TO_KEY, "base", "angle", "0");
    check_get(two, ACH_BLACKBOARD_REQ_GET_ENTRY, "base", "none", "");
    late = ear_open(rig, "blackboard:0");
    ear_ask(late, ACH_BLACKBOARD_REQ_SUBSCRIBE_TO_GROUP, &group);
    check_update(late, "arm", "state", "up");
    check_update(late, "arm", "angle", "2");
    ach_message_unref(ear_want(late, ACH_MSG_ACK, ACH_BLACKBOARD_REQ_SUBSCRIBE_TO_GROUP));
    CHECK(ear_acked(late, ACH_BLACKBOARD_REQ_UNSUBSCRIBE_FROM_GROUP, &group));
    CHECK(ear_acked(late, ACH_BLACKBOARD_REQ_UNSUBSCRIBE_FROM_KEY, &group));
    CHECK(ear_acked(one, ACH_BLACKBOARD_REQ_SET_ENTRY, &nameless));
    CHECK(ear_acked(two, ACH_BLACKBOARD_REQ_GET_ENTRY, &nameless));
    CHECK(!ear_acked(one, ACH_BLACKBOARD_REQ_SET_ENTRY, NULL));
    CHECK(!ear_acked(one, ACH_BLACKBOARD_REQ_GET_ENTRY, NULL));
    ear_close(one); /* a driver that is shut down keeps its entries */
    ear_close(two);
    ear_close(late);
    one = ear_open(rig, "blackboard:0");
    check_get(one, ACH_BLACKBOARD_REQ_GET_ENTRY, "arm", "state", "up");
    ear_close(one);
    rig_end(rig);
}

/* An entry that is replaced does not count any more. */
static void test_limit(void)
{
    struct rig *rig =
        rig_start("driver (name \"localbb\" provides [\"blackboard:0\"] max_bytes 1000)");
    struct ear *ear = ear_open(rig, "blackboard:0");
    char large[600], key[16];
    int i;

    memset(large, 'x', sizeof(large));
    large[sizeof(large) - 1] = '\0';
    for (i = 0; i < 20; i++)
        CHECK(set(ear, "", "same", large));
    CHECK(!set(ear, "", "other", large));
    CHECK(rig_logged(rig, "the blackboard is full: the option max_bytes is 1000"));
    CHECK(set(ear, "", "same", "small"));
    for (i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "%d", i);
        if (!set(ear, "", key, ""))
            break;
    }
    CHECK(i > 2 && i < 50); /* entries without data count as well */
    check_get(ear, ACH_BLACKBOARD_REQ_GET_ENTRY, "", "same", "small");
    ear_close(ear);
    rig_end(rig);
}

int main(void)
{
    test_entries();
    test_limit();
    return check_result();
}
