/* SPDX-License-Identifier: BSD-3-Clause */
/* cameracompress.c - images are compressed, and look the same; others are passed on or left out */
#include <ach/interface/camera.h>
#include <turbojpeg.h>

#include "rig.h"

#define WIDTH 64u
#define HEIGHT 48u

static uint8_t pixels[3 * WIDTH * HEIGHT];

/* A driver that publishes one image again and again. */
static ach_camera_data_t shown;
static double shown_time; /* 0: the time now */

static ach_status_t camera_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    static ach_address_t here;

    (void)options;
    *state = &here;
    return ach_driver_provide(driver, ACH_CAMERA_CODE, NULL, &here);
}

static void camera_main(ach_driver_t *driver, void *state)
{
    while (ach_driver_wait(driver, 0.01))
        ach_driver_publish_at(driver, state, ACH_CAMERA_DATA_STATE, &shown,
                              shown_time > 0 ? shown_time : ach_driver_time(driver));
}

static const ach_driver_class_t camera_class = {
    .version = ACH_DRIVER_VERSION, .name = "still", .create = camera_create, .main = camera_main};

static struct rig *load(const char *options)
{
    struct rig *rig = rig_create(false);
    char text[512];

    rig_add(rig, &camera_class);
    snprintf(text, sizeof(text),
             "driver (name \"still\" provides [\"camera:0\"])\n"
             "driver (name \"cameracompress\" provides [\"camera:1\"]\n"
             "        requires [\"camera:0\"] %s)",
             options);
    REQUIRE_OK(rig_load(rig, text));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    return rig;
}

/* A gradient from left to right. */
static void show(uint32_t format)
{
    uint32_t depth = format == ACH_CAMERA_FORMAT_MONO8 ? 1 : 3, i;

    for (i = 0; i < depth * WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)(i / depth % WIDTH * 3);
    shown = (ach_camera_data_t){.width = WIDTH,
                                .height = HEIGHT,
                                .bpp = 8 * depth,
                                .format = format,
                                .compression = ACH_CAMERA_COMPRESS_RAW,
                                .image_count = depth * WIDTH * HEIGHT,
                                .image = pixels};
}

/* The mean difference from the pixels; 255: not a JPEG of this size. */
static unsigned difference(const ach_camera_data_t *d, uint32_t depth)
{
    static uint8_t back[3 * WIDTH * HEIGHT];
    tjhandle jpeg = tjInitDecompress();
    unsigned long sum = 0;
    uint32_t i;
    int failed;

    REQUIRE(jpeg);
    failed = tjDecompress2(jpeg, d->image, d->image_count, back, WIDTH, 0, HEIGHT,
                           depth == 1 ? TJPF_GRAY : TJPF_RGB, 0);
    tjDestroy(jpeg);
    for (i = 0; i < depth * WIDTH * HEIGHT; i++)
        sum += (unsigned)abs(back[i] - pixels[i]);
    return failed ? 255 : (unsigned)(sum / (depth * WIDTH * HEIGHT));
}

static void check_format(uint32_t format, uint32_t depth)
{
    struct rig *rig;
    struct ear *ear;
    ach_message_t *m, *answer;
    const ach_camera_data_t *d;

    show(format);
    rig = load("image_quality 0.9");
    ear = ear_open(rig, "camera:1");
    m = ear_data(ear, ACH_CAMERA_DATA_STATE);
    REQUIRE(d = ach_message_body(m));
    CHECK(d->width == WIDTH && d->height == HEIGHT && d->format == format);
    CHECK(d->compression == ACH_CAMERA_COMPRESS_JPEG && d->image_count < shown.image_count);
    CHECK(difference(d, depth) < 4);
    answer = ear_request(ear, ACH_CAMERA_REQ_GET_IMAGE, NULL);
    d = ach_message_body(answer);
    CHECK(d && d->compression == ACH_CAMERA_COMPRESS_JPEG && difference(d, depth) < 4);
    ach_message_unref(answer);
    ach_message_unref(m);
    ear_close(ear);
    rig_end(rig);
}

/* A JPEG is passed on as it is; a format that is not supported is logged once. */
static void test_others(void)
{
    struct rig *rig;
    struct ear *ear;
    ach_message_t *m;
    const ach_camera_data_t *d;

    show(ACH_CAMERA_FORMAT_RGB888);
    shown.compression = ACH_CAMERA_COMPRESS_JPEG;
    rig = load("");
    ear = ear_open(rig, "camera:1");
    m = ear_data(ear, ACH_CAMERA_DATA_STATE);
    d = ach_message_body(m);
    CHECK(d && d->image_count == shown.image_count &&
          memcmp(d->image, pixels, d->image_count) == 0);
    ach_message_unref(m);
    ear_close(ear);
    rig_end(rig);

    show(ACH_CAMERA_FORMAT_MONO8);
    shown.format = ACH_CAMERA_FORMAT_RGB565;
    rig = load("save 1");
    CHECK(rig_logged(rig, "the option save has no effect"));
    ear = ear_open(rig, "camera:1");
    CHECK(rig_logged(rig, "images of format 4 are not compressed"));
    CHECK(!ear_acked(ear, ACH_CAMERA_REQ_GET_IMAGE, NULL));
    CHECK(!ear_next(ear, 0.1) && rig_count(rig, "are not compressed") == 1);
    ear_close(ear);
    rig_end(rig);

    show(ACH_CAMERA_FORMAT_MONO8);
    shown.width = WIDTH + 1; /* fewer bytes than the size says */
    rig = load("");
    ear = ear_open(rig, "camera:1");
    CHECK(rig_logged(rig, "the size of an image is wrong"));
    ear_close(ear);
    rig_end(rig);
}

static void test_less(void)
{
    struct rig *rig;
    struct ear *ear;
    bool answered = false;

    show(ACH_CAMERA_FORMAT_MONO8);
    rig = load("request_only 1");
    ear = ear_open(rig, "camera:1");
    EVENTUALLY((answered = ear_acked(ear, ACH_CAMERA_REQ_GET_IMAGE, NULL)));
    CHECK(answered && !ear_next(ear, 0.1));
    ear_close(ear);
    rig_end(rig);

    shown_time = 5;
    rig = load("check_timestamps 1");
    ear = ear_open(rig, "camera:1");
    ach_message_unref(ear_data(ear, ACH_CAMERA_DATA_STATE));
    CHECK(!ear_next(ear, 0.1));
    ear_close(ear);
    rig_end(rig);
    shown_time = 0;
}

static void test_wrong(void)
{
    rig_refuses("driver (name \"null\" provides [\"camera:0\"])\n"
                "driver (name \"cameracompress\" provides [\"camera:1\"]\n"
                "        requires [\"camera:0\"] image_quality 80)",
                "expected a number above 0 and up to 1");
}

int main(void)
{
    check_format(ACH_CAMERA_FORMAT_MONO8, 1);
    check_format(ACH_CAMERA_FORMAT_RGB888, 3);
    test_others();
    test_less();
    test_wrong();
    return check_result();
}
