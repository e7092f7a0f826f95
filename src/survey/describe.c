/* SPDX-License-Identifier: BSD-3-Clause */
#include "describe.h"

#include <ach/kernel.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>

#include "parse.h"

const char *kind_text(enum ach_map map)
{
    switch (map) {
    case ACH_MAP_ANON:
        return "heap";
    case ACH_MAP_KERNEL:
        return "kernel";
    default:
        return "user";
    }
}

bool channel_path(const char *name, enum ach_map map, char path[PATH_MAX])
{
    if (ach_channel_path(name, path, PATH_MAX) != ACH_OK)
        return false;
    if (map == ACH_MAP_KERNEL)
        snprintf(path, PATH_MAX, "%s%s", ACH_KERNEL_PREFIX, name);
    return true;
}

const char *trouble_word(enum ach_status status)
{
    switch (status) {
    case ACH_EACCES:
        return "unreadable";
    case ACH_BAD_SHM_FILE:
        return "no-channel";
    case ACH_BAD_HEADER:
        return "other-layout";
    case ACH_CORRUPT:
        return "damaged";
    case ACH_ENOENT:
        return "gone";
    default:
        return "unusable";
    }
}

const char *mode_text(mode_t mode, char text[MODE_TEXT])
{
    static const char letters[] = "rwxrwxrwx";
    int i;

    for (i = 0; i < 9; i++)
        text[i] = '-';
    for (i = 0; i < 9; i++) {
        if (mode & (mode_t)(0400 >> i))
            text[i] = letters[i];
    }
    text[9] = '\0';
    return text;
}

const char *user_text(uid_t uid, char text[OWNER_TEXT])
{
    const struct passwd *p = getpwuid(uid);

    if (p)
        snprintf(text, OWNER_TEXT, "%s", p->pw_name);
    else
        snprintf(text, OWNER_TEXT, "%u", (unsigned)uid);
    return text;
}

const char *group_text(gid_t gid, char text[OWNER_TEXT])
{
    const struct group *g = getgrgid(gid);

    if (g)
        snprintf(text, OWNER_TEXT, "%s", g->gr_name);
    else
        snprintf(text, OWNER_TEXT, "%u", (unsigned)gid);
    return text;
}

void look_newest(ach_channel_t *chan, struct newest *m)
{
    const void *p;
    enum ach_status r = ach_view(chan, &p, &m->size, NULL, ACH_O_LAST | ACH_O_COPY);

    m->there = r == ACH_OK || r == ACH_MISSED_FRAME;
    m->stamped = m->there && ach_channel_timestamp(chan, &m->put) == ACH_OK;
}

uint64_t messages_held(const ach_info_t *info)
{
    return info->oldest ? info->newest - info->oldest + 1 : 0;
}

void json_file(struct json *j, const char *name, const ach_info_t *info)
{
    char path[PATH_MAX], mode[8], text[OWNER_TEXT];

    if (channel_path(name, info->map, path))
        json_string(j, "path", path);
    snprintf(mode, sizeof(mode), "%04o", (unsigned)info->mode & 07777u);
    json_string(j, "mode", mode);
    json_string(j, "owner", user_text(info->uid, text));
    json_string(j, "group", group_text(info->gid, text));
    json_uint(j, "uid", info->uid);
    json_uint(j, "gid", info->gid);
    json_uint(j, "inode", info->inode);
}

const ach_channel_type_t *channel_type(const ach_channel_t *chan)
{
    const ach_channel_type_t *type;

    return ach_channel_type(chan, &type) == ACH_OK ? type : NULL;
}

static void json_type(struct json *j, const ach_channel_t *chan, const ach_info_t *info)
{
    const ach_channel_type_t *type = channel_type(chan);
    char number[32];

    snprintf(number, sizeof(number), "%016llx", (unsigned long long)info->epoch);
    json_string(j, "epoch", number);
    json_bool(j, "relayed", info->relayed);
    json_bool(j, "anticipated", info->anticipated);
    if (!type) {
        json_null(j, "type");
        return;
    }
    snprintf(number, sizeof(number), "%016llx", (unsigned long long)ach_channel_type_hash(type));
    json_object(j, "type");
    json_string(j, "name", type->name);
    json_string(j, "encoding", type->encoding);
    json_string(j, "schema_encoding", type->schema_encoding);
    json_uint(j, "schema_size", type->schema_size);
    json_string(j, "hash", number);
    json_end_object(j);
}

void json_channel(struct json *j, const ach_channel_t *chan, const char *name,
                  const ach_info_t *info, const struct newest *m)
{
    const char *clock = clock_name(info->clock);

    json_string(j, "name", name);
    json_string(j, "kind", kind_text(info->map));
    json_file(j, name, info);
    json_uint(j, "frames", info->frame_cnt);
    json_uint(j, "size", info->frame_size);
    json_uint(j, "capacity", info->capacity);
    json_uint(j, "memory", info->memory);
    json_string(j, "clock", clock ? clock : "other");
    json_bool(j, "timestamps", info->timestamps);
    json_bool(j, "single_writer", info->single_writer);
    json_bool(j, "readonly_wake", info->readonly_wake);
    json_uint(j, "newest", info->newest);
    json_uint(j, "oldest", info->oldest);
    json_uint(j, "held", messages_held(info));
    json_uint(j, "recovered", info->recovered);
    json_type(j, chan, info);
    if (m->there)
        json_uint(j, "newest_size", m->size);
    if (m->stamped)
        json_time(j, "newest_put", m->put.tv_sec, m->put.tv_nsec);
}
