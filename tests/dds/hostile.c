/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hostile.c - write any payloads whose encapsulation Cyclone DDS knows; it drops others
 *
 *     hostile DOMAIN TOPIC TYPE
 *
 * Each line of standard input is a payload in hex, with its encapsulation; zeros are appended up to
 * a multiple of 4. A number of bytes behind it, after a blank, is appended as zeros.
 */
#include <dds/dds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rawtype.h"

static atomic_ullong arrivals;

static struct achdds_sample *parse(const struct ddsi_sertype *type, const char *line)
{
    size_t n = strspn(line, "0123456789abcdef") / 2, more = strtoul(line + 2 * n, NULL, 10), i;
    size_t size = (n + more + 3) & ~(size_t)3;
    struct achdds_sample *s = achdds_sample_new(type, size);

    if (!s)
        exit(1);
    memset(s->payload, 0, size);
    for (i = 0; i < n; i++)
        sscanf(line + 2 * i, "%2hhx", &s->payload[i]);
    s->c.timestamp.v = dds_time();
    return s;
}

/* At most 60 s. */
static void wait_for_reader(dds_entity_t writer)
{
    dds_publication_matched_status_t status = {0};
    int i;

    for (i = 0; i < 6000 && status.current_count == 0; i++) {
        dds_get_publication_matched_status(writer, &status);
        dds_sleepfor(DDS_MSECS(10));
    }
    if (status.current_count == 0)
        exit(1);
}

int main(int argc, char **argv)
{
    char line[4096];
    dds_entity_t participant, topic, writer;
    struct ddsi_sertype *type;
    dds_qos_t *q = dds_create_qos();

    if (argc != 4)
        return 2;
    type = achdds_rawtype_new(argv[3], 0, &arrivals);
    dds_qset_reliability(q, DDS_RELIABILITY_RELIABLE, DDS_SECS(10));
    dds_qset_history(q, DDS_HISTORY_KEEP_LAST, 1000);
    participant = dds_create_participant((dds_domainid_t)atoi(argv[1]), NULL, NULL);
    topic = dds_create_topic_sertype(participant, argv[2], &type, NULL, NULL, NULL);
    writer = dds_create_writer(participant, topic, q, NULL);
    if (writer < 0)
        return 1;
    wait_for_reader(writer);
    while (fgets(line, sizeof(line), stdin))
        if (dds_forwardcdr(writer, &parse(type, line)->c) != DDS_RETCODE_OK)
            return 1;
    if (dds_wait_for_acks(writer, DDS_SECS(60)) != DDS_RETCODE_OK)
        return 1;
    dds_delete_qos(q);
    dds_delete(participant);
    return 0;
}
