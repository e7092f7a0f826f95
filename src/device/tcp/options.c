/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <ach.h>
#include <stdio.h>
#include <string.h>

static int within(ach_section_t *s, const char *name, int fallback, int least, int most)
{
    int value = ach_section_int(s, name, fallback);
    char expected[80];

    if (value >= least && value <= most)
        return value;
    snprintf(expected, sizeof(expected), "a number from %d to %d", least, most);
    ach_section_refuse(s, name, 0, expected);
    return fallback;
}

/* A string that must fit: a truncated address would be another address. */
static void text(ach_section_t *s, const char *name, char *to, size_t size, const char *expected)
{
    const char *value = ach_section_string(s, name, to);

    if (strlen(value) < size)
        memmove(to, value, strlen(value) + 1);
    else
        ach_section_refuse(s, name, 0, expected);
}

/* The secret is never logged, not even when it is too long. */
static void secret(ach_section_t *s, struct tcp_options *o)
{
    const char *value = ach_section_string(s, "secret", "");

    if (strlen(value) < sizeof(o->secret))
        memcpy(o->secret, value, strlen(value) + 1);
    else
        ach_section_refuse(s, NULL, 0, "a secret of 32 characters at most");
}

static void keys(ach_section_t *s, struct tcp_options *o)
{
    const char *value = ach_section_path(s, "tls", "");

    if (strlen(value) < sizeof(o->keys))
        memcpy(o->keys, value, strlen(value) + 1);
    else
        ach_section_refuse(s, "tls", 0, "a path of less than 1024 bytes");
}

static void local_users(ach_section_t *s, struct tcp_options *o)
{
    const char *value = ach_section_string(s, "local_users", "channels");

    o->any_local_user = strcmp(value, "any") == 0;
    if (!o->any_local_user && strcmp(value, "channels") != 0)
        ach_section_refuse(s, "local_users", 0, "\"channels\" or \"any\"");
}

static void read_all(struct tcp_options *o, ach_section_t *s)
{
    text(s, "bind", o->bind, sizeof(o->bind), "a numeric address such as 127.0.0.1");
    secret(s, o);
    keys(s, o);
    local_users(s, o);
    o->port = within(s, "port", o->port, 0, 65535);
    o->clients_max = within(s, "clients_max", o->clients_max, 1, 1000000);
    o->queue = within(s, "queue", o->queue, 1, 1000000);
    o->message_max = within(s, "message_max", o->message_max, 256, (int)ACH_BODY_MAX);
    o->subscriptions_max = within(s, "subscriptions_max", o->subscriptions_max, 1, 4096);
    o->requests_max = within(s, "requests_max", o->requests_max, 1, 65536);
    o->linger = within(s, "linger", o->linger, 0, 60);
    o->send_buffer = within(s, "send_buffer", o->send_buffer, 4096, 1 << 30);
    o->client_memory = within(s, "client_memory", o->client_memory, 1 << 16, 1 << 30);
    o->memory = within(s, "memory", o->memory, 1 << 20, 1 << 30);
}

ach_status_t tcp_options_read(struct tcp_options *o, ach_section_t *section, int port,
                              const char *bind, const char *directory)
{
    *o = (struct tcp_options){
        .bind = "127.0.0.1",
        .port = port,
        .clients_max = 2000,
        .queue = 1024,
        .message_max = 1 << 20,
        .subscriptions_max = 512,
        .requests_max = 256,
        .linger = 1,
        .send_buffer = 256 << 10,
        .client_memory = 64 << 20,
        .memory = 256 << 20,
    };
    if (section)
        read_all(o, section);
    if (section && ach_section_failed(section))
        return ach_errstr_set(ACH_EINVAL, "the section %s is wrong", ach_section_name(section));
    if (bind && strlen(bind) >= sizeof(o->bind))
        return ach_errstr_set(ACH_EINVAL, "%.20s... is not a numeric address", bind);
    if (bind)
        memcpy(o->bind, bind, strlen(bind) + 1);
    if (directory && strlen(directory) >= sizeof(o->keys))
        return ach_errstr_set(ACH_EINVAL, "the path of the keys is too long");
    if (directory)
        memcpy(o->keys, directory, strlen(directory) + 1);
    return ACH_OK;
}
