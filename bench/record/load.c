/* SPDX-License-Identifier: BSD-3-Clause */
/* load.c - record-load CHANNELS HZ SIZE IMAGE_HZ IMAGE_SIZE: puts into load0, load1, ... and image */
#include <ach.h>
#include <string.h>

#include "pace.h"

struct load {
    ach_channel_t *channels;
    void *message;
    size_t size;
};

static void load_send(void *context, unsigned which)
{
    struct load *l = context;

    if (ach_put(&l->channels[which], l->message, l->size) != ACH_OK)
        exit(1);
}

static void load_open(ach_channel_t *c, const char *name)
{
    if (ach_open(c, name, NULL) == ACH_OK)
        return;
    fprintf(stderr, "record-load: %s\n", ach_errstr());
    exit(1);
}

/* Some noise, so that compression has to work. */
static void load_fill(struct load *l, size_t size)
{
    unsigned char *bytes = malloc(size);
    uint32_t x = 1;
    size_t i;

    if (!bytes)
        exit(1);
    for (i = 0; i < size; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(i / 64 + (x >> 30));
    }
    l->message = bytes;
    l->size = size;
}

int main(int argc, char **argv)
{
    struct pace paces[2] = {{.name = "small"}, {.name = "image"}};
    struct load small, image;
    char name[32];
    unsigned i, n;

    if (argc != 6)
        return 2;
    n = (unsigned)strtoul(argv[1], NULL, 10);
    small.channels = calloc(n + 1, sizeof(*small.channels));
    if (!small.channels)
        return 1;
    for (i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "load%u", i);
        load_open(&small.channels[i], name);
    }
    image.channels = small.channels + n;
    load_open(image.channels, "image");
    load_fill(&small, strtoul(argv[3], NULL, 10));
    load_fill(&image, strtoul(argv[5], NULL, 10));
    paces[0].channels = n;
    paces[0].hz = strtod(argv[2], NULL);
    paces[0].context = &small;
    paces[1].channels = 1;
    paces[1].hz = strtod(argv[4], NULL);
    paces[1].context = &image;
    paces[0].send = paces[1].send = load_send;
    return pace_serve(paces, 2);
}
