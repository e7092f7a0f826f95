/* SPDX-License-Identifier: BSD-3-Clause */
/* publish.c - data for a sink and several subscribers is encoded once, outside the device's lock */
#include <ach/interface/opaque.h>
#include <dlfcn.h>
#include <pthread.h>

#include "rig.h"

static struct ear *leaving;
static _Atomic unsigned encoded, sunk;
static _Atomic bool left;

static void *leave(void *arg)
{
    (void)arg;
    ear_close(leaving);
    left = true;
    return NULL;
}

/* In the place of the library's. Another thread can unsubscribe meanwhile, which takes the lock. */
ach_status_t ach_encode(const ach_type_t *type, const void *body, void *bytes, size_t room,
                        size_t *size)
{
    ach_status_t (*real)(const ach_type_t *, const void *, void *, size_t, size_t *);
    pthread_t thread;

    *(void **)&real = dlsym(RTLD_NEXT, "ach_encode");
    encoded++;
    if (leaving) {
        REQUIRE(pthread_create(&thread, NULL, leave, NULL) == 0);
        EVENTUALLY(left);
        leaving = NULL;
        pthread_join(thread, NULL);
    }
    return real(type, body, bytes, room, size);
}

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    static ach_address_t own;

    (void)options;
    *state = &own;
    return ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &own);
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    uint8_t bytes[] = {1, 2, 3};
    ach_opaque_data_t body = {.data_count = 3, .data = bytes};

    (void)m;
    return ach_driver_publish(driver, state, ACH_OPAQUE_DATA_STATE, &body);
}

static const ach_driver_class_t speaker = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_INLINE,
    .name = "speaker",
    .create = create,
    .process = process,
};

static void sink_body(void *context, const ach_header_t *h, const ach_type_t *type,
                      const void *body)
{
    (void)context;
    (void)h;
    (void)type;
    (void)body;
    CHECK(!"a body that the sink would have to encode again");
}

static struct {
    unsigned char bytes[64];
    size_t size;
} sunken;

static void sink_bytes(void *context, const ach_header_t *h, const void *bytes, size_t size)
{
    (void)context;
    CHECK(h->type == ACH_MSG_DATA);
    REQUIRE(size && size <= sizeof(sunken.bytes));
    memcpy(sunken.bytes, bytes, size);
    sunken.size = size;
    sunk++;
}

static void hears(struct ear *ear)
{
    ach_message_t *m = ear_data(ear, ACH_OPAQUE_DATA_STATE);
    const ach_opaque_data_t *body = ach_message_body(m);
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);

    CHECK(size == sunken.size && memcmp(bytes, sunken.bytes, size) == 0);
    CHECK(body && body->data_count == 3 && body->data[2] == 3);
    ach_message_unref(m);
}

int main(void)
{
    const ach_sink_t sink = {NULL, sink_body, sink_bytes};
    struct rig *rig = rig_create(false);
    ach_header_t command = {.address = {.interf = ACH_OPAQUE_CODE},
                            .type = ACH_MSG_CMD,
                            .subtype = ACH_OPAQUE_CMD_DATA};
    struct ear *first, *second;

    rig_add(rig, &speaker);
    REQUIRE_OK(rig_load(rig, "driver (name \"speaker\" provides [\"opaque:0\"])"));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    first = ear_open(rig, "opaque:0");
    second = ear_open(rig, "opaque:0");
    leaving = ear_open(rig, "opaque:0");
    REQUIRE_OK(ach_robot_sink(rig_robot(rig), &command.address, &sink));
    CHECK_OK(ach_robot_deliver(rig_robot(rig), &command, NULL, 0, NULL));
    CHECK(encoded == 1 && sunk == 1 && left);
    hears(first);
    hears(second);
    CHECK_OK(ach_robot_sink(rig_robot(rig), &command.address, NULL));
    ear_close(first);
    ear_close(second);
    rig_end(rig);
    return check_result();
}
