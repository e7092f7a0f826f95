/* SPDX-License-Identifier: BSD-3-Clause */
/* ach ls - list the channels */
#include <string.h>

#include "cli.h"
#include "describe.h"
#include "network.h"
#include "parse.h"
#include "survey.h"
#include "table.h"
#include "user_cells.h"

#define DEFAULT_INTERVAL_S 0.5
#define DEFAULT_TIMEOUT_S 5

struct ls_options {
    double interval; /* 0: the default */
    bool rate;
    bool names;
    bool json;
    bool who;
    bool all;
    double timeout; /* 0: the default */
};

static bool go_together(const struct ls_options *o)
{
    if (o->names && o->json)
        usage("--names and --json do not go together");
    else if (o->names && o->who)
        usage("--names and --who do not go together");
    else if (o->interval > 0 && !o->rate)
        usage("--interval and --no-rate do not go together");
    else if (o->all && (o->who || o->interval > 0))
        usage("--all and --%s do not go together", o->who ? "who" : "interval");
    else if (o->timeout > 0 && !o->all)
        usage("--timeout needs --all");
    else
        return true;
    return false;
}

static bool ls_parse(int argc, char **argv, struct ls_options *o)
{
    static const struct option longs[] = {
        {"interval", required_argument, NULL, 'i'},
        {"no-rate", no_argument, NULL, 'R'},
        {"names", no_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},
        {"who", no_argument, NULL, 'W'},
        {"all", no_argument, NULL, 'a'},
        {"timeout", required_argument, NULL, 'T'},
        {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "i:jWaT:", longs, NULL)) != -1) {
        if (!parse_repeat(c, &o->interval, NULL))
            return false;
        if (c == 'T' && !parse_seconds(optarg, &o->timeout))
            return bad_value("the timeout", optarg, SECONDS_WANTED);
        o->all |= c == 'a';
        o->rate &= c != 'R';
        o->names |= c == 'n';
        o->json |= c == 'j';
        o->who |= c == 'W';
    }
    return go_together(o);
}

static void print_names(const struct survey *s)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        puts(s->items[i]->name);
}

static void ls_print_json(const struct survey *s, bool rate, const struct users *u)
{
    struct json j = JSON_INIT(stdout);
    size_t i;

    json_array(&j, NULL);
    for (i = 0; i < s->n; i++) {
        const struct surveyed *c = s->items[i];

        json_object(&j, NULL);
        if (c->open) {
            json_channel(&j, &c->chan, c->name, &c->info, &c->newest);
            if (rate && c->rate >= 0)
                json_number(&j, "rate", c->rate);
            else
                json_null(&j, "rate");
            if (u)
                users_json(u, c->name, &c->info, &j);
        } else {
            json_string(&j, "name", c->name);
            json_string(&j, "kind", kind_text(c->map));
            if (c->has_file)
                json_file(&j, c->name, &c->info);
            json_string(&j, "error", ach_result_to_string(c->status));
            json_string(&j, "trouble", c->trouble);
        }
        json_end_object(&j);
    }
    json_end_array(&j);
    json_line(&j);
}

static void add_columns(struct table *t, const struct surveyed *c)
{
    char mode[MODE_TEXT], owner[OWNER_TEXT];
    bool file = c->open || c->has_file;
    size_t i;

    table_cell(t, "%s", c->name);
    table_cell(t, "%s", kind_text(c->map));
    table_cell(t, "%s", file ? mode_text(c->info.mode, mode) : "-");
    table_cell(t, "%s", file ? user_text(c->info.uid, owner) : "-");
    if (!c->open) {
        for (i = 0; i < 3; i++)
            table_cell(t, "-");
        table_cell(t, "%s", trouble_word(c->status));
        return;
    }
    table_cell(t, "%llu", (unsigned long long)c->info.frame_cnt);
    table_cell(t, "%llu", (unsigned long long)c->info.frame_size);
    table_cell(t, "%llu", (unsigned long long)c->info.newest);
    if (c->rate >= 0)
        table_cell(t, "%.1f", c->rate);
    else
        table_cell(t, "-");
}

static void ls_add_row(struct table *t, const struct surveyed *c, const struct users *u)
{
    add_columns(t, c);
    if (!u)
        return;
    users_cell(t, u, c->name, &c->info, true);
    users_cell(t, u, c->name, &c->info, false);
}

static void ls_print_table(const struct survey *s, const struct users *u)
{
    static const char *const heads[] = {"NAME", "KIND",     "MODE", "OWNER",      "FRAMES",
                                        "SIZE", "SEQUENCE", "RATE", "READ+WRITE", "READ"};
    struct table t = {.align = u ? "llllrrrrll" : "llllrrrr"};
    size_t i;

    for (i = 0; i < strlen(t.align); i++)
        table_cell(&t, "%s", heads[i]);
    for (i = 0; i < s->n; i++)
        ls_add_row(&t, s->items[i], u);
    table_print(&t, stdout, SIZE_MAX, "\n");
    table_finish(&t);
}

static bool sample(struct survey *s, const struct ls_options *o)
{
    struct timespec pause = seconds_to_timespec(o->interval > 0 ? o->interval : DEFAULT_INTERVAL_S);

    if (!look_at_all(s))
        return false;
    if (!o->rate || o->names || s->n == 0)
        return true;
    nanosleep(&pause, NULL);
    return look_at_all(s);
}

static int ls_run_all(struct survey *s, const struct ls_options *o)
{
    const struct network_options n = {.timeout = o->timeout > 0 ? o->timeout : DEFAULT_TIMEOUT_S,
                                      .names = o->names,
                                      .json = o->json};
    int status = look_at_all(s) ? network_list(s, &n) : EXIT_FAILED;

    survey_finish(s);
    return status;
}

static int ls_run(int argc, char **argv)
{
    struct ls_options o = {.rate = true};
    struct survey s = {0};
    struct users users = {0}, *u;
    bool ok;

    if (!ls_parse(argc, argv, &o))
        return EXIT_USAGE;
    s.patterns = argv + optind;
    s.npatterns = (size_t)(argc - optind);
    if (o.all)
        return ls_run_all(&s, &o);
    ok = sample(&s, &o);
    u = o.who ? &users : NULL;
    if (u)
        users_look(u);
    if (ok && o.json)
        ls_print_json(&s, o.rate, u);
    else if (ok && o.names)
        print_names(&s);
    else if (ok)
        ls_print_table(&s, u);
    survey_finish(&s);
    users_finish(&users);
    return ok ? EXIT_OK : EXIT_FAILED;
}

const struct verb verb_ls = {
    .name = "ls",
    .group = "Look at channels",
    .aliases = {"list"},
    .summary = "list the channels",
    .help =
        "Usage: ach ls [OPTION ...] [PATTERN ...]\n\n"
        "List the channels, or those whose names match a PATTERN as the shell matches files:\n"
        "kind, permissions, owner, messages kept, nominal size, sequence number of the\n"
        "newest message, and messages per second.\n\n"
        "Options:\n"
        "  -i, --interval SECONDS  how long to measure the rate (0.5)\n"
        "      --no-rate           do not measure the rate, answer at once\n"
        "  -W, --who               also the processes that have the channel open to read and\n"
        "                          write, and only to read, as far as you may see them\n"
        "  -a, --all               also channels and devices that other machines advertise, with\n"
        "                          host, address and transport; avahi-daemon must run\n"
        "  -T, --timeout SECONDS   with --all: longest wait for other machines (5)\n"
        "      --names             only the names, one per line\n"
        "  -j, --json              as JSON\n"
        "  -h, --help              print this help\n\n"
        "Examples:\n"
        "  ach ls\n"
        "  ach ls --interval 2 'arm-*'\n"
        "  ach ls --who imu\n"
        "  ach ls --all\n"
        "  ach ls --json --no-rate | jq '.[].name'\n",
    .run = ls_run,
};
