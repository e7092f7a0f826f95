/* SPDX-License-Identifier: BSD-3-Clause */
/* laserbarcode.c - barcodes of all numbers at many poses are found, and walls are not */
#include <ach/interface/fiducial.h>
#include <ach/interface/laser.h>
#include <math.h>

#include "barcode.h"
#include "rig.h"

#define RAYS 721u
#define FAR 8.0

/* A scan of 180 degrees that sees one barcode in front of a wall. */
struct scene {
    ach_laser_data_t scan;
    float ranges[RAYS];
    uint8_t intensity[RAYS];
};

static const struct drv_barcode_options usual = {
    .bits = 8, .width = 0.05, .depth = 0.05, .accept = 1, .zero = 0.6, .one = 0.6};

static void empty(struct scene *s)
{
    uint32_t i;

    s->scan = (ach_laser_data_t){.min_angle = (float)-M_PI / 2,
                                 .max_angle = (float)M_PI / 2,
                                 .resolution = (float)M_PI / (RAYS - 1),
                                 .max_range = (float)FAR,
                                 .ranges_count = RAYS,
                                 .ranges = s->ranges,
                                 .intensity_count = RAYS,
                                 .intensity = s->intensity};
    for (i = 0; i < RAYS; i++) {
        s->ranges[i] = (float)FAR;
        s->intensity[i] = 0;
    }
}

/* Each ray is followed to the line of the barcode; @pose is that of its middle. */
static void place(struct scene *s, int number, const ach_pose2d_t *pose,
                  const struct drv_barcode_options *o)
{
    double along = pose->pa - M_PI / 2, half = o->bits * o->width / 2;
    uint32_t i;

    for (i = 0; i < RAYS; i++) {
        double a = (double)s->scan.min_angle + i * (double)s->scan.resolution;
        double across = sin(a - along);
        double t = (pose->py * cos(a) - pose->px * sin(a)) / across;
        double range = (pose->py * cos(along) - pose->px * sin(along)) / across;

        if (!(fabs(t) < half) || !(range > 0))
            continue;
        s->ranges[i] = (float)range;
        s->intensity[i] = number >> (int)((t + half) / o->width) & 1;
    }
}

static bool close_to(double a, double b, double limit)
{
    return fabs(a - b) <= limit;
}

static void check_one(int number, double range, double bearing, double turn)
{
    ach_pose2d_t pose = {range * cos(bearing), range * sin(bearing),
                         remainder(bearing + M_PI + turn, 2 * M_PI)};
    ach_fiducial_item_t found[4];
    struct scene s;
    uint32_t n;

    empty(&s);
    place(&s, number, &pose, &usual);
    n = drv_barcode_find(&s.scan, &usual, found, 4);
    if (!CHECK(n == 1 && found[0].id == number && close_to(found[0].pose.px, pose.px, 0.02) &&
               close_to(found[0].pose.py, pose.py, 0.02) &&
               close_to(remainder(found[0].pose.pyaw - pose.pa, 2 * M_PI), 0, 0.1)))
        fprintf(stderr, "number %d at %g m, %g rad, turned by %g: found %u, number %d\n", number,
                range, bearing, turn, n, n ? found[0].id : 0);
}

/* The first and the last bit of a barcode are 1. */
static void test_numbers(void)
{
    int inner;

    for (inner = 0; inner < 64; inner++) {
        check_one(129 | inner << 1, 1, 0, 0);
        check_one(129 | inner << 1, 2.4, 0.5, 0);
        check_one(129 | inner << 1, 1.5, -0.9, 0.6);
        check_one(129 | inner << 1, 1.5, 0.2, -0.6);
    }
}

static void test_none(void)
{
    struct drv_barcode_options small = usual;
    ach_pose2d_t pose = {2, 0, M_PI};
    ach_fiducial_item_t found[2];
    struct scene s;
    uint32_t i;

    empty(&s);
    CHECK(drv_barcode_find(&s.scan, &usual, found, 2) == 0);
    small.bits = 4;
    place(&s, 15, &pose, &small); /* half as wide as a barcode */
    CHECK(drv_barcode_find(&s.scan, &usual, found, 2) == 0);
    empty(&s);
    place(&s, 255, &pose, &usual);
    for (i = 0; i < RAYS; i++)
        if (s.intensity[i] && i % 2)
            s.ranges[i] += 0.2f; /* not flat */
    CHECK(drv_barcode_find(&s.scan, &usual, found, 2) == 0);
    empty(&s);
    for (i = 0; i < RAYS; i++)
        s.intensity[i] = 1; /* a wall that reflects everywhere is cut into pieces, none too many */
    CHECK(drv_barcode_find(&s.scan, &usual, found, 2) <= 2);
    for (i = 0; i < RAYS; i++)
        s.ranges[i] = i % 3 ? NAN : INFINITY;
    CHECK(drv_barcode_find(&s.scan, &usual, found, 2) == 0);
    s.scan.intensity_count = 0;
    CHECK(drv_barcode_find(&s.scan, &usual, found, 2) == 0);
}

/* From 3 m about 4 rays hit a strip: the barcode is seen, but too few rays read its number. */
static void test_too_far(void)
{
    struct drv_barcode_options strict = usual;
    ach_pose2d_t pose = {3, 0, M_PI};
    ach_fiducial_item_t found[2];
    struct scene s;

    empty(&s);
    place(&s, 0xb5, &pose, &usual);
    CHECK(drv_barcode_find(&s.scan, &usual, found, 2) == 1 && found[0].id == 0xb5);
    strict.accept = 6;
    CHECK(drv_barcode_find(&s.scan, &strict, found, 2) == 1 && found[0].id == -1);
}

/* A driver that publishes one scan again and again. */
static struct scene shown;

static ach_status_t laser_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    static ach_address_t here;

    (void)options;
    *state = &here;
    return ach_driver_provide(driver, ACH_LASER_CODE, NULL, &here);
}

static ach_status_t laser_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    ach_laser_geom_t geom = {.pose = {.px = 0.1}, .size = {.sl = 0.2}};

    (void)state;
    if (!ach_message_is(message, NULL, ACH_MSG_REQ, ACH_LASER_REQ_GET_GEOM))
        return ACH_ENOTSUP;
    return ach_driver_reply(driver, message, ACH_MSG_ACK, &geom);
}

static void laser_main(ach_driver_t *driver, void *state)
{
    while (ach_driver_wait(driver, 0.01))
        ach_driver_publish(driver, state, ACH_LASER_DATA_SCAN, &shown.scan);
}

static const ach_driver_class_t laser_class = {
    .version = ACH_DRIVER_VERSION,
    .name = "scene",
    .create = laser_create,
    .process = laser_process,
    .main = laser_main,
};

static void test_driver(void)
{
    ach_pose2d_t pose = {1.5, 0.3, M_PI};
    struct rig *rig = rig_create(false);
    const ach_fiducial_data_t *data;
    const ach_fiducial_geom_t *geom;
    struct ear *ear;
    ach_message_t *m;

    empty(&shown);
    place(&shown, 0x93, &pose, &usual);
    rig_add(rig, &laser_class);
    REQUIRE_OK(rig_load(rig, "driver (name \"scene\" provides [\"laser:0\"])\n"
                             "driver (name \"laserbarcode\" provides [\"fiducial:0\"]\n"
                             "        requires [\"laser:0\"] bit_count 8 bit_width 0.05)"));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    ear = ear_open(rig, "fiducial:0");
    m = ear_data(ear, ACH_FIDUCIAL_DATA_SCAN);
    data = ach_message_body(m);
    REQUIRE(data);
    CHECK(data->fiducials_count == 1 && data->fiducials[0].id == 0x93);
    CHECK(data->fiducials_count == 1 && close_to(data->fiducials[0].pose.px, 1.5, 0.02) &&
          close_to(data->fiducials[0].pose.py, 0.3, 0.02) &&
          close_to(fabs(data->fiducials[0].pose.pyaw), M_PI, 0.1));
    ach_message_unref(m);
    m = ear_request(ear, ACH_FIDUCIAL_REQ_GET_GEOM, NULL);
    geom = ach_message_body(m);
    CHECK(geom && geom->pose.px == 0.1 && geom->size.sl == 0.2);
    CHECK(geom && close_to(geom->fiducial_size.sw, 0.4, 1e-9));
    ach_message_unref(m);
    CHECK(!ear_acked(ear, ACH_FIDUCIAL_REQ_GET_FOV, NULL));
    ear_close(ear);
    rig_end(rig);
}

static void test_wrong(void)
{
    rig_refuses("driver (name \"null\" provides [\"laser:0\"])\n"
                "driver (name \"laserbarcode\" provides [\"fiducial:0\"]\n"
                "        requires [\"laser:0\"] bit_count 31)",
                "expected a number from 3 to 30");
}

int main(void)
{
    test_numbers();
    test_none();
    test_too_far();
    test_driver();
    test_wrong();
    return check_result();
}
