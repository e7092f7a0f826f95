/* SPDX-License-Identifier: BSD-3-Clause */
/* queue_replace.c - the time to replace a message does not grow with the number of others queued */
#include <ach/transport.h>

#include "check.h"

/* Linked in place of the queue's comparison of messages, to count the calls. */
bool __real_ach_message_is(const ach_message_t *m, const ach_address_t *a, uint8_t type, uint8_t s);
bool __wrap_ach_message_is(const ach_message_t *m, const ach_address_t *a, uint8_t type, uint8_t s);

static unsigned long compared;

bool __wrap_ach_message_is(const ach_message_t *m, const ach_address_t *a, uint8_t type, uint8_t s)
{
    compared++;
    return __real_ach_message_is(m, a, type, s);
}

static ach_status_t push(ach_queue_t *q, uint16_t interf, uint16_t index, uint32_t sequence)
{
    ach_header_t h = {.address = {.interf = interf, .index = index},
                      .type = ACH_MSG_DATA,
                      .subtype = 1,
                      .sequence = sequence};
    ach_status_t status;
    ach_message_t *m;

    REQUIRE_OK(ach_message_create(&h, NULL, &m));
    status = ach_queue_push(q, m);
    ach_message_unref(m);
    return status;
}

static void expect(ach_queue_t *q, uint16_t interf, uint16_t index, uint32_t sequence)
{
    ach_message_t *m = ach_queue_pop(q);
    const ach_header_t *h = m ? ach_message_header(m) : NULL;

    if (CHECK(h))
        CHECK(h->address.interf == interf && h->address.index == index && h->sequence == sequence);
    ach_message_unref(m);
}

static void replace(ach_queue_t *q, int32_t interf)
{
    CHECK_OK(ach_queue_rule(q, &(ach_rule_t){interf, -1, ACH_MSG_DATA, -1, ACH_RULE_REPLACE}));
}

/* Messages without a replace rule are not compared, even if the queue is full of them. */
static void test_full_of_others(void)
{
    ach_queue_t *q;
    uint32_t i;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    replace(q, 4);
    for (i = 0; i < ACH_QUEUE_MESSAGES; i++)
        CHECK_OK(push(q, 6, 0, i));
    compared = 0;
    for (i = 0; i < 1000; i++)
        CHECK_STATUS(push(q, 4, 0, i), ACH_OVERFLOW);
    CHECK(compared <= 1000);
    expect(q, 6, 0, 0);
    CHECK_OK(push(q, 4, 0, 5000));
    compared = 0;
    for (i = 0; i < 1000; i++)
        CHECK_OK(push(q, 4, 0, i));
    CHECK(compared <= 2000);
    for (i = 1; i < ACH_QUEUE_MESSAGES; i++)
        expect(q, 6, 0, i);
    expect(q, 4, 0, 999);
    CHECK(!ach_queue_pop(q));
    ach_queue_close(q);
}

/* A message is compared with few others, even if every message is of another kind. */
static void test_many_kinds(void)
{
    uint32_t i, round;
    ach_queue_t *q;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    replace(q, -1);
    compared = 0;
    for (round = 0; round < 4; round++)
        for (i = 0; i < 512; i++)
            CHECK_OK(push(q, (uint16_t)(4 + i % 3), (uint16_t)i, round));
    CHECK(compared < 4ul * 512 * 64);
    CHECK(ach_queue_length(q) == 512);
    for (i = 0; i < 512; i++)
        expect(q, (uint16_t)(4 + i % 3), (uint16_t)i, 3);
    CHECK(!ach_queue_pop(q));
    ach_queue_close(q);
}

/* A rule also applies to messages queued before it: the newest of each kind is replaced. */
static void test_late_rule(void)
{
    ach_queue_t *q;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    CHECK_OK(push(q, 4, 0, 1));
    CHECK_OK(push(q, 5, 0, 2));
    CHECK_OK(push(q, 4, 0, 3));
    CHECK_OK(push(q, 5, 0, 4));
    replace(q, 4);
    CHECK_OK(push(q, 4, 0, 5)); /* in place of 3 */
    replace(q, 5);
    CHECK_OK(push(q, 4, 0, 6)); /* in place of 5 */
    CHECK_OK(push(q, 5, 0, 7)); /* in place of 4 */
    expect(q, 4, 0, 1);
    CHECK_OK(push(q, 4, 0, 8));
    expect(q, 5, 0, 2);
    expect(q, 5, 0, 7);
    expect(q, 4, 0, 8);
    CHECK_OK(push(q, 4, 0, 9)); /* none is left to be replaced */
    expect(q, 4, 0, 9);
    CHECK(!ach_queue_pop(q));
    ach_queue_close(q);
}

int main(void)
{
    test_full_of_others();
    test_many_kinds();
    test_late_rule();
    return check_result();
}
