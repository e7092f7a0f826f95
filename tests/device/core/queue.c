/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c - what queues accept, replace, ignore, drop and count */
#include <ach/interface/opaque.h>
#include <ach/interface/position2d.h>

#include "rig.h"

static ach_message_t *make(uint16_t interf, uint16_t index, uint8_t type, uint32_t sequence)
{
    ach_header_t h = {.address = {.interf = interf, .index = index},
                      .type = type,
                      .subtype = 1,
                      .sequence = sequence};
    ach_message_t *m;

    REQUIRE_OK(ach_message_create(&h, NULL, &m));
    return m;
}

static ach_status_t push(ach_queue_t *q, uint16_t interf, uint16_t index, uint8_t type,
                         uint32_t sequence)
{
    ach_message_t *m = make(interf, index, type, sequence);
    ach_status_t status = ach_queue_push(q, m);

    ach_message_unref(m);
    return status;
}

static void expect(ach_queue_t *q, uint32_t sequence)
{
    ach_message_t *m = ach_queue_pop(q);

    if (CHECK(m))
        CHECK(ach_message_header(m)->sequence == sequence);
    ach_message_unref(m);
}

static void count_wake(void *context)
{
    ++*(unsigned *)context;
}

static void test_order(void)
{
    unsigned wakes = 0;
    ach_queue_t *q;

    REQUIRE_OK(ach_queue_create(0, 0, count_wake, &wakes, &q));
    CHECK(!ach_queue_pop(q));
    CHECK_OK(push(q, 4, 0, ACH_MSG_DATA, 1));
    CHECK_OK(push(q, 5, 0, ACH_MSG_DATA, 2));
    CHECK_OK(push(q, 4, 0, ACH_MSG_DATA, 3));
    CHECK(wakes == 1);
    CHECK(ach_queue_length(q) == 3);
    expect(q, 1);
    expect(q, 2);
    expect(q, 3);
    CHECK(!ach_queue_pop(q));
    CHECK_OK(push(q, 4, 0, ACH_MSG_DATA, 4));
    CHECK(wakes == 2);
    ach_queue_close(q);
}

static void test_overflow(void)
{
    ach_queue_t *q;
    uint32_t i;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    for (i = 0; i < ACH_QUEUE_MESSAGES; i++)
        CHECK_OK(push(q, 4, 0, i % 2 ? ACH_MSG_DATA : ACH_MSG_CMD, i));
    for (i = 0; i < 3000; i++)
        CHECK_STATUS(push(q, 4, 0, i % 2 ? ACH_MSG_DATA : ACH_MSG_CMD, i), ACH_OVERFLOW);
    CHECK(ach_queue_lost(q) == 3000);
    CHECK(ach_queue_lost(q) == 0);
    CHECK_OK(push(q, 4, 0, ACH_MSG_REQ, 5000)); /* never dropped */
    CHECK_OK(push(q, 4, 0, ACH_MSG_ACK, 5001));
    CHECK_OK(push(q, 4, 0, ACH_MSG_NACK, 5002));
    CHECK(ach_queue_length(q) == ACH_QUEUE_MESSAGES + 3);
    expect(q, 0);
    CHECK_STATUS(push(q, 4, 0, ACH_MSG_DATA, 1), ACH_OVERFLOW);
    for (i = 1; i < ACH_QUEUE_MESSAGES; i++)
        expect(q, i);
    expect(q, 5000);
    CHECK(ach_queue_lost(q) == 1);
    ach_queue_close(q);
}

/* The reader learns of a loss also if its queue is empty. */
static void test_loss_wakes(void)
{
    unsigned wakes = 0;
    ach_queue_t *q;

    REQUIRE_OK(ach_queue_create(0, 0, count_wake, &wakes, &q));
    ach_queue_limit(q, 1, NULL);
    CHECK_STATUS(push(q, 4, 0, ACH_MSG_DATA, 1), ACH_OVERFLOW);
    CHECK_STATUS(push(q, 4, 0, ACH_MSG_DATA, 2), ACH_OVERFLOW);
    CHECK(wakes == 1);
    CHECK(ach_queue_lost(q) == 2);
    CHECK_STATUS(push(q, 4, 0, ACH_MSG_DATA, 3), ACH_OVERFLOW);
    CHECK(wakes == 2);
    ach_queue_close(q);
}

static void test_bytes(void)
{
    uint8_t data[1000] = {0};
    ach_opaque_data_t body = {.data_count = sizeof(data), .data = data};
    ach_header_t h = {.address = {.interf = 51}, .type = ACH_MSG_DATA, .subtype = 1};
    ach_message_t *m;
    ach_queue_t *q;
    unsigned n = 0;

    REQUIRE_OK(ach_message_create(&h, &body, &m));
    REQUIRE_OK(ach_queue_create(0, 10000, NULL, NULL, &q));
    while (ach_queue_push(q, m) == ACH_OK)
        n++;
    CHECK(n >= 8 && n <= 10);
    CHECK(ach_queue_lost(q) == 1);
    ach_message_unref(ach_queue_pop(q));
    CHECK_OK(ach_queue_push(q, m));
    ach_message_unref(m);
    ach_queue_close(q);
}

static ach_message_t *large(uint8_t type, size_t size)
{
    ach_header_t h = {.address = {.interf = ACH_OPAQUE_CODE}, .type = type, .subtype = 1};
    void *bytes = calloc(1, size);
    ach_message_t *m;

    REQUIRE(bytes);
    REQUIRE_OK(ach_message_wrap(&h, bytes, size, &m));
    free(bytes);
    return m;
}

/* Requests are limited in number and in bytes; these limits do not apply to answers and data. */
static void test_requests(void)
{
    ach_message_t *request = large(ACH_MSG_REQ, 1 << 20), *answer = large(ACH_MSG_ACK, 1 << 20);
    ach_queue_t *q;
    unsigned n = 0;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    while (n < 1000 && ach_queue_push(q, request) == ACH_OK)
        n++;
    CHECK(n == 63); /* the limit is 64 MB, with the overhead of each */
    CHECK_OK(ach_queue_push(q, answer));
    CHECK(ach_queue_lost(q) == 0 && ach_queue_length(q) == n + 1);
    ach_message_unref(ach_queue_pop(q));
    CHECK_OK(ach_queue_push(q, request));
    CHECK_STATUS(ach_queue_push(q, request), ACH_OVERFLOW);
    ach_queue_close(q);
    ach_message_unref(request);
    ach_message_unref(answer);

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    for (n = 0; n < 16 * ACH_QUEUE_MESSAGES; n++)
        if (!CHECK_OK(push(q, 4, 0, ACH_MSG_REQ, n)))
            break;
    CHECK_STATUS(push(q, 4, 0, ACH_MSG_REQ, n), ACH_OVERFLOW);
    CHECK_OK(push(q, 4, 0, ACH_MSG_NACK, n));
    expect(q, 0);
    CHECK_OK(push(q, 4, 0, ACH_MSG_REQ, n));
    CHECK_STATUS(push(q, 4, 0, ACH_MSG_REQ, n), ACH_OVERFLOW);
    ach_queue_close(q);
}

static void rule(ach_queue_t *q, int32_t interf, int32_t index, int32_t type, int32_t subtype,
                 int32_t replace)
{
    CHECK_OK(ach_queue_rule(q, &(ach_rule_t){interf, index, type, subtype, replace}));
}

static void test_rules(void)
{
    ach_queue_t *q;
    unsigned i;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    rule(q, 4, 1, ACH_MSG_DATA, -1, ACH_RULE_ACCEPT); /* the first match wins */
    rule(q, 4, -1, ACH_MSG_DATA, -1, ACH_RULE_REPLACE);
    rule(q, 5, -1, -1, -1, ACH_RULE_IGNORE);
    for (i = 1; i <= 3; i++) {
        CHECK_OK(push(q, 4, 0, ACH_MSG_DATA, i));
        CHECK_OK(push(q, 4, 1, ACH_MSG_DATA, 10 + i));
        CHECK_OK(push(q, 4, 2, ACH_MSG_DATA, 20 + i));
        CHECK_OK(push(q, 5, 0, ACH_MSG_DATA, 30 + i));
        CHECK_OK(push(q, 4, 0, ACH_MSG_CMD, 40 + i));
    }
    CHECK_OK(push(q, 5, 0, ACH_MSG_ACK, 99)); /* answers are never ignored */
    CHECK(ach_queue_length(q) == 1 + 3 + 1 + 3 + 1);
    expect(q, 11);
    expect(q, 41);
    expect(q, 12);
    expect(q, 42);
    expect(q, 3);
    expect(q, 13);
    expect(q, 23);
    expect(q, 43);
    expect(q, 99);
    CHECK(ach_queue_lost(q) == 0);
    CHECK_STATUS(ach_queue_rule(q, &(ach_rule_t){4, 0, 1, 1, 3}), ACH_EINVAL);
    CHECK_STATUS(ach_queue_rule(q, &(ach_rule_t){-2, 0, 1, 1, 0}), ACH_EINVAL);
    for (i = 3; i < 256; i++)
        rule(q, 4, -1, -1, -1, ACH_RULE_ACCEPT);
    CHECK_STATUS(ach_queue_rule(q, &(ach_rule_t){4, 0, 1, 1, 0}), ACH_OVERFLOW);
    ach_queue_close(q);
}

/* A full queue accepts newer data that replaces data of the same kind. */
static void test_replace_when_full(void)
{
    ach_queue_t *q;
    uint32_t i;

    REQUIRE_OK(ach_queue_create(4, 0, NULL, NULL, &q));
    rule(q, -1, -1, ACH_MSG_DATA, -1, ACH_RULE_REPLACE);
    for (i = 0; i < 4; i++)
        CHECK_OK(push(q, 4, (uint16_t)i, ACH_MSG_DATA, i));
    CHECK_OK(push(q, 4, 2, ACH_MSG_DATA, 100));
    CHECK_STATUS(push(q, 4, 9, ACH_MSG_DATA, 101), ACH_OVERFLOW);
    CHECK(ach_queue_lost(q) == 1);
    expect(q, 0);
    expect(q, 1);
    expect(q, 3);
    expect(q, 100);
    ach_queue_close(q);
}

static ach_message_t *make_large(size_t size)
{
    static unsigned char bytes[1 << 20];
    const ach_header_t h = {
        .address = {.interf = ACH_OPAQUE_CODE}, .type = ACH_MSG_DATA, .subtype = 1};
    ach_message_t *m;

    REQUIRE_OK(ach_message_wrap(&h, bytes, size, &m));
    return m;
}

/* A queue may hold up to its limit, and no more than what is left in the budget for others. */
static void test_budget(void)
{
    ach_queue_usage_t u = {.size = sizeof(u)};
    ach_message_t *m = make_large(100000);
    ach_queue_t *a, *b;
    ach_budget_t *budget;
    size_t left;

    REQUIRE_OK(ach_budget_create(350000, &budget));
    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &a));
    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &b));
    ach_queue_limit(a, 250000, budget);
    ach_queue_limit(b, 1000000, budget);
    CHECK_OK(ach_queue_push(a, m));
    left = ach_budget_left(budget);
    CHECK(left < 250000);
    CHECK_OK(ach_queue_push(b, m)); /* the budget counts it once */
    CHECK(left - ach_budget_left(budget) < 1000);
    ach_message_unref(m);
    m = make_large(100000);
    CHECK_OK(ach_queue_push(a, m));
    CHECK_STATUS(ach_queue_push(a, m), ACH_OVERFLOW); /* its own limit */
    ach_message_unref(m);
    m = make_large(100000);
    CHECK_STATUS(ach_queue_push(b, m), ACH_OVERFLOW); /* more than would be left */
    CHECK(ach_queue_lost(a) == 1 && ach_queue_lost(b) == 1);
    ach_message_unref(m);
    ach_queue_usage(a, &u);
    CHECK(u.bytes > 200000 && u.answers == 0 && u.requests == 0 && u.refused == 0);
    ach_budget_add(budget, 1000000);
    CHECK(ach_budget_left(budget) == 0);
    CHECK_OK(push(a, ACH_OPAQUE_CODE, 0, ACH_MSG_ACK, 1)); /* answers are never refused */
    ach_budget_sub(budget, 1000000);
    ach_queue_close(a);
    ach_queue_close(b);
    CHECK(ach_budget_left(budget) == 350000);
    ach_budget_destroy(budget);
}

int main(void)
{
    test_budget();
    test_order();
    test_overflow();
    test_loss_wakes();
    test_bytes();
    test_requests();
    test_rules();
    test_replace_when_full();
    return check_result();
}
