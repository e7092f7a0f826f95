/* SPDX-License-Identifier: BSD-3-Clause */
/* every.c - each class and method of Player's API; the checks are in the plug-in */
#include <ach/interface/common.h>
#include <ach/interface/opaque.h>
#include <ach/interface/power.h>

#include "rig.h"

#define SOURCE                                                                                     \
    "driver (plugin \"every\" name \"source\" provides [\"power:0\" \"bytes:::opaque:1\"]"         \
    "        level 4 maker \"us\")\n"
#define EVERY                                                                                      \
    "driver (plugin \"every\" name \"every\" provides [\"opaque:0\"]\n"                            \
    "        requires [\"power:0\" \"b:::opaque:1\"] flag 1 text \"hello\" number 42 ratio 0.5\n"  \
    "        height 0.25 turn 90 paint \"#102030\" file \"map.png\" list [1 2 3] turns [0 180]\n"  \
    "        words [\"a\" \"b\"] paints [\"#00ff00\" \"#0000ff\"] other \"%s\"\n"                  \
    "        inner (depth 1) %s)\n"

static char other[] = "/tmp/ach-player.XXXXXX";

static struct rig *start(const char *options)
{
    char config[4096];
    int n = snprintf(config, sizeof(config), SOURCE EVERY, other, options);

    REQUIRE(n > 0 && (size_t)n < sizeof(config));
    return rig_start(config);
}

static void write_other(void)
{
    FILE *f = fdopen(mkstemp(other), "w");

    REQUIRE(f && fputs("top 3\npart (x 4)\nunused 1\n", f) > 0);
    fclose(f);
}

static bool int_property(struct ear *ear, const char *key, int32_t value)
{
    ach_intprop_t ask = {(uint32_t)strlen(key) + 1, (char *)(uintptr_t)key, 0};
    ach_message_t *m = ear_request(ear, ACH_REQ_GET_INTPROP, &ask);
    const ach_intprop_t *got = ach_message_body(m);
    bool right = ach_message_header(m)->type == ACH_MSG_ACK && got && got->value == value;

    ach_message_unref(m);
    return right;
}

static void properties(struct ear *ear)
{
    ach_intprop_t number = {6, (char[]){"level"}, 12};
    ach_strprop_t title = {6, (char[]){"title"}, 4, (char[]){"new"}};
    ach_boolprop_t sealed = {7, (char[]){"sealed"}, 0};
    ach_message_t *m;

    CHECK(int_property(ear, "level", 4));
    CHECK(ear_acked(ear, ACH_REQ_SET_INTPROP, &number));
    CHECK(int_property(ear, "level", 12));
    CHECK(!int_property(ear, "levle", 12) && !int_property(ear, "title", 12));
    CHECK(ear_acked(ear, ACH_REQ_SET_STRPROP, &title));
    m = ear_request(ear, ACH_REQ_GET_STRPROP, &title);
    CHECK(strcmp(((const ach_strprop_t *)ach_message_body(m))->value, "new") == 0);
    ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_REQ_SET_BOOLPROP, &sealed)); /* read-only: no effect */
    m = ear_request(ear, ACH_REQ_GET_BOOLPROP, &sealed);
    CHECK(((const ach_boolprop_t *)ach_message_body(m))->value == 1);
    ach_message_unref(m);
    ear_property(ear, "loss", 0.75);
}

static double volts(struct ear *ear, double *time)
{
    ach_message_t *m = ear_data(ear, ACH_POWER_DATA_STATE);
    double v = ((const ach_power_data_t *)ach_message_body(m))->volts;

    *time = ach_message_header(m)->timestamp;
    ach_message_unref(m);
    return v;
}

static void requests(struct ear *ear)
{
    ach_capability_t can = {ACH_MSG_REQ, ACH_POWER_REQ_SET_CHARGING_POLICY}, cannot = {3, 200};
    ach_power_chargepolicy_config_t policy = {1, 1};

    CHECK(ear_acked(ear, ACH_REQ_CAPABILITY, &can));
    CHECK(!ear_acked(ear, ACH_REQ_CAPABILITY, &cannot));
    CHECK(ear_acked(ear, ACH_POWER_REQ_SET_CHARGING_POLICY, &policy));
    CHECK(ear_acked(ear, ACH_REQ_FLUSH, NULL));
    CHECK(ear_acked(ear, ACH_POWER_REQ_SET_CHARGING_POLICY, &policy));
}

static void published(struct rig *rig)
{
    ach_power_chargepolicy_config_t policy = {1, 1};
    struct ear *ear = ear_open(rig, "power:0");
    double time;

    ear_ask(ear, ACH_POWER_REQ_SET_CHARGING_POLICY, &policy);
    CHECK(volts(ear, &time) == 1 && time == 1234);
    CHECK(volts(ear, &time) == 2 && time == 1235);
    CHECK(volts(ear, &time) == 3 && time == 1235);
    ear_close(ear);
}

/* Behind every: a request that source answers, and data that every publishes to a queue. */
static void through(struct ear *ear)
{
    uint8_t text[] = "passed on";
    ach_opaque_data_t body = {sizeof(text), text};
    ach_message_t *m = ear_request(ear, ACH_OPAQUE_REQ_DATA, &body);
    const ach_opaque_data_t *back = ach_message_body(m);

    CHECK(back && back->data_count == sizeof(text) && memcmp(back->data, text, sizeof(text)) == 0);
    ach_message_unref(m);
}

static void run(const char *options)
{
    struct rig *rig = start(options);
    struct ear *ear = ear_open(rig, "opaque:0"), *source = ear_open(rig, "power:0");

    through(ear);
    properties(source);
    requests(source);
    published(rig);
    CHECK(int_property(ear, "failures", 0));
    ear_close(ear);
    if (!*options) { /* a process has a log of its own */
        CHECK(rig_logged(rig, "1 answers, 0 nacks"));
        CHECK(rig_logged(rig, "every: unwound"));
    }
    CHECK(rig_logged(rig, "source: -opaque, 0 watch"));
    CHECK(rig_count(rig, "check failed") == 0); /* also of source, and after Main */
    ear_close(source);
    rig_end(rig);
}

int main(void)
{
    write_other();
    run("");
    run("process yes");
    unlink(other);
    return check_result();
}
