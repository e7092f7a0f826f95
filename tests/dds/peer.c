/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer.c - a program of Cyclone DDS, written against its interface and IDL only
 *
 *     peer read DOMAIN TYPE TOPIC QOS N [pause]  print N samples; with pause: after a line is read
 *     peer raw DOMAIN TYPE TOPIC QOS N           print N samples as they are encoded, in hex
 *     peer time DOMAIN TYPE TOPIC QOS N          print the source timestamps of N samples
 *     peer write DOMAIN TYPE TOPIC QOS N [xcdr2] write N samples when a reader is there
 *     peer echo DOMAIN TYPE TOPIC QOS SECONDS    write one sample, and count those that come back
 *     peer watch DOMAIN TOPIC N                  print the first N endpoints of a topic
 *
 * TYPE is String, Vector3, LaserScan or Bytes. QOS has letters: r reliable, b best effort, t
 * transient local, and digits for the depth, and maybe @PARTITION.
 */
#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "ros.h"

#define LIMIT DDS_SECS(60)

static dds_entity_t participant;

static void fail(const char *what, dds_return_t code)
{
    fprintf(stderr, "peer: %s: %s\n", what, dds_strretcode(code));
    exit(1);
}

static dds_entity_t must(const char *what, dds_entity_t e)
{
    if (e < 0)
        fail(what, e);
    return e;
}

static float numbers[1000];

/* The samples have values that depend on their number. */
static void fill_string(void *sample, unsigned i)
{
    static char text[32];

    snprintf(text, sizeof(text), "hello %u", i);
    ((std_msgs_msg_dds__String_ *)sample)->data = text;
}

static void print_string(const void *sample)
{
    printf("%s\n", ((const std_msgs_msg_dds__String_ *)sample)->data);
}

static void fill_vector(void *sample, unsigned i)
{
    *(geometry_msgs_msg_dds__Vector3_ *)sample =
        (geometry_msgs_msg_dds__Vector3_){i, i + 0.5, -(double)i};
}

static void print_vector(const void *sample)
{
    const geometry_msgs_msg_dds__Vector3_ *v = sample;

    printf("%g %g %g\n", v->x, v->y, v->z);
}

static void fill_scan(void *sample, unsigned i)
{
    sensor_msgs_msg_dds__LaserScan_ *s = sample;
    uint32_t k;

    *s = (sensor_msgs_msg_dds__LaserScan_){.header = {{(int32_t)i, 7}, "laser"},
                                           .angle_min = -1,
                                           .angle_max = 1,
                                           .angle_increment = 0.5F,
                                           .range_max = 30};
    for (k = 0; k < 1000; k++)
        numbers[k] = (float)(i + k);
    s->ranges._length = s->ranges._maximum = 3 + i % 900;
    s->ranges._buffer = numbers;
}

static void print_scan(const void *sample)
{
    const sensor_msgs_msg_dds__LaserScan_ *s = sample;
    uint32_t i;

    printf("%d %u %s %g %g %g %g:", s->header.stamp.sec, s->header.stamp.nanosec,
           s->header.frame_id, s->angle_min, s->angle_max, s->angle_increment, s->range_max);
    for (i = 0; i < s->ranges._length; i++)
        printf(" %g", s->ranges._buffer[i]);
    printf(" / %u\n", s->intensities._length);
}

static void fill_bytes(void *sample, unsigned i)
{
    static uint8_t bytes[256];

    memset(bytes, (int)i, sizeof(bytes));
    *(ach_Bytes *)sample = (ach_Bytes){{5, 5, bytes, false}};
}

static void print_bytes(const void *sample)
{
    const ach_Bytes *b = sample;
    uint32_t i;

    for (i = 0; i < b->data._length; i++)
        printf("%02x", b->data._buffer[i]);
    printf("\n");
}

static const struct kind {
    const char *name;
    const dds_topic_descriptor_t *descriptor;
    void (*fill)(void *sample, unsigned i);
    void (*print)(const void *sample);
} kinds[] = {{"String", &std_msgs_msg_dds__String__desc, fill_string, print_string},
             {"Vector3", &geometry_msgs_msg_dds__Vector3__desc, fill_vector, print_vector},
             {"LaserScan", &sensor_msgs_msg_dds__LaserScan__desc, fill_scan, print_scan},
             {"Bytes", &ach_Bytes_desc, fill_bytes, print_bytes}};

static const struct kind *find_kind(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    fprintf(stderr, "peer: no type %s\n", name);
    exit(2);
}

static dds_qos_t *make_qos(const char *word)
{
    const char *digits = word + strcspn(word, "0123456789"), *partition = strchr(word, '@');
    dds_qos_t *q = dds_create_qos();

    dds_qset_history(q, DDS_HISTORY_KEEP_LAST, *digits ? atoi(digits) : 10);
    if (strchr(word, 'b'))
        dds_qset_reliability(q, DDS_RELIABILITY_BEST_EFFORT, 0);
    else
        dds_qset_reliability(q, DDS_RELIABILITY_RELIABLE, DDS_SECS(10));
    if (strchr(word, 't')) {
        dds_qset_durability(q, DDS_DURABILITY_TRANSIENT_LOCAL);
        dds_qset_durability_service(q, 0, DDS_HISTORY_KEEP_LAST, *digits ? atoi(digits) : 10, -1,
                                    -1, -1);
    }
    if (partition)
        dds_qset_partition1(q, partition + 1);
    return q;
}

/* Wait until a condition of a status holds. */
static void wait_for(dds_entity_t e, uint32_t status, bool (*holds)(dds_entity_t))
{
    dds_entity_t waitset = must("waitset", dds_create_waitset(participant));

    dds_set_status_mask(e, status);
    dds_waitset_attach(waitset, e, 0);
    while (!holds(e)) {
        dds_return_t r = dds_waitset_wait(waitset, NULL, 0, LIMIT);

        if (r <= 0)
            fail("nothing came in 60 s", r);
    }
    dds_delete(waitset);
}

static bool is_matched(dds_entity_t writer)
{
    dds_publication_matched_status_t s;

    return dds_get_publication_matched_status(writer, &s) == DDS_RETCODE_OK && s.current_count > 0;
}

static bool has_data(dds_entity_t reader)
{
    dds_entity_t c = dds_create_readcondition(reader, DDS_ANY_STATE);
    uint32_t n = 0;
    dds_read_status(reader, &n, DDS_DATA_AVAILABLE_STATUS);
    dds_return_t r = dds_triggered(c);

    dds_delete(c);
    return r > 0;
}

static void read_samples(const struct kind *k, dds_entity_t reader, unsigned n, const char *how)
{
    bool encoded = strcmp(how, "raw") == 0, timed = strcmp(how, "time") == 0;

    while (n > 0) {
        dds_sample_info_t info;
        void *sample = NULL;
        struct ddsi_serdata *data;

        wait_for(reader, DDS_DATA_AVAILABLE_STATUS, has_data);
        if (encoded && dds_takecdr(reader, &data, 1, &info, DDS_ANY_STATE) == 1) {
            uint32_t i, size = ddsi_serdata_size(data);
            uint8_t *bytes = malloc(size);

            ddsi_serdata_to_ser(data, 0, size, bytes);
            for (i = 0; info.valid_data && i < size; i++)
                printf("%02x", bytes[i]);
            if (info.valid_data)
                printf("\n");
            n -= info.valid_data;
            free(bytes);
            ddsi_serdata_unref(data);
        } else if (!encoded && dds_take(reader, &sample, &info, 1, 1) == 1) {
            if (info.valid_data && timed)
                printf("%" PRId64 "\n", info.source_timestamp);
            else if (info.valid_data)
                k->print(sample);
            n -= info.valid_data;
            dds_return_loan(reader, &sample, 1);
        }
        fflush(stdout);
    }
}

static void write_samples(const struct kind *k, dds_entity_t writer, unsigned n)
{
    unsigned char sample[256] = {0};
    unsigned i;

    wait_for(writer, DDS_PUBLICATION_MATCHED_STATUS, is_matched);
    for (i = 0; i < n; i++) {
        dds_return_t r;

        k->fill(sample, i);
        r = dds_write(writer, sample);
        if (r != DDS_RETCODE_OK)
            fail("write", r);
    }
    dds_wait_for_acks(writer, LIMIT);
}

/* The discovery data of the endpoints of a topic, as they are on the wire. */
static void print_endpoint(const char *what, const dds_builtintopic_endpoint_t *e)
{
    dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
    dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;
    dds_data_representation_id_t *representations = NULL;
    dds_duration_t blocking = 0;
    uint32_t partitions = 0, n = 0, i;
    char **names = NULL;

    dds_qget_reliability(e->qos, &reliability, &blocking);
    dds_qget_durability(e->qos, &durability);
    dds_qget_partition(e->qos, &partitions, &names);
    dds_qget_data_representation(e->qos, &n, &representations);
    printf("%s %s %s %s %s", what, e->topic_name, e->type_name,
           reliability == DDS_RELIABILITY_RELIABLE ? "reliable" : "best_effort",
           durability == DDS_DURABILITY_VOLATILE          ? "volatile"
           : durability == DDS_DURABILITY_TRANSIENT_LOCAL ? "transient_local"
                                                          : "other");
    for (i = 0; i < n; i++)
        printf(" xcdr%d", representations[i] == DDS_DATA_REPRESENTATION_XCDR1 ? 1 : 2);
    for (i = 0; i < partitions; i++) {
        printf(" @%s", names[i]);
        dds_free(names[i]);
    }
    printf("\n");
    dds_free(names);
    dds_free(representations);
}

static void print_participant(const dds_guid_t *key)
{
    dds_entity_t reader = must(
        "reader", dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSPARTICIPANT, NULL, NULL));
    dds_sample_info_t info;
    void *p = NULL, *data = NULL;
    size_t size = 0;

    while (dds_take(reader, &p, &info, 1, 1) == 1) {
        const dds_builtintopic_participant_t *found = p;

        if (info.valid_data && memcmp(&found->key, key, sizeof(*key)) == 0 &&
            dds_qget_userdata(found->qos, &data, &size))
            printf("participant %.*s\n", (int)size, (const char *)data);
        dds_free(data);
        data = NULL;
        dds_return_loan(reader, &p, 1);
    }
    dds_delete(reader);
}

static unsigned take_endpoints(dds_entity_t reader, const char *what, const char *topic)
{
    dds_sample_info_t info;
    void *e = NULL;
    unsigned n = 0;

    while (dds_take(reader, &e, &info, 1, 1) == 1) {
        const dds_builtintopic_endpoint_t *found = e;

        if (info.valid_data && strcmp(found->topic_name, topic) == 0) {
            print_endpoint(what, found);
            print_participant(&found->participant_key);
            n++;
        }
        dds_return_loan(reader, &e, 1);
    }
    return n;
}

static void watch(const char *topic, unsigned n)
{
    dds_entity_t writers = must(
        "reader", dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, NULL, NULL));
    dds_entity_t readers = must(
        "reader", dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, NULL, NULL));
    dds_entity_t waitset = must("waitset", dds_create_waitset(participant));
    unsigned found = 0;

    dds_set_status_mask(writers, DDS_DATA_AVAILABLE_STATUS);
    dds_set_status_mask(readers, DDS_DATA_AVAILABLE_STATUS);
    dds_waitset_attach(waitset, writers, 0);
    dds_waitset_attach(waitset, readers, 0);
    for (;;) {
        found += take_endpoints(writers, "writer", topic);
        found += take_endpoints(readers, "reader", topic);
        if (found >= n)
            return;
        if (dds_waitset_wait(waitset, NULL, 0, LIMIT) <= 0)
            fail("no endpoint came in 60 s", DDS_RETCODE_TIMEOUT);
    }
}

/* Samples that come back within a time. */
static void count_echoes(const struct kind *k, dds_entity_t topic, const dds_qos_t *q, double time)
{
    dds_qos_t *remote = dds_create_qos();
    dds_entity_t writer, reader;
    unsigned n = 0;
    dds_sample_info_t info;
    void *sample = NULL;

    dds_copy_qos(remote, q);
    dds_qset_ignorelocal(remote, DDS_IGNORELOCAL_PARTICIPANT);
    writer = must("writer", dds_create_writer(participant, topic, remote, NULL));
    reader = must("reader", dds_create_reader(participant, topic, remote, NULL));
    write_samples(k, writer, 1);
    dds_sleepfor((dds_duration_t)(time * 1e9));
    while (dds_take(reader, &sample, &info, 1, 1) == 1) {
        n += info.valid_data;
        dds_return_loan(reader, &sample, 1);
    }
    printf("%u echoes\n", n);
    dds_delete_qos(remote);
}

static void work(char **words, int n)
{
    const struct kind *k = find_kind(words[2]);
    dds_qos_t *q = make_qos(words[4]);
    dds_entity_t topic =
        must("topic", dds_create_topic(participant, k->descriptor, words[3], NULL, NULL));
    const char *more = n > 6 ? words[6] : "";

    if (strcmp(more, "xcdr2") == 0)
        dds_qset_data_representation(
            q, 1, (dds_data_representation_id_t[]){DDS_DATA_REPRESENTATION_XCDR2});
    if (strcmp(words[0], "write") == 0) {
        write_samples(k, must("writer", dds_create_writer(participant, topic, q, NULL)),
                      (unsigned)atoi(words[5]));
    } else if (strcmp(words[0], "echo") == 0) {
        count_echoes(k, topic, q, atof(words[5]));
    } else {
        dds_entity_t reader = must("reader", dds_create_reader(participant, topic, q, NULL));

        if (strcmp(more, "pause") == 0)
            getchar();
        read_samples(k, reader, (unsigned)atoi(words[5]), words[0]);
    }
    dds_delete_qos(q);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    participant =
        must("participant", dds_create_participant((dds_domainid_t)atoi(argv[2]), NULL, NULL));
    if (strcmp(argv[1], "watch") == 0)
        watch(argv[3], (unsigned)atoi(argv[4]));
    else if (argc >= 7)
        work(argv + 1, argc - 1);
    fflush(stdout);
    dds_delete(participant);
    return 0;
}
