/* SPDX-License-Identifier: BSD-3-Clause */
/* info.c - ach log info */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../stop.h"
#include "attachment.h"
#include "contents.h"

struct info_options {
    struct rec_pick pick;
    bool json, quick;
    const char *attachment;
};

static bool info_option(struct info_options *o, int c)
{
    switch (c) {
    case 'j':
        return o->json = true;
    case 'Q':
        return o->quick = true;
    case 'A':
        o->attachment = optarg;
        return true;
    default:
        usage_hint();
        return false;
    }
}

static bool info_parse(int argc, char **argv, struct info_options *o)
{
    static const struct option longs[] = {{"json", no_argument, NULL, 'j'},
                                          {"quick", no_argument, NULL, 'Q'},
                                          {"attachment", required_argument, NULL, 'A'},
                                          {0}};
    int c;

    while ((c = getopt_long(argc, argv, "j", longs, NULL)) != -1)
        if (!info_option(o, c))
            return false;
    if (optind == argc)
        usage("name a recording");
    return optind < argc;
}

static bool info_attachment(const struct info_options *o, char **paths, size_t n)
{
    struct logs_source *s = logs_open((const char *const *)paths, n, complain);
    bool ok = s && rec_attachment_write(s, o->attachment);

    logs_close(s);
    return ok;
}

/* One after the other: a damaged one does not hide the others. */
static bool info_recording(const struct info_options *o, char *path, struct json *j)
{
    struct rec_contents c;
    struct rec_pick p;
    bool ok;

    if (!rec_pick_init(&p, 0))
        return false;
    ok = rec_pick_open(&p, &path, 1);
    if (ok) {
        ok = rec_contents_read(&c, &p, o->quick);
        if (j)
            rec_contents_json(&c, j);
        else
            rec_contents_print(&c);
        rec_contents_finish(&c);
    }
    rec_pick_finish(&p);
    return ok;
}

static int info_all(const struct info_options *o, char **paths, size_t n)
{
    struct json j = JSON_INIT(stdout);
    bool ok = true;
    size_t i;

    if (o->json)
        json_array(&j, NULL);
    for (i = 0; i < n && !stopped(); i++)
        ok = info_recording(o, paths[i], o->json ? &j : NULL) && ok;
    if (o->json) {
        json_end_array(&j);
        json_line(&j);
    }
    return ok ? EXIT_OK : EXIT_FAILED;
}

static int info_tool(int argc, char **argv)
{
    struct info_options o = {.json = false};
    char **paths;
    size_t n;

    if (!info_parse(argc, argv, &o))
        return EXIT_USAGE;
    paths = argv + optind;
    n = (size_t)(argc - optind);
    if (o.attachment)
        return info_attachment(&o, paths, n) ? EXIT_OK : EXIT_FAILED;
    return info_all(&o, paths, n);
}

const struct verb log_info_verb = {
    .name = "log info",
    .summary = "what recordings hold: topics, types, counts, rates, times",
    .help =
        "Usage: ach log info [OPTION ...] RECORDING ...\n\n"
        "Print for each recording its format, how it ended, the span of its times, and for each "
        "topic\n"
        "the type, the messages, their rate and sizes, and how many were missed; then attachments "
        "and\n"
        "metadata. Everything is read, so that damage is found.\n\n"
        "Options:\n"
        "      --quick            only the summary at the end of a file of MCAP, without sizes of\n"
        "                         messages and times of topics; damage is not found\n"
        "      --attachment NAME  write this attachment to standard output, and nothing else\n"
        "  -j, --json             an array of objects\n"
        "  -h, --help             print this help\n\n"
        "Examples:\n"
        "  ach log info drive.mcap\n"
        "  ach log info --json drive.mcap | jq '.[].topics[] | select(.missed > 0)'\n"
        "  ach log info --attachment robot.cfg drive.mcap >robot.cfg\n",
    .run = info_tool,
};
