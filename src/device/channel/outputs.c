/* SPDX-License-Identifier: BSD-3-Clause */
/* outputs.c - the channels of a robot's devices, and what goes into them */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "server.h"

#define CMD_SIZE 64u /* nominal size of a command; DEVCH_CMD_COUNT times that is the longest */

/* With a single writer the lock is held briefly, unless its holder is stopped. */
#define LOCK_NS 20000000u

struct devch_output *devch_output_find(const struct ach_channels *s, const ach_address_t *device)
{
    size_t i;

    for (i = 0; i < s->n_outputs; i++)
        if (ach_address_equal(&s->outputs[i].address, device))
            return &s->outputs[i];
    return NULL;
}

/* Runs in the publishing thread, which holds locks: devch_channels_say logs it later. */
static void complain(struct devch_output *o, ach_status_t status, size_t size)
{
    if (__atomic_load_n(&o->complaint, __ATOMIC_ACQUIRE) != DEVCH_NO_COMPLAINT)
        return;
    o->wrong = status;
    o->wrong_size = size;
    __atomic_store_n(&o->complaint, DEVCH_COMPLAINT, __ATOMIC_RELEASE);
    __atomic_store_n(&o->server->complaints, true, __ATOMIC_SEQ_CST);
    devch_channels_wake(o->server);
}

/* Log once per device. If the data is too long, name the option that helps. */
static void say(struct ach_channels *s, const struct devch_output *o)
{
    char text[ACH_ADDRESS_MAX], remedy[80] = "";

    if (o->wrong == ACH_OVERFLOW)
        snprintf(remedy, sizeof(remedy), "; set channel ( size %zu ) in the config file",
                 2 * o->wrong_size + s->count);
    ach_robot_log(
        s->robot, ACH_LOG_WARNING, "data of %s, %zu bytes, cannot be put into its channel: %s%s",
        ach_address_text(&o->address, text), o->wrong_size, ach_result_to_string(o->wrong), remedy);
}

void devch_channels_say(struct ach_channels *s)
{
    size_t i;

    if (!__atomic_load_n(&s->complaints, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&s->complaints, false, __ATOMIC_SEQ_CST);
    for (i = 0; i < s->n_outputs; i++) {
        struct devch_output *o = &s->outputs[i];

        if (__atomic_load_n(&o->complaint, __ATOMIC_ACQUIRE) != DEVCH_COMPLAINT)
            continue;
        say(s, o);
        __atomic_store_n(&o->complaint, DEVCH_COMPLAINED, __ATOMIC_RELEASE);
    }
}

/* Readers expect the robot's number in the header. */
static void write_header(const struct devch_output *o, const ach_header_t *header, size_t size,
                         void *to)
{
    ach_header_t h = *header;

    h.address.robot = o->server->number;
    ach_frame_write(&h, (uint32_t)size, to);
}

static void put_body(void *context, const ach_header_t *header, const ach_type_t *type,
                     const void *body)
{
    struct devch_output *o = context;
    unsigned char *room;
    size_t size = 0;
    void *p;
    ach_status_t status = ach_encoded_size(type, body, &size);

    if (status == ACH_OK)
        status = ach_reserve(&o->data, ACH_FRAME_HEADER + size, &p);
    if (status != ACH_OK) {
        complain(o, status, size);
        return;
    }
    room = p;
    write_header(o, header, size, room);
    status = ach_encode(type, body, room + ACH_FRAME_HEADER, size, &size);
    if (status == ACH_OK)
        status = ach_commit(&o->data, ACH_FRAME_HEADER + size);
    else
        ach_abort(&o->data);
    if (status != ACH_OK)
        complain(o, status, size);
}

static void put_bytes(void *context, const ach_header_t *header, const void *bytes, size_t size)
{
    struct devch_output *o = context;
    unsigned char *room;
    void *p;
    ach_status_t status = ach_reserve(&o->data, ACH_FRAME_HEADER + size, &p);

    if (status == ACH_OK) {
        room = p;
        write_header(o, header, size, room);
        if (size)
            memcpy(room + ACH_FRAME_HEADER, bytes, size);
        status = ach_commit(&o->data, ACH_FRAME_HEADER + size);
    }
    if (status != ACH_OK)
        complain(o, status, size);
}

ach_status_t devch_channel_make(const struct ach_channels *s, const char *name, size_t count,
                                size_t size, bool single, ach_channel_t *chan, uint64_t *inode)
{
    ach_create_attr_t create;
    ach_info_t info;
    ach_attr_t attr;
    ach_status_t status;

    ach_attr_init(&attr);
    ach_create_attr_init(&create);
    ach_create_attr_set_truncate(&create, 1);
    if (single) {
        ach_create_attr_set_single_writer(&create, 1);
        ach_attr_set_lock_source(&attr, 1);
        if (chan == &s->ans)
            ach_attr_set_lock_timeout(&attr, LOCK_NS);
    }
    status = devch_permissions_create(s, &create);
    if (status == ACH_OK)
        status = ach_create(name, count, size, &create);
    if (status == ACH_OK)
        status = ach_open(chan, name, &attr);
    if (status != ACH_OK)
        return status;
    status = ach_channel_info(chan, &info);
    if (status == ACH_OK)
        status = devch_permissions_open(s, name, chan, *inode = info.inode);
    if (status != ACH_OK)
        devch_channel_end(chan, name);
    return status;
}

/* The file under the name is no channel: ours was cut short, and no other server replaced it. */
static bool cut_short(const char *name)
{
    ach_channel_t chan;
    ach_status_t status = ach_open(&chan, name, NULL);

    if (status == ACH_OK)
        ach_close(&chan);
    return status == ACH_BAD_SHM_FILE || status == ACH_BAD_HEADER;
}

void devch_channel_end(ach_channel_t *chan, const char *name)
{
    ach_info_t info = {0};
    ach_status_t status = ach_channel_info(chan, &info);
    bool ours = status == ACH_OK && !info.replaced && !info.unlinked;

    ach_close(chan);
    if (ours || (status == ACH_BAD_SHM_FILE && cut_short(name)))
        ach_unlink(name);
}

static ach_status_t open_output(struct ach_channels *s, struct devch_output *o)
{
    const ach_sink_t sink = {o, put_body, put_bytes};
    ach_status_t status;

    devch_device_channel(s->number, &o->address, "data", o->data_name);
    devch_device_channel(s->number, &o->address, "cmd", o->cmd_name);
    status = devch_channel_make(s, o->data_name, s->count, s->size / s->count, true, &o->data,
                                &o->data_inode);
    if (status != ACH_OK)
        return status;
    o->data_open = true;
    status = devch_channel_make(s, o->cmd_name, DEVCH_CMD_COUNT, CMD_SIZE, false, &o->cmd,
                                &o->cmd_inode);
    if (status != ACH_OK)
        return status;
    o->cmd_open = true;
    status = ach_robot_sink(s->robot, &o->address, &sink);
    o->sunk = status == ACH_OK;
    return status;
}

static void close_output(struct ach_channels *s, struct devch_output *o)
{
    if (o->sunk)
        ach_robot_sink(s->robot, &o->address, NULL);
    if (o->data_open)
        devch_channel_end(&o->data, o->data_name);
    if (o->cmd_open)
        devch_channel_end(&o->cmd, o->cmd_name);
}

ach_status_t devch_outputs_open(struct ach_channels *s)
{
    size_t i, n = ach_robot_devices(s->robot, NULL, 0);
    ach_device_info_t *devices = calloc(n + 1, sizeof(*devices));
    ach_status_t status = ACH_OK;

    s->outputs = calloc(n + 1, sizeof(*s->outputs));
    if (!devices || !s->outputs)
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a robot's channels");
    else
        ach_robot_devices(s->robot, devices, n);
    for (i = 0; i < n && status == ACH_OK; i++) {
        struct devch_output *o = &s->outputs[s->n_outputs];

        if (devices[i].remote || devices[i].address.robot)
            continue;
        o->server = s;
        o->commands.kind = DEVCH_COMMANDS;
        o->address = devices[i].address;
        s->n_outputs++;
        status = open_output(s, o);
    }
    free(devices);
    return status;
}

void devch_outputs_close(struct ach_channels *s)
{
    size_t i;

    for (i = 0; i < s->n_outputs; i++)
        close_output(s, &s->outputs[i]);
    free(s->outputs);
}
