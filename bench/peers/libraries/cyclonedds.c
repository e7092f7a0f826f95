/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cyclonedds.c - Eclipse Cyclone DDS over UDP on the loopback interface
 *
 * Each process has one participant, however many links it has an end of; a
 * link is a topic. Received samples are read in place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <dds/dds.h>

#include "contender.h"
#include "frame.h"
#include "until.h"

enum { DEPTH = 64 };

/* Fragments as large as a datagram may be, because the loopback interface takes them whole. */
static const char config[] =
    "<CycloneDDS><Domain Id=\"any\">"
    "<General>"
    "<Interfaces><NetworkInterface name=\"lo\"/></Interfaces><AllowMulticast>false</AllowMulticast>"
    "<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize>"
    "</General>"
    "<Discovery>"
    "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>40</MaxAutoParticipantIndex>"
    "<Peers><Peer Address=\"127.0.0.1\"/></Peers>"
    "</Discovery>"
    "<Internal>"
    "<SynchronousDeliveryLatencyBound>inf</SynchronousDeliveryLatencyBound>"
    "<SynchronousDeliveryPriorityThreshold>0</SynchronousDeliveryPriorityThreshold>"
    "<SocketReceiveBufferSize max=\"4MiB\"/>"
    "</Internal>"
    "</Domain></CycloneDDS>";

static struct {
    dds_entity_t domain, participant;
    unsigned users;
} process;

struct cyclone {
    struct job job;
    bool reliable;
    unsigned program; /* processes of other programs must not meet these */
    bool is_open;
    dds_entity_t end, waitset; /* end: reader or writer */
    void *taken;
};

static void *setup(const struct job *job, bool reliable)
{
    struct cyclone *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->job = *job;
    c->reliable = reliable;
    c->program = (unsigned)getpid();
    return c;
}

static void *reliable_setup(const struct job *job)
{
    return setup(job, true);
}

static void *best_effort_setup(const struct job *job)
{
    return setup(job, false);
}

static void peer_finish(void *link)
{
    free(link);
}

static bool join(unsigned program)
{
    if (process.users++ > 0)
        return process.participant > 0;
    dds_domainid_t id = 1 + program % 200;
    process.domain = dds_create_domain(id, config);
    process.participant =
        process.domain > 0 ? dds_create_participant(id, NULL, NULL) : process.domain;
    return process.participant > 0;
}

static void leave(void)
{
    if (--process.users == 0 && process.domain > 0)
        dds_delete(process.domain);
}

static dds_qos_t *quality(const struct cyclone *c)
{
    dds_qos_t *q = dds_create_qos();
    dds_qset_reliability(q, c->reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
                         DDS_MSECS(100));
    dds_qset_history(q, DDS_HISTORY_KEEP_LAST, DEPTH);
    dds_qset_durability(q, DDS_DURABILITY_VOLATILE);
    dds_qset_latency_budget(q, 0);
    dds_qset_writer_data_lifecycle(q, false);
    return q;
}

static bool open_sender(struct cyclone *c, dds_entity_t topic, const dds_qos_t *q)
{
    c->end = dds_create_writer(process.participant, topic, q, NULL);
    return c->end > 0;
}

static bool open_receiver(struct cyclone *c, dds_entity_t topic, const dds_qos_t *q)
{
    c->end = dds_create_reader(process.participant, topic, q, NULL);
    c->waitset = dds_create_waitset(process.participant);
    dds_entity_t ready = dds_create_readcondition(c->end, DDS_ANY_STATE);
    return c->end > 0 && ready > 0 && dds_waitset_attach(c->waitset, ready, 0) == DDS_RETCODE_OK;
}

static bool peer_open(void *link, enum side side, unsigned index)
{
    (void)index;
    struct cyclone *c = link;
    c->is_open = true;
    if (!join(c->program))
        return false;
    char name[64];
    snprintf(name, sizeof(name), "peers_%u_%u", c->program, c->job.id);
    dds_qos_t *q = quality(c);
    dds_entity_t topic = dds_create_topic(process.participant, &peers_frame_desc, name, q, NULL);
    bool ok = topic > 0 && (side == SENDER ? open_sender : open_receiver)(c, topic, q);
    dds_delete_qos(q);
    return ok;
}

static void peer_close(void *link, enum side side, unsigned index)
{
    (void)side;
    (void)index;
    struct cyclone *c = link;
    if (c->is_open)
        leave();
}

/* A reliable writer waits for acknowledgements when it has too much that has none. */
static int peer_send(void *link, const void *message, size_t size)
{
    struct cyclone *c = link;
    peers_frame frame = {{._maximum = (uint32_t)size, ._length = (uint32_t)size}};
    frame.bytes._buffer = (uint8_t *)message;
    dds_return_t result = dds_write(c->end, &frame);
    return result == DDS_RETCODE_OK ? 1 : result == DDS_RETCODE_TIMEOUT ? 0 : -1;
}

/* NULL if there is none now. A sample without data tells of a writer that has gone. */
static const peers_frame *take_now(struct cyclone *c)
{
    dds_sample_info_t info;
    c->taken = NULL;
    while (dds_take(c->end, &c->taken, &info, 1, 1) == 1) {
        if (info.valid_data)
            return c->taken;
        dds_return_loan(c->end, &c->taken, 1);
        c->taken = NULL;
    }
    return NULL;
}

static const peers_frame *take_blocking(struct cyclone *c, int timeout_ms)
{
    dds_time_t end = dds_time() + DDS_MSECS((int64_t)timeout_ms);
    const peers_frame *frame = NULL;
    while (!frame && dds_waitset_wait_until(c->waitset, NULL, 0, end) > 0)
        frame = take_now(c);
    return frame;
}

static const peers_frame *take_spinning(struct cyclone *c, int timeout_ms)
{
    struct until until = until_after(timeout_ms);
    const peers_frame *frame;
    while (!(frame = take_now(c)) && !until_over(&until))
        ;
    return frame;
}

static const void *peer_take(void *link, size_t *size, int timeout_ms)
{
    struct cyclone *c = link;
    const peers_frame *frame =
        (c->job.mode == MODE_SPIN ? take_spinning : take_blocking)(c, timeout_ms);
    if (!frame)
        return NULL;
    *size = frame->bytes._length;
    return frame->bytes._buffer;
}

static bool peer_give_back(void *link, const void *place)
{
    (void)place;
    struct cyclone *c = link;
    return dds_return_loan(c->end, &c->taken, 1) == DDS_RETCODE_OK;
}

#define SETTINGS                                                                                   \
    "UDP on lo, fragments of 65000 bytes as in its own benchmark; synchronous delivery, latency "  \
    "budget 0, keep last 64; received in place; "

#define CONTENDER(NAME, SETUP, MORE)                                                               \
    {                                                                                              \
        .name = NAME, .source = __FILE__ " libraries/until.h", .kind = KIND_LIBRARY,               \
        .package = "cyclonedds-dev", .settings = SETTINGS MORE, .modes = MODE_BLOCK | MODE_SPIN,   \
        .max_size = (size_t)1 << 30, .setup = SETUP, .finish = peer_finish, .open = peer_open,     \
        .close = peer_close, .send = peer_send, .take = peer_take, .give_back = peer_give_back,    \
    }

static const struct contender reliable = CONTENDER(
    "cyclonedds", reliable_setup,
    "reliable: a slow receiver loses the oldest, and holds up the sender of much data for "
    "at most 100 ms (the default)");

static const struct contender best_effort =
    CONTENDER("cyclonedds-besteffort", best_effort_setup,
              "best effort: no acknowledgements, a slow receiver loses the oldest");

const struct contender *const contenders[] = {&reliable, &best_effort, NULL};
