/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * queue.c - a queue of messages with limits, rules and a wake callback
 *
 * lock guards everything but the wake callback, which has wake_lock. So the callback
 * may use the queue, and is not running any more when ach_queue_close returns.
 */
#include "queue.h"

#include <ach.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "message.h"
#include "queue_index.h"
#include "queue_rules.h"

/* Most requests in one queue; many clients may send requests at once. */
#define REQUESTS_MAX ((size_t)16 * ACH_QUEUE_MESSAGES)

/* Bytes that a message counts besides its body. */
#define OVERHEAD 128u

struct ach_queue {
    uint32_t refs;
    bool closed;
    pthread_mutex_t lock;
    struct dev_item ends; /* head of a circular list: next is the oldest */
    size_t length, bytes, replies;
    size_t requests, request_bytes;
    size_t reply_bytes;
    size_t asked; /* bytes of pending requests that are answered here; atomic */
    size_t length_max, bytes_max;
    size_t limit;         /* of bytes + asked; 0: none */
    ach_budget_t *budget; /* shared with other queues; NULL: none */
    uint64_t lost, refused;
    uint32_t unhandled; /* commands of the queue's owner; see ach_queue_usage */
    char unhandled_why[ACH_UNHANDLED_WHY];
    struct dev_rules rules;
    struct dev_index *index; /* NULL: no rule replaces */
    pthread_mutex_t wake_lock;
    void (*wake)(void *context);
    void *context;
    void (*attend)(void *context);
    void *attendant;
    void (*settled)(void *context, const ach_message_t *command, const char *why);
    void *settler;
};

ach_status_t ach_queue_create(unsigned messages, size_t bytes, void (*wake)(void *context),
                              void *context, ach_queue_t **queue)
{
    ach_queue_t *q = calloc(1, sizeof(*q));

    if (!q)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a queue");
    q->refs = 1;
    pthread_mutex_init(&q->lock, NULL);
    pthread_mutex_init(&q->wake_lock, NULL);
    q->ends.next = q->ends.prev = &q->ends;
    q->length_max = messages ? messages : ACH_QUEUE_MESSAGES;
    q->bytes_max = bytes ? bytes : ACH_QUEUE_BYTES;
    q->wake = wake;
    q->context = context;
    *queue = q;
    return ACH_OK;
}

ach_queue_t *dev_queue_ref(ach_queue_t *q)
{
    __atomic_fetch_add(&q->refs, 1, __ATOMIC_RELAXED);
    return q;
}

void dev_queue_unref(ach_queue_t *q)
{
    if (__atomic_fetch_sub(&q->refs, 1, __ATOMIC_ACQ_REL) != 1)
        return;
    pthread_mutex_destroy(&q->lock);
    pthread_mutex_destroy(&q->wake_lock);
    dev_budget_unref(q->budget);
    free(q->rules.list);
    free(q->index);
    free(q);
}

void dev_queue_attended(ach_queue_t *q, void (*attend)(void *context), void *context)
{
    q->attend = attend;
    q->attendant = context;
}

void dev_queue_attend(const ach_queue_t *q)
{
    if (q->attend)
        q->attend(q->attendant);
}

void ach_queue_unhandled(ach_queue_t *queue, const char *why)
{
    pthread_mutex_lock(&queue->lock);
    queue->unhandled++;
    snprintf(queue->unhandled_why, sizeof(queue->unhandled_why), "%s", why);
    pthread_mutex_unlock(&queue->lock);
}

void dev_queue_settled(ach_queue_t *q,
                       void (*settled)(void *context, const ach_message_t *command,
                                       const char *why),
                       void *context)
{
    q->settled = settled;
    q->settler = context;
}

void dev_queue_settle(ach_queue_t *q, const ach_message_t *command, const char *why)
{
    if (q->settled)
        q->settled(q->settler, command, why);
    else if (why)
        ach_queue_unhandled(q, why);
}

/* Requests and their answers are never dropped, ignored or replaced. */
static bool may_drop(const ach_header_t *h)
{
    return h->type == ACH_MSG_DATA || h->type == ACH_MSG_CMD;
}

static size_t weight(const ach_message_t *m)
{
    return OVERHEAD + (m->bytes ? m->bytes->size : 0);
}

void ach_queue_limit(ach_queue_t *queue, size_t bytes, ach_budget_t *budget)
{
    queue->limit = bytes;
    queue->budget = dev_budget_ref(budget);
}

/*
 * A queue may hold as many bytes as are left of the budget. So clients that hold all they can
 * leave to the others as much as each of them holds; and a client that holds little still has
 * room when those that hold much have none.
 */
static bool has_room(const ach_queue_t *q, const ach_message_t *m)
{
    size_t mine = q->bytes + __atomic_load_n(&q->asked, __ATOMIC_RELAXED) + weight(m);
    size_t left;

    if (!q->limit)
        return true;
    left = ach_budget_left(q->budget);
    if (q->budget && __atomic_load_n(&m->budget, __ATOMIC_RELAXED) == q->budget)
        left += weight(m); /* it is counted already */
    return mine <= q->limit && mine <= left;
}

bool dev_queue_fits(ach_queue_t *q, const ach_message_t *m)
{
    bool fits;

    pthread_mutex_lock(&q->lock);
    fits = !m->bytes || has_room(q, m);
    q->refused += !fits;
    pthread_mutex_unlock(&q->lock);
    return fits;
}

bool dev_queue_count(ach_queue_t *q, const ach_message_t *m)
{
    bool room;

    pthread_mutex_lock(&q->lock);
    room = !m->bytes || has_room(q, m);
    pthread_mutex_unlock(&q->lock);
    if (room)
        ach_budget_count(q->budget, m);
    return room;
}

bool dev_queue_ask(ach_queue_t *q, const ach_message_t *m)
{
    if (__atomic_add_fetch(&q->asked, weight(m), __ATOMIC_RELAXED) <= ACH_QUEUE_BYTES)
        return true;
    dev_queue_asked(q, m);
    return false;
}

void dev_queue_asked(ach_queue_t *q, const ach_message_t *m)
{
    __atomic_sub_fetch(&q->asked, weight(m), __ATOMIC_RELAXED);
}

/* Update the counters for a message that is added or removed. */
static void queue_count(ach_queue_t *q, const ach_message_t *m, bool comes)
{
    size_t one = comes ? 1 : (size_t)-1, bytes = comes ? weight(m) : -weight(m);
    bool request = m->header.type == ACH_MSG_REQ;

    __atomic_store_n(&q->length, q->length + one, __ATOMIC_SEQ_CST); /* read without the lock */
    q->bytes += bytes;
    q->replies += may_drop(&m->header) ? 0 : one;
    q->reply_bytes += may_drop(&m->header) ? 0 : bytes;
    q->requests += request ? one : 0;
    q->request_bytes += request ? bytes : 0;
}

/* Remove an item. The caller owns its message. */
static ach_message_t *queue_take(ach_queue_t *q, struct dev_item *i)
{
    ach_message_t *m = i->message;

    i->next->prev = i->prev;
    i->prev->next = i->next;
    if (q->index)
        dev_index_remove(q->index, i);
    queue_count(q, m, false);
    ach_budget_sub(q->budget, sizeof(*i));
    free(i);
    return m;
}

static ach_message_t *pop(ach_queue_t *q)
{
    return q->ends.next == &q->ends ? NULL : queue_take(q, q->ends.next);
}

ach_message_t *ach_queue_pop(ach_queue_t *queue)
{
    ach_message_t *m;

    pthread_mutex_lock(&queue->lock);
    m = pop(queue);
    pthread_mutex_unlock(&queue->lock);
    return m;
}

void ach_queue_close(ach_queue_t *queue)
{
    ach_message_t *m;

    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_mutex_unlock(&queue->lock);
    pthread_mutex_lock(&queue->wake_lock);
    queue->wake = NULL;
    pthread_mutex_unlock(&queue->wake_lock);
    while ((m = ach_queue_pop(queue)))
        ach_message_unref(m);
    dev_queue_unref(queue);
}

static int32_t ruling(const ach_queue_t *q, const ach_header_t *h)
{
    return may_drop(h) ? dev_rules_find(&q->rules, h) : ACH_RULE_ACCEPT;
}

/* Index the messages that were queued before the rule, newest first. */
static void index_all(ach_queue_t *q)
{
    struct dev_item *i;

    for (i = q->ends.prev; i != &q->ends; i = i->prev)
        if (ruling(q, &i->message->header) == ACH_RULE_REPLACE &&
            !dev_index_find(q->index, &i->message->header))
            dev_index_add(q->index, i);
}

static ach_status_t add_rule(ach_queue_t *q, const ach_rule_t *rule)
{
    bool replace = rule->replace == ACH_RULE_REPLACE;
    ach_status_t status;

    if (replace && !q->index)
        q->index = calloc(1, sizeof(*q->index));
    if (replace && !q->index)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a rule");
    status = dev_rules_add(&q->rules, rule);
    if (status == ACH_OK && replace)
        index_all(q);
    return status;
}

ach_status_t ach_queue_rule(ach_queue_t *queue, const ach_rule_t *rule)
{
    ach_status_t status;

    if (!dev_rule_valid(rule))
        return ach_errstr_set(ACH_EINVAL, "not a replace rule");
    pthread_mutex_lock(&queue->lock);
    status = add_rule(queue, rule);
    pthread_mutex_unlock(&queue->lock);
    return status;
}

/* Remove the queued message of the same kind; NULL: there is none. */
static ach_message_t *take_older(ach_queue_t *q, const ach_header_t *h)
{
    struct dev_item *i = dev_index_find(q->index, h);

    return i ? queue_take(q, i) : NULL;
}

static bool full(const ach_queue_t *q, const ach_message_t *m)
{
    return q->length >= q->length_max || weight(m) > q->bytes_max - q->bytes;
}

/* Requests are limited too; the sender gets ACH_OVERFLOW. */
static bool too_many(const ach_queue_t *q, const ach_message_t *m)
{
    return m->header.type == ACH_MSG_REQ &&
           (q->requests >= REQUESTS_MAX || q->request_bytes + weight(m) > ACH_QUEUE_BYTES);
}

static ach_status_t append(ach_queue_t *q, const ach_message_t *m, bool indexed)
{
    struct dev_item *i;

    if (too_many(q, m))
        return ACH_OVERFLOW;
    if (may_drop(&m->header) && (q->bytes > q->bytes_max || full(q, m) || !has_room(q, m))) {
        q->lost++;
        return ACH_OVERFLOW;
    }
    i = malloc(sizeof(*i));
    if (!i) {
        q->lost++;
        return ACH_OVERFLOW;
    }
    i->message = ach_message_ref(m);
    i->next = &q->ends;
    i->prev = q->ends.prev;
    i->prev->next = i->next->prev = i;
    i->indexed = false;
    if (indexed)
        dev_index_add(q->index, i);
    queue_count(q, m, true);
    ach_budget_add(q->budget, sizeof(*i));
    ach_budget_count(q->budget, m);
    return ACH_OK;
}

/* *older: the message that was replaced, or unchanged. */
static ach_status_t queue_push(ach_queue_t *q, const ach_message_t *m, ach_message_t **older)
{
    int32_t rule = ruling(q, &m->header);

    if (q->closed)
        return ACH_CLOSED;
    if (rule == ACH_RULE_IGNORE)
        return ACH_OK;
    if (rule == ACH_RULE_REPLACE)
        *older = take_older(q, &m->header);
    return append(q, m, rule == ACH_RULE_REPLACE);
}

static void queue_wake(ach_queue_t *q)
{
    pthread_mutex_lock(&q->wake_lock);
    if (q->wake)
        q->wake(q->context);
    pthread_mutex_unlock(&q->wake_lock);
}

ach_status_t ach_queue_push(ach_queue_t *queue, const ach_message_t *message)
{
    ach_message_t *older = NULL;
    bool first, complete, news;
    ach_status_t status;

    pthread_mutex_lock(&queue->lock);
    first = queue->length == 0 || !may_drop(&message->header);
    complete = queue->lost == 0;
    status = queue_push(queue, message, &older);
    news = status == ACH_OK ? first && queue->length > 0 : complete && queue->lost > 0;
    pthread_mutex_unlock(&queue->lock);
    ach_message_unref(older);
    if (news)
        queue_wake(queue);
    return status;
}

size_t ach_queue_length(const ach_queue_t *queue)
{
    return __atomic_load_n(&queue->length, __ATOMIC_SEQ_CST);
}

size_t ach_queue_replies(const ach_queue_t *queue)
{
    ach_queue_t *q = (ach_queue_t *)(uintptr_t)queue;
    size_t replies;

    pthread_mutex_lock(&q->lock);
    replies = q->replies;
    pthread_mutex_unlock(&q->lock);
    return replies;
}

uint64_t ach_queue_lost(ach_queue_t *queue)
{
    uint64_t lost;

    pthread_mutex_lock(&queue->lock);
    lost = queue->lost;
    queue->lost = 0;
    pthread_mutex_unlock(&queue->lock);
    return lost;
}

void ach_queue_usage(const ach_queue_t *queue, ach_queue_usage_t *usage)
{
    ach_queue_t *q = (ach_queue_t *)(uintptr_t)queue;
    ach_queue_usage_t u = {.size = usage->size};

    pthread_mutex_lock(&q->lock);
    u.bytes = q->bytes;
    u.answers = q->reply_bytes;
    u.refused = q->refused;
    u.unhandled = q->unhandled;
    memcpy(u.unhandled_why, q->unhandled_why, sizeof(u.unhandled_why));
    pthread_mutex_unlock(&q->lock);
    u.requests = __atomic_load_n(&q->asked, __ATOMIC_RELAXED);
    memcpy(usage, &u, usage->size < sizeof(u) ? usage->size : sizeof(u));
}
