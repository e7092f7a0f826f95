/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.c - the operations on devices */
#include "conformance.h"

#include <ach/device.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 16

struct opened {
    char name[32];
    ach_device_t *device; /* NULL: not open */
};

static struct opened devices[DEVICES_MAX];

static struct opened *opened_of(const char *name)
{
    for (struct opened *d = devices; d < devices + DEVICES_MAX; d++) {
        if (!d->name[0])
            snprintf(d->name, sizeof(d->name), "%s", name);
        if (strcmp(d->name, name) == 0)
            return d;
    }
    script_bad("too many devices", name);
}

static enum ach_status run_device(const struct words *w, FILE *results)
{
    struct opened *d = opened_of(w->word[1]);
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = DEVICE_SECONDS};
    char *address = address_of(w->word[2]);
    enum ach_status status = ach_device_open(address, &attr, &d->device);

    (void)results;
    free(address);
    if (status != ACH_OK)
        d->device = NULL;
    return status;
}

static enum ach_status run_data(const struct words *w, FILE *results)
{
    const struct opened *d = opened_of(w->word[1]);
    ach_message_t *message;
    enum ach_status status;

    if (!d->device)
        return ACH_CLOSED;
    status = ach_device_get(
        d->device,
        message_def_of(ach_device_address(d->device)->interf, ACH_MSG_DATA, w->word[2])->subtype,
        DEVICE_SECONDS, ACH_O_WAIT, &message);
    if (status == ACH_OK) {
        device_message_print(results, message);
        ach_message_unref(message);
    }
    return status;
}

static enum ach_status run_command(const struct words *w, FILE *results)
{
    const struct opened *d = opened_of(w->word[1]);
    const ach_message_def_t *def;
    enum ach_status status;
    void *body;

    (void)results;
    if (!d->device)
        return ACH_CLOSED;
    def = message_def_of(ach_device_address(d->device)->interf, ACH_MSG_CMD, w->word[2]);
    status = body_of(w, def, &body);
    if (status == ACH_OK)
        status = ach_device_command(d->device, def->subtype, body);
    free(body);
    return status;
}

static enum ach_status run_request(const struct words *w, FILE *results)
{
    const struct opened *d = opened_of(w->word[1]);
    const ach_message_def_t *def;
    ach_message_t *answer = NULL;
    enum ach_status status;
    void *body;

    if (!d->device)
        return ACH_CLOSED;
    def = message_def_of(ach_device_address(d->device)->interf, ACH_MSG_REQ, w->word[2]);
    status = body_of(w, def, &body);
    if (status == ACH_OK)
        status = ach_device_request(d->device, def->subtype, body, DEVICE_SECONDS, &answer);
    if (status == ACH_OK)
        device_message_print(results, answer);
    ach_message_unref(answer);
    free(body);
    return status;
}

static enum ach_status run_flush(const struct words *w, FILE *results)
{
    const struct opened *d = opened_of(w->word[1]);

    (void)results;
    return d->device ? ach_device_flush(d->device, DEVICE_SECONDS) : ACH_CLOSED;
}

static enum ach_status run_close(const struct words *w, FILE *results)
{
    struct opened *d = opened_of(w->word[1]);
    enum ach_status status = d->device ? ach_device_close(d->device) : ACH_CLOSED;

    (void)results;
    d->device = NULL;
    return status;
}

static enum ach_status run_devices(const struct words *w, FILE *results)
{
    char *address = address_of(w->word[1]);
    ach_device_info_t infos[64];
    size_t count = 0;
    enum ach_status status =
        ach_device_list(address, NULL, infos, sizeof(infos) / sizeof(infos[0]), &count);

    free(address);
    if (status == ACH_OK)
        fprintf(results, " %zu", count);
    return status;
}

const struct operation device_operations[] = {
    {"device", 3, run_device},      {"data", 3, run_data},
    {"command", 3, run_command},    {"request", 3, run_request},
    {"device-flush", 2, run_flush}, {"device-close", 2, run_close},
    {"devices", 2, run_devices},    {0}};
