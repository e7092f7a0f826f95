/* SPDX-License-Identifier: BSD-3-Clause */
#include "route.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common.h"
#include "payload.h"
#include "rawtype.h"

/* The type of a channel whose messages have a definition of ROS. NULL: it has another one. */
static const ach_channel_type_t *described(const ach_channel_t *chan)
{
    const ach_channel_type_t *type;

    if (ach_channel_type(chan, &type) == ACH_OK && strcmp(type->encoding, "cdr") == 0 &&
        type->schema_encoding &&
        (strcmp(type->schema_encoding, "ros2msg") == 0 ||
         strcmp(type->schema_encoding, "ros1msg") == 0))
        return type;
    return NULL;
}

static bool name_route(struct achdds_route *r, const ach_channel_type_t *type)
{
    r->ros2 = r->naming == ACHDDS_ROS2 || (r->naming == ACHDDS_BY_TYPE && type &&
                                           strcmp(type->schema_encoding, "ros2msg") == 0);
    if (!achdds_topic_name(r->topic_name, r->topic ? r->topic : r->channel, r->ros2))
        return false;
    if (type)
        return achdds_type_name(r->type_name, type->name, r->ros2);
    strcpy(r->type_name, "ach::Bytes"); /* of bytes.idl */
    return true;
}

static bool define_type(struct achdds_route *r, const ach_channel_type_t *type)
{
    if (ach_definition_new(type->name, type->schema, type->schema_size, &r->definition) != ACH_OK) {
        tool_complain("the schema of the channel '%s' is wrong: %s", r->channel, ach_errstr());
        return false;
    }
    r->type = ach_definition_type(r->definition);
    return true;
}

/* Messages that the channel already holds are old, so only a transient-local topic gets one. */
static bool open_channel(struct achdds_route *r, ach_info_t *info)
{
    enum ach_status status;

    if (r->direction & ACHDDS_PUSH && !tool_open_for_get(&r->source, r->channel))
        return false;
    if (r->direction & ACHDDS_PULL && !tool_open_for_put(&r->sink, r->channel, NULL))
        return false;
    if (r->direction & ACHDDS_PUSH && !r->qos.transient_local)
        ach_flush(&r->source);
    status = ach_channel_info(r->direction & ACHDDS_PULL ? &r->sink : &r->source, info);
    if (status == ACH_OK && r->direction & ACHDDS_PULL && info->readonly)
        status = ACH_EACCES;
    if (status != ACH_OK)
        tool_complain("cannot %s the channel '%s': %s",
                      r->direction & ACHDDS_PULL ? "put into" : "get from", r->channel,
                      tool_status_text(status));
    return status == ACH_OK;
}

bool achdds_route_open(struct achdds_route *r)
{
    const ach_channel_type_t *type;
    ach_info_t info;

    r->wake = -1;
    if (!open_channel(r, &info))
        return false;
    r->capacity = info.capacity;
    r->relayed = info.relayed;
    if (r->direction == ACHDDS_BOTH && !r->relayed) {
        tool_complain("the channel '%s' cannot be pushed and pulled, because its messages have no "
                      "origin: create it with 'ach mk --relayed'",
                      r->channel);
        return false;
    }
    type = described(r->direction & ACHDDS_PULL ? &r->sink : &r->source);
    return name_route(r, type) && (!type || define_type(r, type));
}

static void on_data(dds_entity_t reader, void *arg)
{
    const struct achdds_route *r = arg;

    (void)reader;
    eventfd_write(r->wake, 1);
}

/* Others could make as many mismatches as they like. */
#define MISMATCHES_REPORTED 10

static void on_requested(dds_entity_t reader, const dds_requested_incompatible_qos_status_t status,
                         void *arg)
{
    const struct achdds_route *r = arg;

    (void)reader;
    if (status.total_count > MISMATCHES_REPORTED)
        return;
    tool_complain("a writer of %s does not match: its %s offers less than requested here",
                  r->topic_name, achdds_qos_policy(status.last_policy_id));
}

static void on_offered(dds_entity_t writer, const dds_offered_incompatible_qos_status_t status,
                       void *arg)
{
    const struct achdds_route *r = arg;

    (void)writer;
    if (status.total_count > MISMATCHES_REPORTED)
        return;
    tool_complain("a reader of %s does not match: its %s requests more than offered here",
                  r->topic_name, achdds_qos_policy(status.last_policy_id));
}

static bool join_failed(const struct achdds_route *r, const char *what, dds_return_t code)
{
    tool_complain("cannot create a %s for %s: %s", what, r->topic_name, dds_strretcode(code));
    return false;
}

static dds_entity_t create_topic(struct achdds_route *r, dds_entity_t participant)
{
    size_t most = r->capacity < ACHDDS_MESSAGE_MAX ? r->capacity : ACHDDS_MESSAGE_MAX;
    struct ddsi_sertype *type =
        achdds_rawtype_new(r->type_name, achdds_payload_room(most) + 4, &r->arrivals);
    dds_entity_t topic = DDS_RETCODE_OUT_OF_RESOURCES;

    if (type)
        topic = dds_create_topic_sertype(participant, r->topic_name, &type, NULL, NULL, NULL);
    if (type && topic < 0)
        ddsi_sertype_unref(type);
    r->sertype = type;
    return topic;
}

static dds_qos_t *group_qos(const struct achdds_route *r)
{
    dds_qos_t *qos = dds_create_qos();

    if (r->qos.partition)
        dds_qset_partition1(qos, r->qos.partition);
    return qos;
}

static bool create_writer(struct achdds_route *r, dds_entity_t participant, dds_entity_t topic,
                          const dds_qos_t *qos, const dds_listener_t *listener)
{
    dds_qos_t *group = group_qos(r);
    dds_entity_t publisher = dds_create_publisher(participant, group, NULL);

    dds_delete_qos(group);
    r->writer = publisher < 0 ? publisher : dds_create_writer(publisher, topic, qos, listener);
    return r->writer >= 0 || join_failed(r, "writer", r->writer);
}

static bool create_reader(struct achdds_route *r, dds_entity_t participant, dds_entity_t topic,
                          const dds_qos_t *qos, const dds_listener_t *listener)
{
    dds_qos_t *group = group_qos(r);
    dds_entity_t subscriber = dds_create_subscriber(participant, group, NULL);

    dds_delete_qos(group);
    r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (r->wake < 0) {
        tool_complain("cannot create an eventfd: %s", strerror(errno));
        return false;
    }
    r->reader = subscriber < 0 ? subscriber : dds_create_reader(subscriber, topic, qos, listener);
    return r->reader >= 0 || join_failed(r, "reader", r->reader);
}

/* Any number that depends on domain, partition and topic. The hash of types serves for it. */
static uint64_t number_topic(const struct achdds_route *r, uint32_t domain)
{
    const char *partition = r->qos.partition ? r->qos.partition : "";
    char id[16];
    ach_channel_type_t parts = {.name = r->topic_name,
                                .encoding = id,
                                .schema_encoding = "dds",
                                .schema = partition,
                                .schema_size = strlen(partition)};

    snprintf(id, sizeof(id), "%u", domain);
    return ach_channel_type_hash(&parts);
}

bool achdds_route_join(struct achdds_route *r, dds_entity_t participant, uint32_t domain)
{
    dds_listener_t *listener = dds_create_listener(r);
    dds_qos_t *qos = achdds_qos_new(&r->qos);
    dds_entity_t topic = create_topic(r, participant);
    bool ok = topic >= 0 || join_failed(r, "topic", topic);

    r->topic_number = number_topic(r, domain);
    dds_lset_data_available(listener, on_data);
    dds_lset_requested_incompatible_qos(listener, on_requested);
    dds_lset_offered_incompatible_qos(listener, on_offered);
    if (r->direction & ACHDDS_PUSH)
        ok = ok && create_writer(r, participant, topic, qos, listener);
    if (r->direction & ACHDDS_PULL)
        ok = ok && create_reader(r, participant, topic, qos, listener);
    dds_delete_qos(qos);
    dds_delete_listener(listener);
    return ok;
}

void achdds_route_refuse(struct achdds_counts *c, const char *from)
{
    if (c->refused++ == 0)
        tool_complain("a message of %s is refused: %s", from, ach_errstr());
}

static void report(FILE *to, const char *from, const char *into, const struct achdds_counts *c)
{
    fprintf(to,
            "%s: %s to %s: %" PRIu64 " messages, %" PRIu64 " bytes, %" PRIu64 " missed, %" PRIu64
            " refused\n",
            tool_name, from, into, c->messages, c->bytes, c->missed, c->refused);
}

/* Arrivals that were not taken are overwritten in the history of the reader. */
static uint64_t count_missed(const struct achdds_route *r)
{
    dds_sample_lost_status_t lost = {0};

    dds_get_sample_lost_status(r->reader, &lost);
    return atomic_load(&r->arrivals) - r->taken + lost.total_count;
}

void achdds_route_report(struct achdds_route *r, FILE *to)
{
    if (r->direction & ACHDDS_PUSH)
        report(to, r->channel, r->topic_name, &r->pushed);
    if (r->direction & ACHDDS_PULL) {
        r->pulled.missed = count_missed(r);
        report(to, r->topic_name, r->channel, &r->pulled);
    }
}

void achdds_route_close(struct achdds_route *r)
{
    if (r->wake >= 0)
        close(r->wake);
    if (r->source.shm)
        ach_close(&r->source);
    if (r->sink.shm)
        ach_close(&r->sink);
    ach_definition_free(r->definition);
    free(r->channel);
    free(r->topic);
}
