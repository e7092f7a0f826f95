/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin-loads.c - a robot whose config file names a plug-in: plugin-loads FILE PLUGIN */
#include <ach/interface/laser.h>
#include <math.h>

#include "scanner.h"

static void check_geometry(struct ear *ear)
{
    ach_message_t *m = ear_request(ear, ACH_LASER_REQ_GET_GEOM, NULL);
    const ach_laser_geom_t *g = ach_message_body(m);

    REQUIRE(g);
    CHECK(fabs(g->pose.px - 0.1) < 1e-9 && fabs(g->pose.py) < 1e-9);
    ach_message_unref(m);
    CHECK(!ear_acked(ear, ACH_LASER_REQ_GET_CONFIG, NULL));
}

static void check_scans(struct ear *ear)
{
    int i;

    for (i = 0; i < 3; i++) {
        ach_message_t *m = ear_data(ear, ACH_LASER_DATA_SCAN);
        const ach_laser_data_t *d;

        REQUIRE(m);
        d = ach_message_body(m);
        CHECK(d && d->ranges_count == 682 && fabsf(d->ranges[100] - 2) < 1e-6f);
        ach_message_unref(m);
    }
}

/* Copy the config file of the example, with the plug-in and the port of this test. */
static void make_config(const char *from, const char *to, const char *plugin, const char *port)
{
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    char line[256];

    REQUIRE(in && out);
    while (fgets(line, sizeof(line), in))
        if (strncmp(line, "plugin ", 7) == 0)
            fprintf(out, "plugin \"%s\"\n", plugin);
        else if (strstr(line, "port \""))
            fprintf(out, "port \"%s\"\n", port);
        else
            fputs(line, out);
    fclose(in);
    REQUIRE(fclose(out) == 0);
}

int main(int argc, char **argv)
{
    struct scanner s = scanner_start((const char *const[]){"period 20", "scene wall", NULL});
    struct rig *rig = rig_create(false);
    struct ear *ear;
    char config[128];

    REQUIRE(argc == 3);
    snprintf(config, sizeof(config), "%s/robot.cfg", s.dir);
    make_config(argv[1], config, argv[2], s.link);
    REQUIRE_OK(ach_robot_load(rig_robot(rig), config));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    ear = ear_open(rig, "laser:0");
    check_geometry(ear);
    check_scans(ear);
    /* Unplugged, the driver's main returns; plugged in again, the driver is set up again. */
    scanner_tell(&s, "unplug");
    CHECK(rig_logged(rig, "driver urg_plugin has failed"));
    scanner_tell(&s, "plug");
    check_scans(ear);
    ear_close(ear);
    rig_end(rig);
    unlink(config);
    scanner_end(&s);
    return check_result();
}
