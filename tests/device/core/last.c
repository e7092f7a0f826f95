/* SPDX-License-Identifier: BSD-3-Clause */
/* last.c - a driver that is to stop handles every message that was accepted for it */
#include <ach/interface/common.h>
#include <ach/interface/opaque.h>
#include <pthread.h>

#include "probe.h"
#include "rig.h"

#define COMMANDS 500u

static ach_status_t tell(struct ear *ear, uint8_t what)
{
    return ear_command(ear, ACH_OPAQUE_CMD_DATA,
                       &(ach_opaque_data_t){.data_count = 1, .data = &what});
}

/* The first command stalls the driver, so that the others are still queued when it is to stop. */
static void tell_many(struct ear *ear)
{
    unsigned i;

    CHECK_OK(tell(ear, PROBE_STALL));
    for (i = 1; i < COMMANDS; i++)
        CHECK_OK(tell(ear, PROBE_ECHO));
}

static void test_unsubscribed(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");

    tell_many(ear);
    ear_close(ear);
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    CHECK(probe_counts[0].messages == COMMANDS);
    rig_end(rig);
}

static void test_robot_ends(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"] alwayson 1)");
    struct ear *ear = ear_open(rig, "opaque:0");

    tell_many(ear);
    ear_close(ear);
    rig_end(rig);
    CHECK(probe_counts[0].messages == COMMANDS);
}

/* 100 commands of 50 ms each cannot all be handled within the limit of 2 s. */
static void test_limit(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    unsigned i;

    for (i = 0; i < 100; i++)
        CHECK_OK(tell(ear, PROBE_STALL));
    ear_close(ear);
    CHECK(rig_logged(rig, "it had not handled are lost"));
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    CHECK(probe_counts[0].messages < 100);
    rig_end(rig);
}

/* A recorder receives all data that was published before it is to stop. */
static void test_data(void)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])\n"
                                  "driver (name \"probe\" number 1 provides [\"opaque:1\"]\n"
                                  "        requires [\"opaque:0\"])");
    struct ear *source = ear_open(rig, "opaque:0"), *recorder = ear_open(rig, "opaque:1");
    unsigned i;

    CHECK_OK(tell(recorder, PROBE_STALL));
    CHECK_OK(tell(source, PROBE_COUNT));
    for (i = 0; i < 100; i++)
        ach_message_unref(ear_data(source, ACH_OPAQUE_DATA_STATE));
    ear_close(recorder);
    EVENTUALLY(probe_counts[1].shutdowns == 1);
    CHECK(probe_counts[1].data == 100);
    ear_close(source);
    rig_end(rig);
}

/* A command sent in shutdown reaches the required device, whichever driver is first in the file. */
static void test_last_words(void)
{
    static const char *const files[] = {
        "driver (name \"probe\" provides [\"opaque:0\"] alwayson 1)\n"
        "driver (name \"probe\" number 1 provides [\"opaque:1\"] requires [\"opaque:0\"]\n"
        "        alwayson 1 last_words 1)",
        "driver (name \"probe\" number 1 provides [\"opaque:1\"] requires [\"opaque:0\"]\n"
        "        alwayson 1 last_words 1)\n"
        "driver (name \"probe\" provides [\"opaque:0\"] alwayson 1)"};
    size_t i;

    for (i = 0; i < 2; i++) {
        rig_end(probe_start(files[i]));
        CHECK(probe_counts[0].messages == 1);
    }
}

struct teller {
    struct ear *ear;
    bool end;
    unsigned accepted; /* of all rounds */
};

/* A flush is answered when all commands before it are handled, also after the driver's end. */
static void *tell_on(void *context)
{
    struct teller *t = context;
    unsigned i;

    while (!__atomic_load_n(&t->end, __ATOMIC_ACQUIRE)) {
        for (i = 0; i < 8; i++)
            t->accepted += tell(t->ear, PROBE_FORGET) == ACH_OK;
        CHECK(ear_acked(t->ear, ACH_REQ_FLUSH, NULL));
        CHECK(probe_counts[0].messages == t->accepted);
    }
    return NULL;
}

/* Commands that come while the driver stops are refused or handled. */
static void stop_while_told(const ach_driver_class_t *class)
{
    struct rig *rig = rig_create(false);
    uint64_t i, rounds = check_scale(300);
    unsigned accepted = 0;

    probe_reset();
    rig_add(rig, class);
    REQUIRE_OK(rig_load(rig, "driver (name \"probe\" provides [\"opaque:0\"])"));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    for (i = 0; i < rounds; i++) {
        struct teller t = {.ear = ear_open(rig, "opaque:0"), .accepted = accepted};
        ach_address_t address = rig_address("opaque:0");
        pthread_t thread;

        REQUIRE(pthread_create(&thread, NULL, tell_on, &t) == 0);
        EVENTUALLY(probe_counts[0].messages > accepted);
        CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &address, ear_queue(t.ear)));
        EVENTUALLY(probe_counts[0].shutdowns == i + 1);
        __atomic_store_n(&t.end, true, __ATOMIC_RELEASE);
        pthread_join(thread, NULL);
        accepted = t.accepted;
        CHECK(probe_counts[0].messages == accepted);
        ear_forget(t.ear);
    }
    rig_end(rig);
}

int main(void)
{
    ach_driver_class_t inlined = probe_class;

    inlined.flags |= ACH_DRIVER_INLINE;
    inlined.main = NULL;
    test_unsubscribed();
    test_robot_ends();
    test_limit();
    test_data();
    test_last_words();
    stop_while_told(&probe_class);
    stop_while_told(&inlined);
    return check_result();
}
