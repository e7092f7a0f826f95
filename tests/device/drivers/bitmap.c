/* SPDX-License-Identifier: BSD-3-Clause */
/* bitmap.c - images that are right, wrong, cut off, or random */
#include "../../../src/drivers/map/bitmap.h"

#include <png.h>

#include "check.h"

static const struct drv_greys greys = {.occupied_below = 0.35, .free_above = 0.8};

static bool parse(const void *bytes, size_t size, struct drv_bitmap *b)
{
    const char *why = NULL;
    uint8_t *exact = malloc(size ? size : 1);
    bool ok;

    REQUIRE(exact);
    memcpy(exact, bytes, size);
    ok = drv_bitmap_parse(exact, size, &greys, b, &why);
    free(exact);
    CHECK(ok || why);
    return ok;
}

static bool fails(const char *text)
{
    struct drv_bitmap b;

    if (!parse(text, strlen(text), &b))
        return true;
    drv_bitmap_finish(&b);
    return false;
}

static void known(void)
{
    static const char plain[] = "P2 # numbers\n3 2\n# white\n10\n0 5 10\n10 10 0\n";
    static const char wide[] = "P5 1 2 65535\n\xff\xff\x00\x00";
    struct drv_bitmap b;

    REQUIRE(parse(plain, sizeof(plain) - 1, &b));
    CHECK(b.width == 3 && b.height == 2);
    CHECK(b.cells[0] == -1 && b.cells[2] == 1); /* the lower row comes first */
    CHECK(b.cells[3] == 1 && b.cells[4] == 0 && b.cells[5] == -1);
    drv_bitmap_finish(&b);
    REQUIRE(parse(wide, sizeof(wide) - 1, &b));
    CHECK(b.cells[0] == 1 && b.cells[1] == -1);
    drv_bitmap_finish(&b);
}

static void wrong(void)
{
    CHECK(fails("") && fails("P") && fails("P5") && fails("P6 1 1 255\nxxx"));
    CHECK(fails("P5 0 1 255\nx") && fails("P5 1 1 0\nx") && fails("P5 1 1 65536\nxx"));
    CHECK(fails("P5 8192 8192 255\nx") && fails("P5 99999999999 1 255\nx"));
    CHECK(fails("P5 -1 1 255\nx") && fails("P5 2 1 255\nx") && fails("P5 1 1 256\nx"));
    CHECK(fails("P2 2 1 9\n1 x") && fails("P2 1 1 9\n10"));
    CHECK(fails("P5 1 1 255") && fails("P5 # never ends"));
}

static void *write_png(png_uint_32 format, unsigned width, unsigned height, const void *pixels,
                       size_t *size)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .format = format, .width = width, .height = height};
    png_alloc_size_t n = 0;
    void *bytes;

    REQUIRE(png_image_write_to_memory(&image, NULL, &n, 0, pixels, 0, NULL));
    REQUIRE(bytes = malloc(n));
    REQUIRE(png_image_write_to_memory(&image, bytes, &n, 0, pixels, 0, NULL));
    *size = n;
    return bytes;
}

/* Black, grey and white above white, white and black; in some, one pixel is transparent. */
static void png_images(void)
{
    static const uint8_t grey[] = {0, 128, 255, 255, 255, 0};
    static const uint8_t alpha[] = {0, 255, 128, 255, 0, 0, 255, 255, 255, 255, 0, 255};
    static const uint8_t rgb[] = {0,   0,   0,   128, 128, 128, 255, 255, 255,
                                  255, 255, 255, 255, 255, 255, 0,   0,   0};
    static const struct {
        png_uint_32 format;
        const void *pixels;
    } kinds[] = {{PNG_FORMAT_GRAY, grey}, {PNG_FORMAT_GA, alpha}, {PNG_FORMAT_RGB, rgb}};
    struct drv_bitmap b;
    size_t i, n, size;
    uint8_t *bytes;

    for (i = 0; i < 3; i++) {
        bytes = write_png(kinds[i].format, 3, 2, kinds[i].pixels, &size);
        REQUIRE(parse(bytes, size, &b));
        CHECK(b.width == 3 && b.height == 2);
        CHECK(b.cells[0] == -1 && b.cells[1] == -1 && b.cells[2] == 1);
        CHECK(b.cells[3] == 1 && b.cells[4] == 0 && b.cells[5] == -1);
        drv_bitmap_finish(&b);
        for (n = 0; n < size - 16; n++) /* the last chunk is not needed */
            CHECK(!parse(bytes, n, &b));
        free(bytes);
    }
}

static void wrong_png(void)
{
    size_t size, i;
    uint8_t *pixels = calloc(DRV_BITMAP_SIDE_MAX + 1, 1), *bytes;
    uint64_t random = 5;
    struct drv_bitmap b;
    unsigned k;

    REQUIRE(pixels);
    bytes = write_png(PNG_FORMAT_GRAY, DRV_BITMAP_SIDE_MAX + 1, 1, pixels, &size);
    CHECK(!parse(bytes, size, &b));
    free(bytes);
    bytes = write_png(PNG_FORMAT_GRAY, 1, DRV_BITMAP_SIDE_MAX + 1, pixels, &size);
    CHECK(!parse(bytes, size, &b));
    free(bytes);
    bytes = write_png(PNG_FORMAT_GRAY, 64, 64, pixels, &size);
    for (k = 0; k < check_scale(2000); k++) {
        i = 4 + check_random(&random) % (size - 4);
        bytes[i] ^= (uint8_t)(1 + check_random(&random) % 255);
        if (parse(bytes, size, &b))
            drv_bitmap_finish(&b);
    }
    free(bytes);
    free(pixels);
}

static void negated(void)
{
    static const char image[] = "P2 3 1 10 0 5 10";
    struct drv_greys inverse = greys;
    struct drv_bitmap b;
    const char *why;

    inverse.negate = true;
    REQUIRE(drv_bitmap_parse((const uint8_t *)image, sizeof(image) - 1, &inverse, &b, &why));
    CHECK(b.cells[0] == -1 && b.cells[1] == 0 && b.cells[2] == 1);
    drv_bitmap_finish(&b);
}

static void random_bytes(void)
{
    uint64_t random = 3;
    unsigned rounds = (unsigned)check_scale(20000), k;
    struct drv_bitmap b;
    char bytes[64];

    for (k = 0; k < rounds; k++) {
        size_t n = (size_t)sprintf(bytes, "P%c %u %u %u\n", check_random(&random) % 2 ? '2' : '5',
                                   (unsigned)(check_random(&random) % 6),
                                   (unsigned)(check_random(&random) % 6),
                                   (unsigned)(check_random(&random) % 300));
        size_t i;

        for (i = n; i < sizeof(bytes); i++)
            bytes[i] = "0123 \n#x\xff"[check_random(&random) % 9];
        bytes[check_random(&random) % n] ^= (char)(check_random(&random) % 8 == 0);
        if (parse(bytes, check_random(&random) % (sizeof(bytes) + 1), &b))
            drv_bitmap_finish(&b);
    }
}

int main(void)
{
    known();
    wrong();
    negated();
    png_images();
    wrong_png();
    random_bytes();
    return check_result();
}
