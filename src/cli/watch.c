/* SPDX-License-Identifier: BSD-3-Clause */
/* ach watch - a live screen of all channels */
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "describe.h"
#include "parse.h"
#include "screen.h"
#include "stop.h"
#include "streams.h"
#include "survey.h"
#include "table.h"

struct options {
    double interval;
    uint64_t count; /* 0: for ever */
};

static bool parse(int argc, char **argv, struct options *o)
{
    static const struct option longs[] = {
        {"interval", required_argument, NULL, 'i'},
        {"count", required_argument, NULL, 'c'},
        {"once", no_argument, NULL, '1'},
        {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "i:c:", longs, NULL)) != -1) {
        if (c == 'i' && !parse_seconds(optarg, &o->interval))
            return bad_value("the interval", optarg, SECONDS_WANTED);
        if (c == 'c' && !parse_count(optarg, 1, UINT64_MAX, &o->count))
            return bad_value("the count", optarg, "a number from 1 on");
        if (c == '?') {
            usage_hint();
            return false;
        }
        if (c == '1')
            o->count = 1;
    }
    return true;
}

static void number_cell(struct table *t, bool known, double value, int digits)
{
    if (known)
        table_cell(t, "%.*f", digits, value);
    else
        table_cell(t, "-");
}

static void add_row(struct table *t, const struct surveyed *c)
{
    table_cell(t, "%s", c->name);
    number_cell(t, c->rate >= 0, c->rate, 1);
    number_cell(t, c->open, (double)c->info.newest, 0);
    number_cell(t, c->newest.there, (double)c->newest.size, 0);
    number_cell(t, c->newest_age >= 0, c->newest_age, 3);
    number_cell(t, c->open, (double)c->lost, 0);
    if (c->open)
        table_cell(t, "%llu", (unsigned long long)c->info.recovered);
    else
        table_cell(t, "%s", trouble_word(c->status));
}

static void fill(struct table *t, const struct survey *s)
{
    static const char *const heads[] = {"NAME",  "RATE",   "NEWEST",   "BYTES",
                                        "AGE/S", "MISSED", "RECOVERED"};
    size_t i;

    for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        table_cell(t, "%s", heads[i]);
    for (i = 0; i < s->n; i++)
        add_row(t, s->items[i]);
}

static void draw_screen(const struct survey *s)
{
    struct table t = {.align = "lrrrrrr"};
    size_t length, rows = screen_rows(), room = rows > 3 ? rows - 2 : 1;
    char *lines = NULL;
    FILE *out = open_memstream(&lines, &length);

    if (!out)
        return;
    fill(&t, s);
    table_print(&t, out, room, "\n");
    if (table_rows(&t) > room)
        fprintf(out, "... and %zu more\n", table_rows(&t) - room);
    fputs("q quits", out);
    table_finish(&t);
    if (fclose(out) == 0)
        screen_show(lines);
    free(lines);
}

static void draw_plain(const struct survey *s)
{
    struct table t = {.align = "lrrrrrr"};

    fill(&t, s);
    table_print(&t, stdout, SIZE_MAX, "\n");
    table_finish(&t);
}

/* Let the interval pass. True: go on. */
static bool pause_for(double seconds, struct screen *screen)
{
    struct timespec t = seconds_to_timespec(seconds);

    if (screen)
        return screen_pause(screen, seconds);
    if (!stopped())
        nanosleep(&t, NULL);
    return !stopped();
}

/* On a screen, or with NULL for that in plain lines. */
static int run_loop(const struct options *o, struct survey *s, struct screen *screen)
{
    uint64_t done;

    /* The first look has nothing to compare with, so it is not shown. */
    if (!survey_look(s))
        return EXIT_FAILED;
    if (screen) {
        draw_screen(s);
        streams_flush();
    }
    for (done = 0; o->count == 0 || done < o->count; done++) {
        if (!pause_for(o->interval, screen))
            break;
        if (!survey_look(s))
            return EXIT_FAILED;
        if (screen)
            draw_screen(s);
        else
            draw_plain(s);
        if (!streams_flush())
            return stopped() ? EXIT_OK : EXIT_FAILED;
    }
    return EXIT_OK;
}

static int run_screen(const struct options *o, struct survey *s)
{
    struct screen screen = {0};
    int status;

    screen_enter(&screen);
    status = run_loop(o, s, &screen);
    screen_leave(&screen);
    return status;
}

static int run(int argc, char **argv)
{
    struct options o = {.interval = 1};
    struct survey s = {0};
    int status;

    if (!parse(argc, argv, &o))
        return EXIT_USAGE;
    s.patterns = argv + optind;
    s.npatterns = (size_t)(argc - optind);
    stop_on_signals(NULL);
    if (isatty(STDOUT_FILENO) && o.count == 0)
        status = run_screen(&o, &s);
    else
        status = run_loop(&o, &s, NULL);
    survey_finish(&s);
    return status;
}

const struct verb verb_watch = {
    .name = "watch",
    .aliases = {"top"},
    .summary = "watch all channels live",
    .help = "Usage: ach watch [OPTION ...] [PATTERN ...]\n\n"
            "Show all channels, or those whose names match a PATTERN, again and again: messages\n"
            "per second, sequence number, size and age of the newest message (the age if the\n"
            "channel has timestamps), messages that a reader as slow as this screen has missed\n"
            "since it began, and writers that died while putting. On a terminal q or Ctrl-C\n"
            "quits; elsewhere, plain lines are printed.\n\n"
            "Options:\n"
            "  -i, --interval SECONDS  time between looks (1)\n"
            "  -c, --count N           print N times as plain lines, then end\n"
            "      --once              print once, after one interval, then end\n"
            "      --help              print this help\n\n"
            "Examples:\n"
            "  ach watch\n"
            "  ach watch --interval 0.2 'arm-*'\n"
            "  ach watch --once\n",
    .run = run,
};
