/* SPDX-License-Identifier: BSD-3-Clause */
/* urg-faults.c - a bad line, a scanner that is unplugged, and devices that are no scanner */
#include <ach/interface/laser.h>
#include <math.h>

#include "scanner.h"

static const char *const quick[] = {"period 10", NULL};

/* Whether all ranges are right: a bad line must not yield a wrong range. */
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
 * One wrong byte is always detected: a byte with the same checksum is no valid character of a
 * number. A lost byte is detected by the checksum, or by an incomplete number.
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
        EVENTUALLY(rig_count(rig, "trying to reconnect") == (unsigned)i);
        /* Requests are answered meanwhile. */
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

/* The scanner stops sending, without an error of the terminal: the driver's timeout detects it. */
static void silent(void)
{
    struct scanner s = scanner_start(quick);
    struct rig *rig = scanner_robot(&s, "timeout 0.2");
    struct ear *ear = ear_open(rig, "laser:0");

    good_scans(ear, 2);
    scanner_tell(&s, "mute 1");
    CHECK(rig_logged(rig, "trying to reconnect"));
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

/* A scanner that cannot be used is refused with a reason, and used once the fault is mended. */
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
    refused("model bad", "model urg", "not a usable scanner");
    refused("model none", "model urg", "not a usable scanner");
    refused("laser broken", "laser ok", "does not measure");
    refused("mute 1", "mute 0", "answers in SCIP 2.0");
    refused("unplug", "plug", "cannot open");
    return check_result();
}
