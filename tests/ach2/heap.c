/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a heap channel outlives its handles; the program frees it. */
#include "ach2.h"

static int get_one(ach_channel_t *chan)
{
    size_t size;
    int value;

    CHECK(ach_get(chan, &value, sizeof(value), &size, NULL, ACH_O_LAST) == ACH_OK);
    return value;
}

static void use(int map_anon)
{
    ach_create_attr_t create_attr;
    ach_attr_t attr;
    ach_channel_t a, b;
    int i;

    ach_create_attr_init(&create_attr);
    if (map_anon)
        create_attr.map_anon = 1;
    else
        create_attr.map = ACH_MAP_ANON;
    CHECK(ach_create("heap", 10, 64, &create_attr) == ACH_OK);
    ach_attr_init(&attr);
    CHECK(ach_attr_set_shm(&attr, create_attr.shm) == ACH_OK);
    for (i = 1; i <= 3; i++) { /* all handles closed, and opened again */
        CHECK(ach_open(&a, NULL, &attr) == ACH_OK);
        CHECK(ach_open(&b, NULL, &attr) == ACH_OK);
        CHECK(i == 1 || ach_flush(&b) == ACH_OK);
        CHECK(ach_put(&a, &i, sizeof(i)) == ACH_OK);
        CHECK(get_one(&b) == i);
        CHECK(ach_close(&a) == ACH_OK && ach_close(&b) == ACH_OK);
    }
    CHECK(ach_open(&a, NULL, &attr) == ACH_OK);
    CHECK(ach_get(&a, &i, sizeof(i), NULL, NULL, 0) == ACH_EINVAL); /* messages are still there */
    CHECK(ach_close(&a) == ACH_OK);
    free(attr.shm);
}

int main(void)
{
    use(0);
    use(1);
    return 0;
}
