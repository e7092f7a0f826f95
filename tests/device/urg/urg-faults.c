/* SPDX-License-Identifier: BSD-3-Clause */
/* urg-faults.c - a bad line, a scanner that is pulled out, and things that are no scanner */
#include <ach/interface/laser.h>
#include <math.h>

#include "scanner.h"

static const char *const quick[] = {"period 10", NULL};

/* Whatever the line does, no wrong range comes through. */
static bool right(const ach_message_t *m)
{
    const ach_laser_data_t *d = ach_message_body(m);
    uint32_t i;

    if (!d || d->ranges_count != 682)
        return false;
    for (i = 0; i < d->ranges_count; i++) {
        unsigned step = 44 + i;
        double mm = step % 100 == 0 ? 5600 : 500 + step * 3;

        if (fabs((double)d->ranges[i] - mm / 1000) > 1e-6)
            return false;
    }
    return true;
}

static void good_scans(struct ear *ear, int count)
{
    int i;

    for (i = 0; i < count; i++) {
        ach_message_t *m = ear_data(ear, ACH_LASER_DATA_SCAN);

        REQUIRE(m);
        CHECK(right(m));
        ach_message_unref(m);
    }
}

static void drain(struct ear *ear)
{
    ach_message_t *m;

    while ((m = ach_queue_pop(ear_queue(ear))))
        ach_message_unref(m);
}

/*
 * One wrong byte always shows: another one with the same checksum is no character of a
 * number. A lost one shows in the checksum, or in a number that is not complete.
 */
static void bad_line(const char *fault)
{
    struct scanner s = scanner_start(quick);
    struct rig *rig = scanner_robot(&s, "timeout 0.5");
    struct ear *ear = ear_open(rig, "laser:0");
    double end = rig_now() + RIG_PATIENCE;

    scanner_tell(&s, "%s", fault);
    while (rig_count(rig, "were damaged so far") < 5 && rig_now() < end)
        good_scans(ear, 1);
    CHECK(rig_count(rig, "were damaged so far") >= 5);
    scanner_tell(&s, "noise 0");
    scanner_tell(&s, "drop 0");
    good_scans(ear, 10);
    ear_close(ear);
    rig_end(rig);
    scanner_end(&s);
}

static void unplugged(void)
{
    struct scanner s = scanner_start(quick);
    struct rig *rig = scanner_robot(&s, "timeout 0.5");
    struct ear *ear = ear_open(rig, "laser:0");
    int i;

    for (i = 1; i <= 3; i++) {
        good_scans(ear, 3);
        scanner_tell(&s, "unplug");
        EVENTUALLY(rig_count(rig, "it is tried again") == (unsigned)i);
        /* Questions are answered meanwhile. */
        CHECK(ear_acked(ear, ACH_LASER_REQ_GET_GEOM, NULL));
        CHECK(!ear_acked(ear, ACH_LASER_REQ_POWER, &(ach_laser_power_config_t){1}));
        scanner_tell(&s, "plug");
        EVENTUALLY(rig_count(rig, "the scanner is back") == (unsigned)i);
        drain(ear);
    }
    good_scans(ear, 3);
    ear_close(ear);
    rig_end(rig);
    scanner_end(&s);
}

/* It still says "ok" to nothing: the driver notices by itself. */
static void silent(void)
{
    struct scanner s = scanner_start(quick);
    struct rig *rig = scanner_robot(&s, "timeout 0.2");
    struct ear *ear = ear_open(rig, "laser:0");

    good_scans(ear, 2);
    scanner_tell(&s, "mute 1");
    CHECK(rig_logged(rig, "it is tried again"));
    scanner_tell(&s, "mute 0");
    CHECK(rig_logged(rig, "the scanner is back"));
    drain(ear);
    good_scans(ear, 2);
    scanner_tell(&s, "delay 100");
    good_scans(ear, 2);
    ear_close(ear);
    rig_end(rig);
    scanner_end(&s);
}

/* Something that cannot be used is refused with a reason, and may be good the next time. */
static void refused(const char *fault, const char *mended, const char *why)
{
    struct scanner s = scanner_start(quick);
    struct rig *rig = scanner_robot(&s, "");
    ach_status_t status;
    char said[256];
    struct ear *ear;

    scanner_tell(&s, "%s", fault);
    ear = ear_try(rig, "laser:0", &status, said);
    CHECK(status != ACH_OK);
    if (!strstr(said, why))
        fprintf(stderr, "it says: %s\n", said);
    CHECK(strstr(said, why));
    ear_close(ear);
    scanner_tell(&s, "%s", mended);
    ear = ear_open(rig, "laser:0");
    good_scans(ear, 1);
    ear_close(ear);
    rig_end(rig);
    scanner_end(&s);
}

int main(void)
{
    bad_line("noise 0.0002");
    bad_line("drop 0.0005");
    unplugged();
    silent();
    refused("model bad", "model urg", "no scanner that can be used");
    refused("model none", "model urg", "no scanner that can be used");
    refused("laser broken", "laser ok", "does not measure");
    refused("mute 1", "mute 0", "answers in SCIP 2.0");
    refused("unplug", "plug", "cannot open");
    return check_result();
}
