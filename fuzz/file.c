/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c - any bytes as a channel's file */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "property.h"

#define NAME "fuzz-file"
#define IMAGE_MAX (1u << 20)
#define ROOM 5000u

#define GOT                                                                                        \
    (ACH_MASK_OK | ACH_MASK_MISSED_FRAME | ACH_MASK_EAGAIN | ACH_MASK_TIMEOUT | ACH_MASK_CORRUPT | \
     ACH_MASK_ENOENT)
#define PUT (ACH_MASK_OK | ACH_MASK_LOCKED | ACH_MASK_CORRUPT | ACH_MASK_EACCES | ACH_MASK_OVERFLOW)

struct image {
    unsigned char bytes[IMAGE_MAX];
    size_t size;
};

/* Sound channels to start from, with messages of all kinds in them. */
static const struct shape {
    size_t frame_cnt, frame_size;
    int single, typed;
} shapes[] = {{1, 1, 0, 0}, {4, 100, 0, 1}, {3, 1000, 1, 0}, {16, 64, 0, 0}, {4, 80, 1, 1}};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static struct image sound[SHAPES];
static char path[256];

static void make_sound(struct image *image, const struct shape *shape)
{
    static const ach_channel_type_t type = {.name = "demo/msg/Pair",
                                            .encoding = "cdr",
                                            .schema_encoding = "ros2msg",
                                            .schema = "float64 x\nfloat64 y\n",
                                            .schema_size = 20};
    unsigned char message[3000] = "message";
    ach_create_attr_t create;
    ach_attr_t attr;
    ach_channel_t chan;
    size_t i, capacity = shape->frame_cnt * shape->frame_size;
    int fd;

    ach_create_attr_init(&create);
    ach_create_attr_set_single_writer(&create, shape->single);
    ach_create_attr_set_relayed(&create, shape->typed);
    ach_create_attr_set_type(&create, shape->typed ? &type : NULL);
    STATUS(ach_create(NAME, shape->frame_cnt, shape->frame_size, &create), ACH_MASK_OK);
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, shape->single);
    STATUS(ach_open(&chan, NAME, &attr), ACH_MASK_OK);
    for (i = 0; i < 20; i++)
        STATUS(ach_put(&chan, message, 1 + i * 97 % capacity), ACH_MASK_OK);
    ach_close(&chan);
    fd = open(path, O_RDONLY);
    image->size = (size_t)read(fd, image->bytes, sizeof(image->bytes));
    close(fd);
    STATUS(ach_unlink(NAME), ACH_MASK_OK);
}

static void write_file(const unsigned char *bytes, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    HOLDS(fd >= 0);
    HOLDS(size == 0 || write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

/* Change some words of a sound channel: where, and to what. */
static void write_changed(struct property_input *in, const struct image *image)
{
    static unsigned char copy[IMAGE_MAX];

    memcpy(copy, image->bytes, image->size);
    while (in->at < in->end) {
        size_t where = (size_t)property_number(in, 2) * 4 % image->size;
        uint64_t what = property_number(in, 8);
        size_t n = image->size - where < 8 ? image->size - where : 8;

        memcpy(copy + where, &what, n);
    }
    write_file(copy, image->size);
}

static void view_all(const ach_channel_t *chan, const unsigned char *at, size_t size)
{
    volatile unsigned char sum = 0;
    size_t i;

    HOLDS(at >= (const unsigned char *)chan->shm);
    for (i = 0; i < size; i++)
        sum = (unsigned char)(sum + at[i]);
}

static void read_some(ach_channel_t *chan, int options)
{
    static unsigned char buf[ROOM];
    const struct timespec none = {0};
    const void *at;
    size_t size = 0;
    int i;

    for (i = 0; i < 4; i++) {
        enum ach_status s =
            STATUS(ach_get(chan, buf, sizeof(buf), &size, &none, options), GOT | ACH_MASK_OVERFLOW);

        if (s == ACH_OK || s == ACH_MISSED_FRAME)
            HOLDS(size > 0 && size <= sizeof(buf));
    }
    if (ach_status_match(STATUS(ach_view(chan, &at, &size, &none, options), GOT),
                         ACH_MASK_OK | ACH_MASK_MISSED_FRAME)) {
        view_all(chan, at, size);
        STATUS(ach_view_check(chan), ACH_MASK_OK | ACH_MASK_EAGAIN);
    }
}

static void write_some(ach_channel_t *chan)
{
    static const unsigned char message[ROOM] = {1};
    void *room;
    size_t n;

    for (n = 1; n <= sizeof(message); n = n * 3 + 1)
        STATUS(ach_put(chan, message, n), PUT);
    if (STATUS(ach_reserve(chan, 200, &room), PUT) == ACH_OK) {
        memset(room, 7, 200);
        STATUS(ach_commit(chan, 150), PUT);
    }
}

static void use(ach_channel_t *chan)
{
    ach_wait_item_t item = {.chan = chan};
    const struct timespec none = {0};
    ach_info_t info;
    ach_origin_t origin;
    const ach_channel_type_t *type;

    STATUS(ach_channel_info(chan, &info), ACH_MASK_OK | ACH_MASK_CORRUPT);
    if (STATUS(ach_channel_type(chan, &type), ACH_MASK_OK | ACH_MASK_CORRUPT | ACH_MASK_ENOTSUP) ==
        ACH_OK)
        HOLDS(strlen(type->name) > 0 && ((const char *)type->schema)[type->schema_size] == '\0' &&
              ach_channel_type_hash(type) != 0);
    read_some(chan, 0);
    read_some(chan, ACH_O_LAST | ACH_O_COPY);
    STATUS(ach_channel_origin(chan, &origin), ACH_MASK_OK | ACH_MASK_EAGAIN | ACH_MASK_ENOTSUP);
    write_some(chan);
    read_some(chan, ACH_O_WAIT | ACH_O_RELTIME);
    read_some(chan, ACH_O_LAST | ACH_O_LINKED);
    STATUS(ach_wait(&item, 1, &none, ACH_O_RELTIME), ACH_MASK_OK | ACH_MASK_TIMEOUT);
    STATUS(ach_flush(chan), ACH_MASK_OK | ACH_MASK_CORRUPT);
}

static void open_and_use(int readonly, int source)
{
    ach_channel_t chan;
    ach_attr_t attr;
    enum ach_status s;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, readonly);
    ach_attr_set_lock_source(&attr, source);
    ach_attr_set_lock_timeout(&attr, 100000);
    s = STATUS(ach_open(&chan, NAME, &attr), ACH_MASK_OK | ACH_MASK_BAD_SHM_FILE |
                                                 ACH_MASK_BAD_HEADER | ACH_MASK_FAILED_SYSCALL |
                                                 (source ? ACH_MASK_EAGAIN : ACH_MASK_NONE));
    if (s != ACH_OK)
        return;
    use(&chan);
    STATUS(ach_close(&chan), ACH_MASK_OK);
}

void property_file(const uint8_t *data, size_t size)
{
    struct property_input in = {data, data + size};
    unsigned kind = property_byte(&in), i;

    if (!path[0]) {
        STATUS(ach_channel_path(NAME, path, sizeof(path)), ACH_MASK_OK);
        for (i = 0; i < SHAPES; i++)
            make_sound(&sound[i], &shapes[i]);
    }
    if (kind < 64)
        write_file(in.at, (size_t)(in.end - in.at));
    else
        write_changed(&in, &sound[kind % SHAPES]);
    open_and_use(0, shapes[kind % SHAPES].single);
    open_and_use(1, 0);
    unlink(path);
}
