/* SPDX-License-Identifier: BSD-3-Clause */
/* simrobot-bitmap.c - images that are right, wrong, cut off, or random */
#include "../../../src/drivers/simrobot/bitmap.h"

#include "check.h"

static const struct drv_sim_greys greys = {0.35, 0.8};

static bool parse(const void *bytes, size_t size, struct drv_sim_bitmap *b)
{
    const char *why = NULL;
    uint8_t *exact = malloc(size ? size : 1);
    bool ok;

    REQUIRE(exact);
    memcpy(exact, bytes, size);
    ok = drv_sim_bitmap_parse(exact, size, &greys, b, &why);
    free(exact);
    CHECK(ok || why);
    return ok;
}

static bool fails(const char *text)
{
    struct drv_sim_bitmap b;

    if (!parse(text, strlen(text), &b))
        return true;
    drv_sim_bitmap_finish(&b);
    return false;
}

static void known(void)
{
    static const char plain[] = "P2 # numbers\n3 2\n# white\n10\n0 5 10\n10 10 0\n";
    static const char wide[] = "P5 1 2 65535\n\xff\xff\x00\x00";
    struct drv_sim_bitmap b;

    REQUIRE(parse(plain, sizeof(plain) - 1, &b));
    CHECK(b.width == 3 && b.height == 2);
    CHECK(b.cells[0] == -1 && b.cells[2] == 1); /* the lower row comes first */
    CHECK(b.cells[3] == 1 && b.cells[4] == 0 && b.cells[5] == -1);
    drv_sim_bitmap_finish(&b);
    REQUIRE(parse(wide, sizeof(wide) - 1, &b));
    CHECK(b.cells[0] == 1 && b.cells[1] == -1);
    drv_sim_bitmap_finish(&b);
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

static void random_bytes(void)
{
    uint64_t random = 3;
    unsigned rounds = (unsigned)check_scale(20000), k;
    struct drv_sim_bitmap b;
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
            drv_sim_bitmap_finish(&b);
    }
}

int main(void)
{
    known();
    wrong();
    random_bytes();
    return check_result();
}
