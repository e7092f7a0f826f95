/* SPDX-License-Identifier: BSD-3-Clause */
#include "channel.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* At most, beside the messages: entries of the index, the header and the type. */
#define FRAME_OVERHEAD 272u
#define CHANNEL_OVERHEAD 8192u

bool relay_channel_directory(char path[PATH_MAX])
{
    char in[PATH_MAX];

    if (ach_channel_path("x", in, sizeof(in)) != ACH_OK)
        return false;
    snprintf(path, PATH_MAX, "%s", dirname(in));
    return true;
}

int relay_channel_watch(void)
{
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    char directory[PATH_MAX];

    if (fd >= 0 && relay_channel_directory(directory) &&
        inotify_add_watch(fd, directory, IN_CREATE | IN_MOVED_TO | IN_DELETE) >= 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Differs from boot to boot. */
static uint64_t boot_number(void)
{
    static uint64_t number;
    FILE *file;
    int c;

    if (number)
        return number;
    file = fopen("/proc/sys/kernel/random/boot_id", "re");
    while (file && (c = getc(file)) != EOF)
        number = number * 31 + (unsigned)c;
    if (file)
        fclose(file);
    return number;
}

/*
 * A kernel channel has no epoch. Its inode alone may come again after a reboot, and then peers that
 * kept running would take its messages for old ones.
 */
uint64_t relay_channel_epoch(const ach_info_t *info)
{
    return info->epoch ? info->epoch : ((info->inode ^ boot_number()) * 0x9e3779b97f4a7c15u) | 1;
}

static void copy_type(struct relay_terms *t, const ach_channel_type_t *type)
{
    t->typed = true;
    snprintf(t->type, sizeof(t->type), "%s", type->name);
    snprintf(t->encoding, sizeof(t->encoding), "%s", type->encoding);
    snprintf(t->schema_encoding, sizeof(t->schema_encoding), "%s",
             type->schema_encoding ? type->schema_encoding : "");
    t->schema = type->schema;
    t->schema_size = type->schema_size;
}

enum ach_status relay_channel_terms(const ach_channel_t *chan, const ach_info_t *info,
                                    struct relay_terms *t)
{
    const ach_channel_type_t *type;
    enum ach_status r = ACH_OK;

    memset(t, 0, sizeof(*t));
    t->epoch = relay_channel_epoch(info);
    t->frame_cnt = info->frame_cnt;
    t->frame_size = info->frame_size;
    t->clock = (uint32_t)info->clock;
    t->timestamps = info->timestamps;
    if (info->typed)
        r = ach_channel_type(chan, &type);
    if (info->typed && r == ACH_OK)
        copy_type(t, type);
    return r;
}

static ach_channel_type_t type_of(const struct relay_terms *t)
{
    ach_channel_type_t type;

    memset(&type, 0, sizeof(type));
    type.name = t->type;
    type.encoding = t->encoding;
    type.schema_encoding = t->schema_encoding;
    type.schema = t->schema;
    type.schema_size = t->schema_size;
    return type;
}

/* A channel without a type takes messages of any. */
enum ach_status relay_channel_match(const char *name, const struct relay_terms *ours,
                                    const struct relay_terms *sender)
{
    const ach_channel_type_t a = type_of(ours), b = type_of(sender);

    if (!ours->typed)
        return ACH_OK;
    if (!sender->typed)
        return ach_errstr_set(ACH_BAD_TYPE,
                              "the channel '%s' has the type %s, and the sender's has none", name,
                              ours->type);
    if (ach_channel_type_hash(&a) == ach_channel_type_hash(&b))
        return ACH_OK;
    return ach_errstr_set(ACH_BAD_TYPE, "the channel '%s' has the type %s, and the sender's %s%s",
                          name, ours->type, sender->type,
                          strcmp(ours->type, sender->type) == 0 ? " with another schema" : "");
}

uint64_t relay_channel_memory(const struct relay_terms *t)
{
    uint64_t frame = t->frame_size + FRAME_OVERHEAD;

    if (t->frame_size > UINT32_MAX || t->frame_cnt > UINT64_MAX / 2 / frame)
        return UINT64_MAX;
    return t->frame_cnt * frame + CHANNEL_OVERHEAD + t->schema_size;
}

enum ach_status relay_channel_create(const char *name, const struct relay_terms *sender,
                                     uint64_t memory_max)
{
    const ach_channel_type_t type = type_of(sender);
    ach_create_attr_t attr;

    if (!sender->frame_cnt || !sender->frame_size)
        return ach_errstr_set(ACH_EINVAL, "a channel cannot have %llu messages of %llu bytes",
                              (unsigned long long)sender->frame_cnt,
                              (unsigned long long)sender->frame_size);
    if (relay_channel_memory(sender) > memory_max)
        return ach_errstr_set(
            ACH_OVERFLOW,
            "the channel '%s' with %llu messages of %llu bytes would take more than "
            "the limit of %llu bytes",
            name, (unsigned long long)sender->frame_cnt, (unsigned long long)sender->frame_size,
            (unsigned long long)memory_max);
    ach_create_attr_init(&attr);
    ach_create_attr_set_relayed(&attr, 1);
    ach_create_attr_set_timestamps(&attr, sender->timestamps);
    ach_create_attr_set_clock(&attr, (clockid_t)sender->clock);
    if (sender->typed)
        ach_create_attr_set_type(&attr, &type);
    return ach_create(name, (size_t)sender->frame_cnt, (size_t)sender->frame_size, &attr);
}
