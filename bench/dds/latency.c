/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * latency.c - one end of a way from a program to another
 *
 *     dds-latency send dds|channel NAME DOMAIN     1000 messages of 64 bytes a second, without end
 *     dds-latency receive dds|channel NAME DOMAIN  get 5000 of them, print the quantiles of the time
 *     dds-latency flood dds|channel NAME DOMAIN    messages without a pause, without end
 *     dds-latency count dds|channel NAME DOMAIN    print how many of them come in a second
 *
 * NAME is a topic of ach::Bytes, or a channel. A message begins with the time when it was sent.
 */
#include <dds/dds.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "bytes.h"
#include "monotonic.h"

#define WARM_UP 500
#define COUNT 5000
#define PERIOD_NS 1000000
#define COUNT_NS 3000000000

static uint8_t message[64];

/* One end, of either kind. */
static ach_channel_t chan;
static dds_entity_t endpoint, waitset;

static void give_up(const char *what)
{
    fprintf(stderr, "dds-latency: %s\n", what);
    exit(1);
}

static void open_topic(const char *name, const char *domain, bool sends)
{
    dds_entity_t p = dds_create_participant((dds_domainid_t)atoi(domain), NULL, NULL);
    dds_entity_t topic = dds_create_topic(p, &ach_Bytes_desc, name, NULL, NULL);
    dds_qos_t *q = dds_create_qos();

    dds_qset_reliability(q, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
    dds_qset_history(q, DDS_HISTORY_KEEP_LAST, 10);
    dds_qset_writer_data_lifecycle(q, false);
    endpoint = sends ? dds_create_writer(p, topic, q, NULL) : dds_create_reader(p, topic, q, NULL);
    dds_delete_qos(q);
    if (endpoint < 0)
        give_up(dds_strretcode(endpoint));
    waitset = dds_create_waitset(p);
    if (!sends)
        dds_waitset_attach(waitset, dds_create_readcondition(endpoint, DDS_ANY_STATE), 0);
}

static void send_one(bool channel)
{
    ach_Bytes sample = {{sizeof(message), sizeof(message), message, false}};

    if (channel ? ach_put(&chan, message, sizeof(message)) != ACH_OK
                : dds_write(endpoint, &sample) != DDS_RETCODE_OK)
        give_up("cannot send");
}

static void receive_topic(void)
{
    dds_sample_info_t info = {0};
    void *sample;

    do {
        sample = NULL;
        dds_waitset_wait(waitset, NULL, 0, DDS_SECS(10));
        if (dds_take(endpoint, &sample, &info, 1, 1) != 1)
            give_up("nothing arrives");
        if (info.valid_data)
            memcpy(message, ((ach_Bytes *)sample)->data._buffer, sizeof(message));
        dds_return_loan(endpoint, &sample, 1);
    } while (!info.valid_data);
}

static void receive_channel(void)
{
    static const struct timespec limit = {.tv_sec = 10};
    size_t size;
    enum ach_status r =
        ach_get(&chan, message, sizeof(message), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME);

    if (r != ACH_OK && r != ACH_MISSED_FRAME)
        give_up(ach_result_to_string(r));
}

static void send_all(bool channel)
{
    struct timespec next;

    clock_gettime(CLOCK_MONOTONIC, &next);
    for (;;) {
        int64_t now;

        next.tv_nsec += PERIOD_NS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        now = monotonic_ns();
        memcpy(message, &now, sizeof(now));
        send_one(channel);
    }
}

static void flood(bool channel)
{
    for (;;)
        send_one(channel);
}

static void receive_one(bool channel)
{
    if (channel)
        receive_channel();
    else
        receive_topic();
}

static void count_all(bool channel)
{
    int64_t begin, took = 0;
    unsigned i;

    for (i = 0; i < WARM_UP; i++)
        receive_one(channel);
    begin = monotonic_ns();
    for (i = 0; took < COUNT_NS; i++) {
        receive_one(channel);
        took = monotonic_ns() - begin;
    }
    printf("%7.0f messages/s\n", i * 1e9 / (double)took);
}

static void receive_all(bool channel)
{
    struct samples us = {0};
    unsigned i;

    for (i = 0; i < WARM_UP + COUNT; i++) {
        int64_t sent;

        receive_one(channel);
        memcpy(&sent, message, sizeof(sent));
        if (i >= WARM_UP)
            samples_add(&us, (double)(monotonic_ns() - sent) / 1000);
    }
    printf("p50 %6.1f us   p99 %6.1f us\n", samples_quantile(&us, 0.5),
           samples_quantile(&us, 0.99));
    samples_finish(&us);
}

static const struct {
    const char *name;
    bool sends;
    void (*run)(bool channel);
} modes[] = {{"send", true, send_all},
             {"flood", true, flood},
             {"receive", false, receive_all},
             {"count", false, count_all}};

#define MODES (sizeof(modes) / sizeof(*modes))

int main(int argc, char **argv)
{
    bool channel = argc == 5 && strcmp(argv[2], "channel") == 0;
    size_t i;

    for (i = 0; argc == 5 && i < MODES && strcmp(modes[i].name, argv[1]) != 0;)
        i++;
    if (argc != 5 || i == MODES)
        return 2;
    if (!channel)
        open_topic(argv[3], argv[4], modes[i].sends);
    else if (ach_open(&chan, argv[3], NULL) != ACH_OK)
        give_up(ach_errstr());
    modes[i].run(channel);
    return 0;
}
