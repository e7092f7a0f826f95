/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.c - requests and their answers, and what becomes of commands
 *
 * A request knows the queue for its answer. One that is freed before it was answered is answered
 * with a NACK; so the last reference to any message is given up here.
 */
#include <ach.h>
#include <string.h>

#include "budget.h"
#include "message.h"
#include "queue.h"

ach_status_t dev_message_expect(ach_message_t *m, ach_queue_t *answers)
{
    if (answers && !dev_queue_ask(answers, m))
        return ach_errstr_set(ACH_OVERFLOW, "too many bytes of requests are not answered yet");
    m->answers = answers ? dev_queue_ref(answers) : NULL;
    return ACH_OK;
}

void dev_message_sent_by(ach_message_t *m, ach_queue_t *sender)
{
    m->answers = dev_queue_ref(sender);
}

void dev_message_settle(const ach_message_t *m, const char *why)
{
    if (m->header.type == ACH_MSG_CMD && m->answers)
        dev_queue_settle(m->answers, m, why);
}

bool dev_message_claim(const ach_message_t *message)
{
    ach_message_t *m = (ach_message_t *)(uintptr_t)message;

    return !__atomic_exchange_n(&m->answered, 1, __ATOMIC_ACQ_REL);
}

static ach_status_t answer_flush(const ach_queue_t *sender, const ach_header_t *h,
                                 ach_message_t **answer)
{
    ach_queue_usage_t u = {.size = sizeof(u)};
    ach_flush_t body;

    ach_queue_usage(sender, &u);
    if (!u.unhandled)
        return ach_message_create(h, NULL, answer);
    body = (ach_flush_t){.unhandled = u.unhandled,
                         .why_count = (uint32_t)strlen(u.unhandled_why),
                         .why = u.unhandled_why};
    return ach_message_create(h, &body, answer);
}

ach_status_t dev_message_answer(const ach_message_t *request, uint8_t type, double time,
                                const ach_message_t *with)
{
    ach_header_t h = request->header;
    ach_message_t *answer = NULL;
    ach_status_t status;

    if (!request->answers)
        return ACH_OK;
    h.type = type;
    h.timestamp = time;
    if (dev_message_is_flush(request))
        status = answer_flush(request->answers, &h, &answer);
    else if (with)
        status = ach_message_again(with, &h, &answer);
    else
        status = ach_message_create(&h, NULL, &answer);
    if (status != ACH_OK || !dev_queue_fits(request->answers, answer)) {
        ach_message_unref(answer);
        h.type = ACH_MSG_NACK;
        status = ach_message_create(&h, NULL, &answer);
    }
    if (status != ACH_OK)
        return status;
    if (ach_queue_push(request->answers, answer) == ACH_OK)
        dev_queue_attend(request->answers);
    ach_message_unref(answer);
    return ACH_OK;
}

static void request_destroy(ach_message_t *m)
{
    if (m->header.type == ACH_MSG_REQ && m->answers && dev_message_claim(m))
        dev_message_answer(m, ACH_MSG_NACK, m->header.timestamp, NULL);
    if (m->header.type == ACH_MSG_REQ && m->answers)
        dev_queue_asked(m->answers, m);
    if (m->answers)
        dev_queue_unref(m->answers);
    if (m->budget) {
        ach_budget_sub(m->budget, m->counted);
        dev_budget_unref(m->budget);
    }
    dev_message_free(m);
}

void ach_message_unref(ach_message_t *message)
{
    if (message && __atomic_fetch_sub(&message->refs, 1, __ATOMIC_ACQ_REL) == 1)
        request_destroy(message);
}
