/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads.c - many clients at once
 *
 * They subscribe, send requests and unsubscribe concurrently. Every accepted
 * request is answered, and every setup is followed by a shutdown.
 */
#include <ach/interface/opaque.h>
#include <pthread.h>

#include "probe.h"
#include "rig.h"

#define CLIENTS 4

static const char *const config =
    "driver (name \"probe\" provides [\"opaque:0\"])\n"
    "driver (name \"probe\" number 1 provides [\"opaque:1\"] requires [\"opaque:0\"])\n"
    "driver (name \"passthrough\" provides [\"opaque:2\"] requires [\"opaque:1\"])\n"
    "driver (name \"relay\" provides [\"opaque:3\"])\n";

struct client {
    struct rig *rig;
    uint64_t random;
    unsigned rounds, asked;
};

static uint32_t asked_of(struct ear *ear, ach_address_t *address, uint8_t what,
                         ach_status_t *status)
{
    char bytes[12] = {0, 0, 0, 1, 0, 0, 0, 1, (char)what, 0, 0, 0};
    static uint32_t sequence;
    ach_header_t h = {.address = *address,
                      .type = ACH_MSG_REQ,
                      .subtype = ACH_OPAQUE_REQ_DATA,
                      .sequence = __atomic_add_fetch(&sequence, 1, __ATOMIC_RELAXED)};

    *status = ach_robot_deliver(rig_robot(ear_rig(ear)), &h, bytes, sizeof(bytes), ear_queue(ear));
    return h.sequence;
}

static void await_answer(struct ear *ear, uint32_t sequence)
{
    double end = rig_now() + RIG_PATIENCE;
    bool found = false;

    while (!found && rig_now() < end) {
        ach_message_t *m = ear_next(ear, 1);

        found = m && ach_message_header(m)->type != ACH_MSG_DATA &&
                ach_message_header(m)->sequence == sequence;
        ach_message_unref(m);
    }
    CHECK(found);
}

static void one_round(struct client *c)
{
    static const char *const names[] = {"opaque:0", "opaque:1", "opaque:2", "opaque:3"};
    uint64_t r = check_random(&c->random);
    const char *name = names[r % 4];
    ach_address_t address = rig_address(name);
    struct ear *ear = ear_begin(c->rig, name);
    uint8_t what = (uint8_t)(r >> 8) % 4;
    ach_status_t status;
    uint32_t sequence;

    if (r >> 16 & 1)
        EVENTUALLY(ear_status(ear) != ACH_EAGAIN);
    sequence = asked_of(ear, &address, what, &status);
    CHECK(status == ACH_OK || status == ACH_CLOSED);
    if (r >> 17 & 1) {
        CHECK_OK(ach_robot_unsubscribe(rig_robot(c->rig), &address, ear_queue(ear)));
        if (status == ACH_OK && what != PROBE_KEEP) {
            await_answer(ear, sequence);
            c->asked++;
        }
    } else {
        if (status == ACH_OK && what != PROBE_KEEP) {
            await_answer(ear, sequence);
            c->asked++;
        }
        CHECK_OK(ach_robot_unsubscribe(rig_robot(c->rig), &address, ear_queue(ear)));
    }
    ear_forget(ear);
}

static void *run(void *context)
{
    struct client *c = context;
    unsigned i;

    for (i = 0; i < c->rounds; i++)
        one_round(c);
    return NULL;
}

int main(void)
{
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    struct rig *rig = rig_create(false);
    unsigned i, asked = 0;

    rig_add(rig, &probe_class);
    REQUIRE_OK(rig_load(rig, config));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    for (i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){rig, i, (unsigned)check_scale(500), 0};
        REQUIRE(pthread_create(&threads[i], NULL, run, &clients[i]) == 0);
    }
    for (i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        asked += clients[i].asked;
    }
    printf("%u requests answered, %u setups\n", asked, probe_counts[0].setups);
    EVENTUALLY(probe_counts[0].setups == probe_counts[0].shutdowns);
    EVENTUALLY(probe_counts[1].setups == probe_counts[1].shutdowns);
    rig_end(rig);
    return check_result();
}
