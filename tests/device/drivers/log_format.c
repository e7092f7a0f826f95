/* SPDX-License-Identifier: BSD-3-Clause */
/* log_format.c - messages are written as lines and read back; damaged lines do no harm */
#include <ach/interfaces.h>
#include <math.h>

#include "line.h"
#include "plan.h"
#include "random_body.h"
#include "rig.h"

static ach_message_t *make(const ach_interface_t *interf, const ach_message_def_t *def,
                           const void *body)
{
    ach_header_t h = {
        .address = {.host = 16777343, .robot = 6665, .interf = interf->code, .index = 3},
        .type = def->type == ACH_MSG_REQ ? ACH_MSG_ACK : def->type,
        .subtype = def->subtype,
        .timestamp = 1794701457.071585};
    ach_message_t *m;

    REQUIRE_OK(ach_message_create(&h, body, &m));
    return m;
}

static struct drv_text write_line(const ach_message_t *m)
{
    struct drv_text t = {0};

    CHECK_OK(drv_line_write(&t, m, 0));
    REQUIRE(t.size && t.data[t.size - 1] == '\n');
    CHECK(!memchr(t.data, '\n', t.size - 1));
    return t;
}

static ach_message_t *read_line(const struct drv_text *t)
{
    char *copy = strndup(t->data, t->size - 1);
    ach_message_t *m = NULL;

    REQUIRE(copy);
    if (!CHECK_OK(drv_line_read(copy, strlen(copy), &m)))
        fprintf(stderr, "%.*s", (int)t->size, t->data);
    free(copy);
    return m;
}

/* The format cannot express microseconds of a second or more. */
static void make_sane(const ach_message_def_t *def, void *body)
{
    if (def->body == &ach_gps_data_type)
        ((ach_gps_data_t *)body)->time_usec %= 1000000;
}

static void round_trip(const ach_interface_t *interf, const ach_message_def_t *def,
                       uint64_t *random)
{
    void *body = def->body ? random_body(def->body, random, 6) : NULL;
    ach_message_t *m, *again;
    struct drv_text one, two;

    if (body)
        make_sane(def, body);
    m = make(interf, def, body);
    one = write_line(m);
    again = read_line(&one);
    REQUIRE(again);
    two = write_line(again);
    if (!CHECK(one.size == two.size && memcmp(one.data, two.data, one.size) == 0))
        fprintf(stderr, "%.*s%.*s", (int)one.size, one.data, (int)two.size, two.data);
    if (body && !drv_plan_find(interf->code, ach_message_header(m)->type, def->subtype) &&
        !CHECK(ach_body_equal(def->body, body, ach_message_body(again))))
        fprintf(stderr, "%.*s", (int)one.size, one.data);
    CHECK(ach_message_header(again)->timestamp == 1794701457.071585);
    ach_message_unref(m);
    ach_message_unref(again);
    free(one.data);
    free(two.data);
    free(body);
}

static void test_all_messages(void)
{
    uint64_t random = 1, n = check_scale(100), i;
    const ach_interface_t *interf;
    unsigned messages = 0;
    size_t at;
    uint32_t j;

    for (at = 0; (interf = ach_interface_at(at)); at++)
        for (j = 0; j < interf->message_count; j++, messages++)
            for (i = 0; i < n; i++)
                round_trip(interf, &interf->messages[j], &random);
    printf("%u messages, %llu times each\n", messages, (unsigned long long)n);
    CHECK(messages > 200);
}

static void test_plans(void)
{
    size_t i;

    for (i = 0; i < drv_plan_count; i++) {
        const struct drv_plan *p = &drv_plans[i];
        const ach_interface_t *interf = ach_interface_find(p->interf);
        const ach_message_def_t *def = ach_interface_message_named(
            interf, p->type == ACH_MSG_ACK ? ACH_MSG_REQ : p->type, p->message);

        if (!CHECK(def && drv_plan_find(interf->code, p->type, def->subtype)))
            fprintf(stderr, "the plan of %s %s\n", p->interf, p->message);
    }
}

/* A message with the body @words must be written as the line @want. */
static void golden(const char *interf, unsigned type, const char *message, const char *words,
                   const char *want)
{
    const ach_interface_t *in = ach_interface_find(interf);
    const ach_message_def_t *def = ach_interface_message_named(in, type, message);
    char copy[512], *rest = NULL, *word;
    const char *list[32];
    struct drv_text t;
    ach_message_t *m;
    size_t n = 0;
    void *body;

    strcpy(copy, words);
    for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        list[n++] = word;
    REQUIRE(def);
    REQUIRE_OK(ach_body_from_words(def->body, list, n, &body));
    m = make(in, def, body);
    t = write_line(m);
    if (!CHECK(t.size == strlen(want) + 1 && memcmp(t.data, want, t.size - 1) == 0))
        fprintf(stderr, "%.*s%s\n", (int)t.size, t.data, want);
    ach_message_unref(m);
    free(t.data);
    free(body);
}

static void test_golden(void)
{
    golden("position2d", ACH_MSG_DATA, "STATE",
           "pos.px=1 pos.py=-2.5 pos.pa=3.14159 vel.px=0.1 stall=1",
           "1794701457.071585 16777343 6665 position2d 03 001 001 +01.000 -02.500 +3.142 +00.100 "
           "+00.000 +00.000 1");
    golden("laser", ACH_MSG_DATA, "SCAN",
           "id=7 min_angle=-1.5 max_angle=1.5 resolution=0.0174533 max_range=8 ranges=1,2.25,3 "
           "intensity=0,12",
           "1794701457.071585 16777343 6665 laser 03 001 001 0007 -1.5000 +1.5000 +0.01745330 "
           "+8.0000 0003 1.000  0 2.250 12 3.000  0");
    golden("laser", ACH_MSG_REQ, "GET_GEOM", "pose.px=0.1 pose.pyaw=1 size.sl=2 size.sw=3",
           "1794701457.071585 16777343 6665 laser 03 004 001  +0.100  +0.000   1.000   2.000   "
           "3.000");
    golden("sonar", ACH_MSG_DATA, "RANGES", "ranges=1,2",
           "1794701457.071585 16777343 6665 sonar 03 001 001 2 1.000 2.000");
    golden("dio", ACH_MSG_DATA, "VALUES", "count=4 bits=5",
           "1794701457.071585 16777343 6665 dio 03 001 001 0004 1 0 1 0");
    golden("gps", ACH_MSG_DATA, "STATE",
           "time_sec=10 time_usec=500000 latitude=505000000 longitude=-45000001 altitude=1500 "
           "hdop=12 num_sats=4 quality=1",
           "1794701457.071585 16777343 6665 gps 03 001 001 10.500 50.5000000 -4.5000001 1.5000000 "
           "0.000 0.000 1.200 0.000 0.000 0.000 1 4");
    golden("power", ACH_MSG_DATA, "STATE", "valid=1 volts=12.5 percent=90",
           "1794701457.071585 16777343 6665 power 03 001 001 12.500 0.000 0.000 0.000 0 1");
    golden("joystick", ACH_MSG_DATA, "STATE",
           "pos[0]=1 pos[1]=-2 pos[2]=3 scale[0]=4 scale[1]=5 scale[2]=6 buttons=255",
           "1794701457.071585 16777343 6665 joystick 03 001 001 +1 -2 +3 4 5 6 FF");
    golden("camera", ACH_MSG_DATA, "STATE", "width=2 height=1 bpp=8 format=1 image=1,255",
           "1794701457.071585 16777343 6665 camera 03 001 001 2 1 8 1 0 2 01ff");
    golden("speech", ACH_MSG_CMD, "SAY", "string=it's",
           "# ach 1794701457.071585 16777343 6665 speech 03 002 001 'it\\x27s'");
}

static void wrong(const char *line, const char *why)
{
    char copy[256];
    ach_message_t *m = NULL;

    strcpy(copy, line);
    CHECK_STATUS(drv_line_read(copy, strlen(copy), &m), ACH_EINVAL);
    CHECK(!m);
    if (!CHECK(strstr(ach_errstr(), why)))
        fprintf(stderr, "%s\n%s\n", line, ach_errstr());
}

static void test_wrong(void)
{
    ach_message_t *m;
    char comment[] = "## hello", blank[] = "  \t", tail[] = "1 0 0 ranger 0 1 2 1 0.5 0";
    char bare[] = "1 0 0 speech 0 2 1 'hello'", other[] = "# acht 1 0 0 speech 0 2 1 'hello'";

    CHECK_STATUS(drv_line_read(comment, strlen(comment), &m), ACH_EAGAIN);
    CHECK_STATUS(drv_line_read(blank, strlen(blank), &m), ACH_EAGAIN);
    CHECK_STATUS(drv_line_read(other, strlen(other), &m), ACH_EAGAIN);
    CHECK_OK(drv_line_read(bare, strlen(bare), &m)); /* logs of Ach 3.0 have no "# ach " */
    ach_message_unref(m);
    wrong("# ach now", "\"now\" is not a number");
    wrong("now 0 0 laser 0 1 1", "\"now\" is not a number");
    wrong("nan 0 0 laser 0 1 1", "its time is not a number");
    wrong("1 0 0", "ends before the interface");
    wrong("1 0 0 lazer 0 1 1", "no interface \"lazer\"");
    wrong("1 0 0 laser 70000 1 1", "too large");
    wrong("1 0 0 laser 0 1 99", "has no message 1:99");
    wrong("1 0 0 sonar 0 1 1", "the line ends where a number is expected");
    wrong("1 0 0 sonar 0 1 1 3 1 2", "the line ends");
    wrong("1 0 0 sonar 0 1 1 2 1 x", "\"x\" is not a number");
    wrong("1 0 0 sonar 0 1 1 4000000000 1 2", "more than allowed");
    wrong("1 0 0 sonar 0 1 1 65536 1 2", "the line ends before 65536 elements");
    wrong("1 0 0 sonar 0 1 1 1 1 2", "found \"2\" after the end of the message");
    wrong("1 0 0 sonar 0 1 1 -1 1 2", "more than allowed");
    wrong("1 0 0 dio 0 1 1 33 1", "more than allowed");
    wrong("1 0 0 camera 0 1 1 2 1 8 1 0 2 01f", "pairs of hexadecimal digits");
    wrong("1 0 0 speech 0 2 1 hello", "single quotes");
    wrong("1 0 0 speech 0 2 1 'hello", "not closed");
    wrong("1 0 0 gps 0 1 1 -5 0 0 0 0 0 0 0 0 0 0 0", "not a valid time");
    wrong("1 0 0 gps 0 1 1 5 900 0 0 0 0 0 0 0 0 0 0", "too large for its field");
    wrong("1 0 0 position2d 0 1 1 0 0 0 0 0 0 300", "too large for its field");
    CHECK_OK(drv_line_read(tail, strlen(tail), &m)); /* have_config may be missing */
    ach_message_unref(m);
}

/* A damaged line yields either an error or a valid message. */
static void test_damage(void)
{
    uint64_t random = 7, i, n = check_scale(20000);
    const ach_interface_t *interf;
    unsigned good = 0;

    for (i = 0; i < n; i++) {
        const ach_message_def_t *def;
        struct drv_text t;
        ach_message_t *m;
        void *body;
        unsigned k;

        interf = ach_interface_at(check_random(&random) % 43);
        def = &interf->messages[check_random(&random) % interf->message_count];
        body = def->body ? random_body(def->body, &random, 3) : NULL;
        m = make(interf, def, body);
        t = write_line(m);
        ach_message_unref(m);
        free(body);
        t.data[--t.size] = '\0';
        for (k = 0; k < 1 + check_random(&random) % 3; k++)
            t.data[check_random(&random) % t.size] =
                " 0123456789-+.'\\x#eE"[check_random(&random) % 20];
        if (check_random(&random) % 4 == 0)
            t.data[t.size = check_random(&random) % t.size] = '\0';
        m = NULL;
        if (drv_line_read(t.data, t.size, &m) == ACH_OK) {
            CHECK_OK(ach_message_check(m));
            good++;
        } else
            CHECK(!m);
        ach_message_unref(m);
        free(t.data);
    }
    printf("%u of %llu damaged lines could be read\n", good, (unsigned long long)n);
}

int main(void)
{
    test_plans();
    test_golden();
    test_wrong();
    test_all_messages();
    test_damage();
    return check_result();
}
