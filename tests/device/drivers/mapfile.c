/* SPDX-License-Identifier: BSD-3-Clause */
/* mapfile.c - a map device from an image: its size, place and tiles; wrong options */
#include <ach/interface/map.h>

#include "rig.h"

static char image[] = "/tmp/achmap.XXXXXX";

static struct rig *load(const char *options)
{
    char text[512];

    snprintf(text, sizeof(text), "driver (name \"mapfile\" provides [\"map:0\"] %s)", options);
    return rig_start(text);
}

static struct rig *load_image(const char *options)
{
    char text[256];

    snprintf(text, sizeof(text), "filename \"%s\" %s", image, options);
    return load(text);
}

static void check_info(struct ear *map, double px, double py)
{
    ach_message_t *m = ear_request(map, ACH_MAP_REQ_GET_INFO, NULL);
    const ach_map_info_t *info = ach_message_body(m);

    REQUIRE(info);
    CHECK(info->width == 3 && info->height == 2 && info->scale == 0.5f);
    CHECK(info->origin.px == px && info->origin.py == py);
    ach_message_unref(m);
}

static void check_cells(struct ear *map, const int8_t *cells)
{
    ach_map_data_t ask = {.width = 3, .height = 2};
    ach_message_t *m = ear_request(map, ACH_MAP_REQ_GET_DATA, &ask);
    const ach_map_data_t *tile = ach_message_body(m);

    REQUIRE(tile);
    CHECK(tile->data_count == 6 && memcmp(tile->data, cells, 6) == 0);
    ach_message_unref(m);
    ask = (ach_map_data_t){.col = 2, .row = 1, .width = 1, .height = 1};
    m = ear_request(map, ACH_MAP_REQ_GET_DATA, &ask);
    tile = ach_message_body(m);
    CHECK(tile && tile->data_count == 1 && tile->data[0] == cells[5]);
    ach_message_unref(m);
    ask.width = 2; /* beyond the right side */
    CHECK(!ear_acked(map, ACH_MAP_REQ_GET_DATA, &ask));
    CHECK(!ear_acked(map, ACH_MAP_REQ_GET_DATA, NULL));
}

static void test_map(void)
{
    static const int8_t cells[] = {-1, -1, 1, 1, 0, -1}, negated[] = {1, 1, -1, -1, 0, 1};
    struct rig *rig = load_image("resolution 0.5");
    struct ear *map = ear_open(rig, "map:0");

    check_info(map, -0.75, -0.5); /* its middle is at 0, 0 */
    check_cells(map, cells);
    ear_close(map);
    rig_end(rig);

    rig = load_image("resolution 0.5 origin [1 -2 0] negate 1");
    map = ear_open(rig, "map:0");
    check_info(map, 1, -2);
    check_cells(map, negated);
    ear_close(map);
    rig_end(rig);
}

static void refused(const char *options, const char *why)
{
    char text[512];

    snprintf(text, sizeof(text), "driver (name \"mapfile\" provides [\"map:0\"] %s)", options);
    rig_refuses(text, why);
}

static void test_wrong(void)
{
    char text[128];

    refused("resolution 0.1", "the name of a PGM or PNG image");
    refused("filename \"/none.png\" resolution 0.1", "/none.png: No such file");
    snprintf(text, sizeof(text), "filename \"%s\"", image);
    refused(text, "the length of a pixel, above 0");
}

int main(void)
{
    static const char pixels[] = "P2 3 2 10\n0 5 10\n10 10 0\n";
    int fd = mkstemp(image);

    REQUIRE(fd >= 0 && write(fd, pixels, strlen(pixels)) == (ssize_t)strlen(pixels));
    close(fd);
    test_map();
    test_wrong();
    unlink(image);
    return check_result();
}
