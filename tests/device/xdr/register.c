/* SPDX-License-Identifier: BSD-3-Clause */
/* register.c - finding interfaces and messages, and adding some */
#include "check.h"

#include <ach/interfaces.h>
#include <pthread.h>

#include "extra.h"

#define THREADS 4

static void find(void)
{
    const ach_interface_t *laser = ach_interface_find("laser");
    const ach_message_def_t *m;

    CHECK(laser == &ach_laser_interface && laser == ach_interface_by_code(6));
    CHECK(!ach_interface_find("nonsense") && !ach_interface_find("") && !ach_interface_find(NULL));
    CHECK(!ach_interface_find("common") && !ach_interface_by_code(0));
    CHECK(!ach_interface_by_code(11) && !ach_interface_by_code(70000));
    CHECK(strcmp(ach_interface_at(0)->name, "player") == 0);
    CHECK(ach_interface_at(42) == &ach_coopobject_interface && !ach_interface_at(43));

    m = ach_interface_message(laser, ACH_MSG_DATA, ACH_LASER_DATA_SCAN);
    CHECK(m && m->body == &ach_laser_data_type && strcmp(m->name, "SCAN") == 0);
    CHECK(m == ach_interface_message_named(laser, ACH_MSG_DATA, "scan"));
    CHECK(!ach_interface_message(laser, ACH_MSG_CMD, 1));
    CHECK(!ach_interface_message_named(laser, ACH_MSG_DATA, "GET_GEOM"));
    m = ach_interface_message(laser, ACH_MSG_ACK, ACH_LASER_REQ_GET_GEOM);
    CHECK(m && m->body == &ach_laser_geom_type);
    CHECK(m == ach_interface_message(laser, ACH_MSG_NACK, ACH_LASER_REQ_GET_GEOM));
    m = ach_interface_message(&ach_player_interface, ACH_MSG_SYNCH, ACH_PLAYER_SYNCH_OVERFLOW);
    CHECK(m && m->body == &ach_player_overflow_type);
}

/* Requests for properties belong to every interface, also to an unknown one. */
static void properties(void)
{
    const ach_message_def_t *m = ach_interface_message(NULL, ACH_MSG_REQ, 254);

    CHECK(m && m->body == &ach_intprop_type && m->subtype == ACH_REQ_GET_INTPROP);
    CHECK(m == ach_interface_message(&ach_laser_interface, ACH_MSG_ACK, 254));
    m = ach_interface_message_named(&ach_gps_interface, ACH_MSG_REQ, "capability");
    CHECK(m && m->subtype == 255);
    CHECK(!ach_interface_message(NULL, ACH_MSG_DATA, 254));
    CHECK(!ach_interface_message(NULL, ACH_MSG_REQ, 1));
}

static void *add_and_find(void *unused)
{
    int i;

    for (i = 0; i < 1000; i++) {
        CHECK_OK(ach_interface_add(&ach_extra_interface));
        CHECK(ach_interface_find("extra") == &ach_extra_interface);
        CHECK(ach_interface_by_code(ACH_EXTRA_CODE) == &ach_extra_interface);
    }
    return unused;
}

static void add(void)
{
    pthread_t threads[THREADS];
    ach_interface_t other = ach_extra_interface;
    int i;

    for (i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, add_and_find, NULL) == 0);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(ach_interface_at(43) == &ach_extra_interface && !ach_interface_at(44));

    CHECK_STATUS(ach_interface_add(&other), ACH_EEXIST);
    CHECK(strstr(ach_errstr(), "is used by extra (4711)"));
    other.name = "another";
    CHECK_STATUS(ach_interface_add(&other), ACH_EEXIST);
    other.code = 4712;
    other.name = "laser";
    CHECK_STATUS(ach_interface_add(&other), ACH_EEXIST);
}

static void refuse_type(const ach_interface_t *like, ach_type_t type)
{
    const ach_type_t *types[] = {&type};
    ach_interface_t bad = *like;

    bad.name = "bad";
    bad.code = 4713;
    bad.types = types;
    bad.type_count = 1;
    bad.message_count = 0;
    CHECK_STATUS(ach_interface_add(&bad), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "is invalid"));
}

static void refuse(void)
{
    static const ach_message_def_t flush = {
        .name = "MINE", .type = ACH_MSG_REQ, .subtype = ACH_REQ_FLUSH};
    ach_interface_t bad = ach_extra_interface;
    ach_type_t type = ach_extra_cell_type;
    ach_step_t step = type.steps[0];
    ach_field_t field = type.fields[0];

    CHECK_STATUS(ach_interface_add(NULL), ACH_EINVAL);
    bad.version++;
    CHECK_STATUS(ach_interface_add(&bad), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "built for version 2 of the tables, not 1"));
    bad.version--;
    bad.size--;
    CHECK_STATUS(ach_interface_add(&bad), ACH_EINVAL);
    bad.size++;

    bad.messages = &flush;
    bad.message_count = 1;
    CHECK_STATUS(ach_interface_add(&bad), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "belongs to one of all interfaces"));
    bad = ach_extra_interface;

    type.depth = 200;
    refuse_type(&bad, type);
    type = ach_extra_cell_type;
    type.wire_size = 0;
    refuse_type(&bad, type);
    type = ach_extra_cell_type;
    type.steps = &step;
    type.step_count = 1;
    step.limit = 1000;
    refuse_type(&bad, type);
    step.limit = 1;
    step.kind = 99;
    refuse_type(&bad, type);
    step.kind = ACH_KIND_STRUCT;
    step.array = ACH_ARRAY_FIXED;
    step.type = &type;
    refuse_type(&bad, type);
    type = ach_extra_cell_type;
    field.kind = ACH_KIND_STRUCT;
    field.type = &type;
    type.fields = &field;
    type.field_count = 1;
    refuse_type(&bad, type);
}

/* Features of the definition language that no built-in interface uses. */
static void encode_extra(void)
{
    static const char *const words[] = {
        "fixed[1].label=abcde",
        "fixed[1].values=1,-2,3",
        "palette=[{\"red\": 9}]",
        "corners[3].py=1",
        "odd=1,2,65535",
        "rows[1].kind=4",
        "big=-1",
        "scan.ranges=1,2",
    };
    static const uint8_t start[] = {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0};
    uint8_t bytes[500];
    size_t n = 0;
    void *body, *back;

    REQUIRE_OK(ach_body_from_words(&ach_extra_table_type, words, 8, &body));
    REQUIRE_OK(ach_encode(&ach_extra_table_type, body, bytes, sizeof(bytes), &n));
    CHECK(memcmp(bytes, start, sizeof(start)) == 0);
    /* count, stamp, cells (20 and 32), palette, corners, odd, rows, big, scan */
    CHECK(n == 4 + 8 + 20 + 32 + (4 + 4 + 16) + 64 + 12 + (4 + 20 + 20) + (4 + 4 + 8) + 36 + 8);
    REQUIRE_OK(ach_decode_new(&ach_extra_table_type, bytes, n, &back));
    CHECK(ach_body_equal(&ach_extra_table_type, body, back));
    CHECK(strcmp(((ach_extra_table_t *)back)->fixed[1].label, "abcde") == 0);
    CHECK(ACH_EXTRA_NEGATIVE == -5 && ACH_EXTRA_CELL_VALUES_MAX == 3);
    free(body);
    free(back);
}

int main(void)
{
    find();
    properties();
    refuse();
    add();
    encode_extra();
    return check_result();
}
