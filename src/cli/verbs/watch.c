/* SPDX-License-Identifier: BSD-3-Clause */
/* ach watch - a live screen of all channels */
#include <unistd.h>

#include "cli.h"
#include "parse.h"
#include "stop.h"
#include "streams.h"
#include "view.h"

struct watch {
    double interval;
    uint64_t count; /* 0: for ever */
    bool sorted;    /* --sort was given */
    struct view view;
    struct survey survey;
    struct users users;
};

static bool watch_parse(int argc, char **argv, struct watch *w)
{
    static const struct option longs[] = {
        {"interval", required_argument, NULL, 'i'}, {"count", required_argument, NULL, 'c'},
        {"once", no_argument, NULL, '1'},           {"sort", required_argument, NULL, 's'},
        {"reverse", no_argument, NULL, 'r'},        {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "i:c:", longs, NULL)) != -1) {
        if (!parse_repeat(c, &w->interval, &w->count))
            return false;
        if (c == 's' && !view_sort_by(&w->view, optarg))
            return bad_value("--sort", optarg, VIEW_COLUMNS);
        w->sorted |= c == 's';
        w->view.backward |= c == 'r';
        if (c == '1')
            w->count = 1;
    }
    return true;
}

static struct timespec pause_left(const struct timespec *until)
{
    struct timespec now, left = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    left.tv_sec = until->tv_sec - now.tv_sec;
    left.tv_nsec = until->tv_nsec - now.tv_nsec;
    if (left.tv_nsec < 0) {
        left.tv_nsec += 1000000000;
        left.tv_sec--;
    }
    if (left.tv_sec < 0)
        left.tv_sec = left.tv_nsec = 0;
    return left;
}

static struct timespec after(double seconds)
{
    struct timespec t = seconds_to_timespec(seconds), now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    t.tv_sec += now.tv_sec + (t.tv_nsec + now.tv_nsec) / 1000000000;
    t.tv_nsec = (t.tv_nsec + now.tv_nsec) % 1000000000;
    return t;
}

/* Wait for the interval and handle keys meanwhile. False: quit. */
static bool interact(struct watch *w, struct screen *screen)
{
    struct timespec until = after(w->interval);
    int key;

    do {
        struct timespec left = pause_left(&until);

        key = screen_key(screen, (double)left.tv_sec + (double)left.tv_nsec / 1e9);
        if (!view_key(&w->view, key))
            return false;
        if (key != KEY_TIME) {
            view_draw(&w->view, &w->survey, &w->users, screen);
            if (!streams_flush())
                return false;
        }
    } while (key != KEY_TIME);
    return true;
}

static bool watch_look(struct watch *w)
{
    users_look(&w->users);
    return look_at_all(&w->survey);
}

static int run_screen(struct watch *w)
{
    struct screen screen = {0};
    bool ok;

    screen_enter(&screen);
    while ((ok = watch_look(w))) {
        view_draw(&w->view, &w->survey, &w->users, &screen);
        if (!streams_flush() || !interact(w, &screen))
            break;
    }
    screen_leave(&screen);
    return ok && (stopped() || streams_ok()) ? EXIT_OK : EXIT_FAILED;
}

static int run_plain(struct watch *w)
{
    struct timespec pause = seconds_to_timespec(w->interval);
    uint64_t done;

    /* The first look has nothing to compare with, so it is not shown. */
    if (!watch_look(w))
        return EXIT_FAILED;
    for (done = 0; w->count == 0 || done < w->count; done++) {
        if (!stopped())
            nanosleep(&pause, NULL);
        if (stopped())
            break;
        if (!watch_look(w))
            return EXIT_FAILED;
        view_print(&w->view, &w->survey, &w->users);
        if (!streams_flush())
            return stopped() ? EXIT_OK : EXIT_FAILED;
    }
    return EXIT_OK;
}

static int watch_run(int argc, char **argv)
{
    struct watch w = {.interval = 1};
    bool screen;
    int status;

    if (!watch_parse(argc, argv, &w))
        return EXIT_USAGE;
    screen = isatty(STDOUT_FILENO) && w.count == 0;
    /* A screen may have room for the first rows only: show the busiest channels first. */
    if (screen && !w.sorted)
        view_sort_by(&w.view, "rate");
    w.survey.patterns = argv + optind;
    w.survey.npatterns = (size_t)(argc - optind);
    stop_on_signals(NULL);
    status = screen ? run_screen(&w) : run_plain(&w);
    survey_finish(&w.survey);
    users_finish(&w.users);
    return status;
}

const struct verb verb_watch = {
    .name = "watch",
    .aliases = {"top"},
    .summary = "watch all channels live, and who uses them",
    .help =
        "Usage: ach watch [OPTION ...] [PATTERN ...]\n\n"
        "Show all channels, or those whose names match a PATTERN, once per interval: messages\n"
        "per second; sequence number, size and age of the newest message (the age if the\n"
        "channel has timestamps); MISSED: messages overwritten between two refreshes, since\n"
        "the start; RECOVERED: writers that died while putting; the processes that have the\n"
        "channel open to read and write, and those that only read, as far as you may see\n"
        "them. On a terminal these keys work. If the output is not a terminal, plain lines\n"
        "are printed.\n\n"
        "  arrows, PgUp, PgDn, Home, End   scroll; also k, j, space, g and G\n"
        "  < and >                         sort by another column; r reverses\n"
        "  /                               show only names that contain what you type;\n"
        "                                  Enter keeps it, Esc ends it\n"
        "  q                               quit\n\n"
        "Options:\n"
        "  -i, --interval SECONDS  time between two refreshes (1)\n"
        "  -c, --count N           print N times as plain lines, then end\n"
        "      --once              print once, after one interval, then end\n"
        "      --sort COLUMN       sort by name, rate, newest, bytes, age, missed or recovered;\n"
        "                          without it by rate on a terminal, else by name\n"
        "      --reverse           sort the other way round\n"
        "  -h, --help              print this help\n\n"
        "Examples:\n"
        "  ach watch\n"
        "  ach watch --interval 0.2 'arm-*'\n"
        "  ach watch --once --sort rate\n",
    .run = watch_run,
};
