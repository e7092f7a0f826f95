/* SPDX-License-Identifier: BSD-3-Clause */
/* ach info - print all attributes of a channel */
#include "cli.h"
#include "describe.h"
#include "device_frame.h"
#include "parse.h"
#include "pll.h"
#include "reader.h"
#include "user_cells.h"

/* So many messages tell whether they are periodic. */
#define RHYTHM_MAX 100000u

/* Are the messages that the channel holds periodic, by their timestamps? */
static void look_rhythm(ach_channel_t *chan, struct achi_pll *rhythm)
{
    struct timespec t;
    const void *p;
    size_t size;
    unsigned i;

    for (i = 0; i < RHYTHM_MAX; i++) {
        if (!delivered(ach_view(chan, &p, &size, NULL, 0)) ||
            ach_channel_timestamp(chan, &t) != ACH_OK)
            return;
        achi_pll_event(rhythm, to_ns(&t));
    }
}

static void print_rhythm(const struct achi_pll *rhythm)
{
    if (rhythm->next)
        printf("%-15s %.6f s +- %.6f s\n", "period", 1e-9 * rhythm->period, 1e-9 * rhythm->jitter);
}

static void print_number(const char *label, uint64_t value, const char *unit)
{
    printf("%-15s %llu%s\n", label, (unsigned long long)value, unit);
}

static void print_file(const char *name, const ach_info_t *info)
{
    char path[PATH_MAX], mode[MODE_TEXT], user[OWNER_TEXT], group[OWNER_TEXT];

    if (channel_path(name, info->map, path))
        printf("%-15s %s\n", info->map == ACH_MAP_KERNEL ? "device" : "file", path);
    printf("%-15s %s (%04o)\n", "mode", mode_text(info->mode, mode), (unsigned)info->mode);
    printf("%-15s %s:%s\n", "owner", user_text(info->uid, user), group_text(info->gid, group));
}

static void print_newest(const struct newest *m)
{
    if (!m->there)
        return;
    print_number("newest size", m->size, " bytes");
    if (m->stamped)
        printf("%-15s %lld.%09ld s on the channel's clock\n", "newest put",
               (long long)m->put.tv_sec, m->put.tv_nsec);
}

static void print_users(const char *name, const ach_info_t *info, const struct users *u)
{
    struct table t = {.align = "ll"};

    table_cell(&t, "%-14s", "read and write");
    users_cell(&t, u, name, info, true);
    table_cell(&t, "%-14s", "only read");
    users_cell(&t, u, name, info, false);
    table_print(&t, stdout, 2, "\n");
    table_finish(&t);
    if (u->hidden)
        print_number("hidden", u->hidden, u->hidden == 1 ? " process" : " processes");
}

static void print_type(const ach_channel_t *chan, const char *name, const ach_info_t *info)
{
    const ach_channel_type_t *type = channel_type(chan);
    const char *interface = device_interface(name);

    if (!type && !info->typed && interface) {
        printf("%-15s none; messages of the interface %s\n", "type", interface);
        return;
    }
    if (!type) {
        printf("%-15s %s\n", "type", info->typed ? "damaged" : "none");
        return;
    }
    printf("%-15s %s\n", "type", type->name);
    printf("%-15s %s\n", "encoding", type->encoding);
    if (type->schema_size)
        printf("%-15s %s, %zu bytes\n", "schema", type->schema_encoding, type->schema_size);
    printf("%-15s %016llx\n", "type hash", (unsigned long long)ach_channel_type_hash(type));
}

static void info_print_text(const ach_channel_t *chan, const char *name, const ach_info_t *info,
                            const struct newest *m, const struct achi_pll *rhythm,
                            const struct users *u)
{
    const char *clock = clock_name(info->clock);

    printf("%-15s %s\n", "name", name);
    printf("%-15s %s\n", "kind", kind_text(info->map));
    print_file(name, info);
    print_number("frames", info->frame_cnt, "");
    print_number("size", info->frame_size, " bytes");
    print_number("largest message", info->capacity, " bytes");
    print_number("memory", info->memory, " bytes");
    printf("%-15s %s\n", "clock", clock ? clock : "other");
    printf("%-15s %s\n", "timestamps", info->timestamps ? "yes" : "no");
    printf("%-15s %s\n", "single writer", info->single_writer ? "yes" : "no");
    printf("%-15s %s\n", "read-only wake", info->readonly_wake ? "yes" : "no");
    printf("%-15s %s\n", "relayed", info->relayed ? "yes" : "no");
    printf("%-15s %s\n", "anticipated", info->anticipated ? "yes" : "no");
    printf("%-15s %016llx\n", "epoch", (unsigned long long)info->epoch);
    print_type(chan, name, info);
    print_number("newest", info->newest, "");
    print_number("oldest", info->oldest, "");
    print_number("held", messages_held(info), "");
    print_newest(m);
    print_rhythm(rhythm);
    print_number("recovered", info->recovered, "");
    print_users(name, info, u);
}

static void info_print_json(const ach_channel_t *chan, const char *name, const ach_info_t *info,
                            const struct newest *m, const struct achi_pll *rhythm,
                            const struct users *u)
{
    struct json j = JSON_INIT(stdout);

    json_object(&j, NULL);
    json_channel(&j, chan, name, info, m);
    if (rhythm->next) {
        json_number(&j, "period", 1e-9 * rhythm->period);
        json_number(&j, "jitter", 1e-9 * rhythm->jitter);
    }
    users_json(u, name, info, &j);
    json_end_object(&j);
    json_line(&j);
}

static int info_show(const char *name, bool json)
{
    ach_channel_t chan;
    ach_info_t info;
    struct newest m = {0};
    struct achi_pll rhythm = {0};
    struct users u = {0};
    bool ok;

    if (!open_channel(&chan, name, true))
        return EXIT_FAILED;
    ok = channel_info(&chan, name, &info);
    if (ok) {
        look_rhythm(&chan, &rhythm);
        look_newest(&chan, &m);
        users_look(&u);
        if (json)
            info_print_json(&chan, name, &info, &m, &rhythm, &u);
        else
            info_print_text(&chan, name, &info, &m, &rhythm, &u);
        users_finish(&u);
    }
    ach_close(&chan);
    return ok ? EXIT_OK : EXIT_FAILED;
}

static int info_run(int argc, char **argv)
{
    static const struct option longs[] = {{"json", no_argument, NULL, 'j'}, {0}};
    const char *name;
    bool json = false;
    int c;

    while ((c = getopt_long(argc, argv, "j", longs, NULL)) != -1) {
        if (c == '?')
            return usage_hint();
        json = true;
    }
    name = one_channel(argc, argv);
    return name ? info_show(name, json) : EXIT_USAGE;
}

const struct verb verb_info = {
    .name = "info",
    .summary = "print the properties of a channel",
    .help =
        "Usage: ach info [--json] CHANNEL\n\n"
        "Print a channel's geometry, permissions, properties and counts: the sequence numbers\n"
        "of the newest and the oldest message it holds, the period and the mean jitter of those\n"
        "messages if they are periodic, how many writers died while putting (recovered), and\n"
        "the processes that have it open to read and write, and only to read. Processes that\n"
        "you may not inspect are counted as hidden: those of other users, unless you are root,\n"
        "and those with privileges that you do not have.\n\n"
        "Options:\n"
        "  -j, --json  as JSON\n"
        "  -h, --help  print this help\n\n"
        "Examples:\n"
        "  ach info imu\n"
        "  ach info --json imu | jq .newest\n"
        "  ach info --json imu | jq '.processes[] | select(.writes) | .pid'\n",
    .run = info_run,
};
