/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - an interface of one's own: define it, add it, encode, decode, print
 *
 * Once added, the interface is like any other in this process: messages can be
 * looked up by name, printed, and read from words or JSON.
 */
#include "sprayer.h"

#include <stdlib.h>

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ach_errstr());
    exit(1);
}

int main(void)
{
    ach_sprayer_nozzle_t nozzles[] = {
        {.position = {0, 1, 0.5}, .state = ACH_SPRAYER_STATE_ON, .flow = 0.1f},
        {.position = {0, -1, 0.5}, .state = ACH_SPRAYER_STATE_CLOGGED},
    };
    char liquid[] = "water";
    ach_sprayer_data_t data = {
        .level = 80,
        .nozzles_count = 2,
        .nozzles = nozzles,
        .liquid_count = sizeof(liquid),
        .liquid = liquid,
    };
    const ach_message_def_t *message;
    unsigned char bytes[1000];
    size_t size;
    void *body;

    if (ach_interface_add(&ach_sprayer_interface) != ACH_OK)
        fail("add");
    if (ach_encode(&ach_sprayer_data_type, &data, bytes, sizeof(bytes), &size) != ACH_OK)
        fail("encode");
    printf("%zu bytes\n", size);

    message = ach_interface_message_named(ach_interface_find("sprayer"), ACH_MSG_DATA, "STATE");
    if (!message || ach_decode_new(message->body, bytes, size, &body) != ACH_OK)
        fail("decode");
    ach_body_print(message->body, body, 0, stdout);
    free(body);
    return 0;
}
