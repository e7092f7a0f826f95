/* SPDX-License-Identifier: BSD-3-Clause */
/* unruly.c - drivers of Player that fail do so as ours do; in a process of their own, alone */
#include <ach/interface/opaque.h>

#include "rig.h"

#define UNRULY                                                                                     \
    "driver (plugin \"unruly\" name \"unruly\" provides [\"opaque:0\"] fault \"%s\" %s)\n"

static struct rig *start(const char *fault, const char *options)
{
    char config[512];

    snprintf(config, sizeof(config), UNRULY UNRULY, fault, options, "", "");
    strcpy(strstr(strstr(config, "opaque:0") + 1, "opaque:0"), "opaque:1\"] fault \"\")\n");
    return rig_start(config);
}

static void trigger(struct ear *ear)
{
    uint8_t byte = 1;
    ach_opaque_data_t body = {1, &byte};

    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &body));
}

static bool works(struct ear *ear)
{
    uint8_t byte = 1;
    ach_opaque_data_t body = {1, &byte};

    return ear_acked(ear, ACH_OPAQUE_REQ_DATA, &body);
}

/* Which run of Main, in which process, has published the next data. */
static uint64_t run_of(struct ear *ear)
{
    ach_message_t *m = ear_data(ear, ACH_OPAQUE_DATA_STATE);
    const ach_opaque_data_t *body = ach_message_body(m);
    uint64_t run = 0;

    if (CHECK(body && body->data_count == sizeof(run)))
        memcpy(&run, body->data, sizeof(run));
    ach_message_unref(m);
    return run;
}

static void refused(const char *fault, const char *why)
{
    char config[512];

    snprintf(config, sizeof(config), UNRULY, fault, "");
    rig_refuses(config, why);
}

/* The subscription fails; with a driver that recovers, the next one succeeds. */
static void fails_setup(const char *fault, const char *why, bool recovers)
{
    struct rig *rig = start(fault, "");
    struct ear *ear;
    ach_status_t status;

    ear = ear_try(rig, "opaque:0", &status, NULL);
    CHECK(status != ACH_OK);
    CHECK(rig_logged(rig, why));
    ear_close(ear);
    ear = ear_try(rig, "opaque:0", &status, NULL);
    CHECK((status == ACH_OK) == recovers);
    ear_close(ear);
    rig_end(rig);
}

/* Main ends without being asked to: the driver is set up again. The other one does not notice. */
static void restarts(const char *fault, const char *options)
{
    struct rig *rig = start(fault, options);
    struct ear *ear = ear_open(rig, "opaque:0"), *other = ear_open(rig, "opaque:1");

    uint64_t run = run_of(ear), others = run_of(other);

    CHECK(works(ear));
    trigger(ear);
    CHECK(works(other));
    EVENTUALLY(run_of(ear) != run);
    EVENTUALLY(!ear_refused(ear, ACH_OPAQUE_REQ_DATA)); /* its first data comes before that */
    CHECK(works(ear));
    CHECK(run_of(other) == others);
    ear_close(other);
    ear_close(ear);
    rig_end(rig);
}

/* What a driver in a process of its own does not free is freed with the process. */
static void leaks(void)
{
    struct rig *rig = start("leak", "process yes");
    struct ear *ear = ear_open(rig, "opaque:0");
    uint64_t run = run_of(ear);

    trigger(ear);
    CHECK(works(ear));
    CHECK(run_of(ear) == run);
    ear_close(ear);
    ear = ear_open(rig, "opaque:0");
    CHECK(run_of(ear) != run);
    ear_close(ear);
    rig_end(rig);
}

/* A request that the driver never answers is answered when it stops. */
static void forgets(void)
{
    struct rig *rig = start("forget", "");
    struct ear *ear = ear_open(rig, "opaque:0"), *second = ear_open(rig, "opaque:0");
    ach_message_t *m;

    ear_ask(ear, ACH_OPAQUE_REQ_DATA, NULL);
    run_of(ear);
    run_of(ear);
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &(ach_address_t){.interf = ACH_OPAQUE_CODE},
                                   ear_queue(second)));
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &(ach_address_t){.interf = ACH_OPAQUE_CODE},
                                   ear_queue(ear)));
    m = ear_want(ear, ACH_MSG_NACK, ACH_OPAQUE_REQ_DATA);
    ach_message_unref(m);
    ear_forget(second);
    ear_forget(ear);
    rig_end(rig);
}

/* A driver that hangs in a process of its own does not keep the robot from ending. */
static void hangs(void)
{
    struct rig *rig = start("hang", "process yes");
    struct ear *ear = ear_open(rig, "opaque:0"), *other = ear_open(rig, "opaque:1");
    double begun;

    trigger(ear);
    CHECK(works(other));
    begun = rig_now();
    ear_close(ear);
    ear_close(other);
    rig_end(rig);
    CHECK(rig_now() - begun < RIG_PATIENCE);
}

int main(void)
{
    refused("constructor", "a constructor has thrown");
    refused("error", "constructor has failed");
    refused("null", "constructor has failed");
    fails_setup("setup", "Setup has failed", false);
    fails_setup("mainsetup", "MainSetup has failed", true);
    restarts("return", "");
    restarts("throw", "");
    restarts("exit", "");
    restarts("return", "process yes");
    restarts("crash", "process yes");
    leaks();
    forgets();
    hangs();
    return check_result();
}
