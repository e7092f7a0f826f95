/* SPDX-License-Identifier: BSD-3-Clause */
/* ach plot - draw fields of messages over time */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "curves.h"
#include "decode.h"
#include "graph.h"
#include "parse.h"
#include "reader.h"
#include "screen.h"
#include "selection.h"
#include "stop.h"
#include "streams.h"

#define NS_PER_S 1e9
#define FRAME_SECONDS 0.05 /* time between two pictures */

/* Messages read between two pictures: a fast writer cannot keep us from drawing. */
#define FRAME_MESSAGES 20000u

struct plot {
    double window;
    uint64_t count; /* 0: no limit */
    uint64_t got;
    uint64_t wrong; /* messages that could not be decoded */
    bool once;
    bool ascii;
    bool no_wait;
    bool by_sequence; /* x is the sequence number, because no times are known */
    uint64_t start;   /* CLOCK_MONOTONIC; x counts from here */
    struct reader reader;
    struct decoder decoder;
    struct selection fields;
    struct curves curves;
};

static bool plot_apply(struct plot *p, int c)
{
    switch (c) {
    case 'w':
        return parse_seconds(optarg, &p->window) || bad_value("the window", optarg, SECONDS_WANTED);
    case 'c':
        return parse_count(optarg, 1, UINT64_MAX, &p->count) ||
               bad_value("the count", optarg, "a number from 1 on");
    case '1':
        return p->once = true;
    case 'A':
        return p->ascii = true;
    case 'W':
        return p->no_wait = true;
    default:
        usage_hint();
        return false;
    }
}

static bool plot_parse(int argc, char **argv, struct plot *p)
{
    static const struct option longs[] = {
        {"window", required_argument, NULL, 'w'}, {"count", required_argument, NULL, 'c'},
        {"once", no_argument, NULL, '1'},         {"ascii", no_argument, NULL, 'A'},
        {"no-wait", no_argument, NULL, 'W'},      {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "c:", longs, NULL)) != -1) {
        if (!plot_apply(p, c))
            return false;
    }
    if (optind + 2 > argc)
        usage("name a channel and fields of its messages");
    else if (p->once && p->count)
        usage("--once and --count do not go together");
    else
        return true;
    return false;
}

/* Does the type say that a field is no number? */
static bool plottable(const struct plot *p, const char *path)
{
    const struct value *example = decoder_example(&p->decoder);
    struct value v;
    double unused;

    if (!example || value_find_example(example, path, &v) != ACH_OK || v.kind == VALUE_NULL ||
        value_real(&v, &unused))
        return true;
    complain("channel '%s': %s is not a number%s", p->reader.name, path,
             value_is_list(&v) ? ": choose elements, for example with [0:4]" : "");
    return false;
}

static bool plot_fields(struct plot *p, char **paths, int n)
{
    int i;
    size_t k;

    for (i = 0; i < n; i++)
        if (!selection_add(&p->fields, paths[i]))
            return false;
    if (!decoder_knows(&p->decoder))
        return decoder_unknown(&p->decoder) == EXIT_OK;
    if (!selection_check(&p->fields, &p->decoder))
        return false;
    for (k = 0; k < p->fields.paths.count; k++)
        if (!plottable(p, p->fields.paths.paths[k]))
            return false;
    if (curves_init(&p->curves, p->fields.paths.paths, p->fields.paths.count))
        return true;
    complain("out of memory for %zu curves", p->fields.paths.count);
    return false;
}

static double plot_now(const struct plot *p)
{
    return (double)(int64_t)(now_ns() - p->start) / NS_PER_S;
}

/* When the message was put, or else when it arrived. */
static double sample_x(const struct plot *p)
{
    struct timespec put, now;
    uint64_t seq = 0;

    if (p->by_sequence) {
        ach_channel_seq(&p->reader.chan, &seq);
        return (double)seq;
    }
    if (ach_channel_timestamp(&p->reader.chan, &put) != ACH_OK)
        return plot_now(p);
    clock_gettime(p->reader.info.clock, &now);
    return plot_now(p) - (double)(int64_t)(to_ns(&now) - to_ns(&put)) / NS_PER_S;
}

/* Add the message that was read to the curves. */
static void plot_message(struct plot *p)
{
    struct decoded m;
    double x = sample_x(p), y;
    size_t i;

    p->got++;
    if (decode_message(&p->decoder, p->reader.data, p->reader.size, &m)) {
        for (i = 0; i < p->curves.n; i++) {
            struct value v = selection_get(&p->fields, &p->decoder, &m.tree.root, i);

            curves_add(&p->curves, i, x, value_real(&v, &y) ? y : (double)NAN);
        }
    } else {
        p->wrong++;
    }
    decoded_finish(&m);
}

/* The picture ends now on a terminal, else at the newest sample. */
static void plot_draw(const struct plot *p, bool live, bool colours, FILE *to)
{
    char title[256], wrong[64] = "";
    struct curves_look look = {.title = title,
                               .unit = "s",
                               .columns = screen_columns(),
                               .rows = screen_rows(),
                               .utf8 = !p->ascii && graph_utf8(),
                               .colours = colours};

    if (p->wrong)
        snprintf(wrong, sizeof(wrong), ", %llu not decoded", (unsigned long long)p->wrong);
    snprintf(title, sizeof(title), "%s: %llu messages%s%s", p->reader.name,
             (unsigned long long)p->got, wrong, live ? "; q quits" : "");
    curves_span(&p->curves, &look.from, &look.to);
    if (live)
        look.to = plot_now(p);
    if (p->by_sequence) {
        look.unit = "messages";
    } else {
        look.from = look.to - p->window;
        look.origin = look.to;
    }
    curves_draw(&p->curves, &look, to);
}

/* Read what there is. A status of ach_get that is not ACH_OK if it failed. */
static enum ach_status plot_drain(struct plot *p)
{
    unsigned i;

    for (i = 0; i < FRAME_MESSAGES; i++) {
        enum ach_status status = reader_get(&p->reader, NULL, ACH_O_LINKED);

        if (status == ACH_EAGAIN)
            break;
        if (!delivered(status))
            return status;
        plot_message(p);
    }
    return ACH_OK;
}

static void plot_frame(const struct plot *p, struct screen *screen)
{
    char *text = NULL, *line, *end;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    if (!f)
        return;
    plot_draw(p, true, screen->colours, f);
    fclose(f);
    screen_begin(screen);
    for (line = text; line && (end = strchr(line, '\n')); line = end + 1)
        screen_fitted(screen, line, (size_t)(end - line));
    screen_end(screen);
    free(text);
}

static enum ach_status plot_screen(struct plot *p)
{
    struct screen screen = {0};
    enum ach_status status;
    int key = KEY_TIME;

    p->decoder.quiet = true;
    screen_enter(&screen);
    do {
        status = plot_drain(p);
        if (status != ACH_OK)
            break;
        plot_frame(p, &screen);
        if (!streams_flush())
            break;
        key = screen_key(&screen, FRAME_SECONDS);
    } while (key != KEY_QUIT && key != 'q');
    screen_leave(&screen);
    return status;
}

/* Read until the count is reached or a signal comes, then draw once. */
static enum ach_status plot_plain(struct plot *p)
{
    enum ach_status status = ACH_OK;

    while (status == ACH_OK && (p->count == 0 || p->got < p->count) && !(p->once && p->got)) {
        status = reader_get(&p->reader, NULL, ACH_O_WAIT | ACH_O_LINKED);
        if (delivered(status)) {
            plot_message(p);
            status = p->once ? plot_drain(p) : ACH_OK;
        }
    }
    if (p->got)
        plot_draw(p, false, false, stdout);
    return status;
}

static int plot_channel(struct plot *p, char **paths, int n)
{
    bool screen = isatty(STDOUT_FILENO) && !p->count && !p->once;
    enum ach_status status;

    p->start = now_ns();
    p->by_sequence = p->once && !p->reader.info.timestamps;
    if (!plot_fields(p, paths, n))
        return EXIT_FAILED;
    if (!p->once && !p->reader.info.timestamps && !p->reader.awaited)
        ach_flush(&p->reader.chan);
    status = screen ? plot_screen(p) : plot_plain(p);
    if (status == ACH_OK || (status == ACH_CANCELED && stopped()))
        return EXIT_OK;
    return status == ACH_CANCELED ? EXIT_FAILED : fail_status(p->reader.name, status);
}

static int plot_run(int argc, char **argv)
{
    struct plot p = {.window = 10};
    int status = EXIT_FAILED;
    bool open;

    if (!plot_parse(argc, argv, &p))
        return EXIT_USAGE;
    open = p.no_wait ? reader_open(&p.reader, argv[optind])
                     : reader_await(&p.reader, argv[optind], NULL) == ACH_OK;
    if (!open)
        return stopped() ? EXIT_OK : EXIT_FAILED;
    decoder_begin(&p.decoder, p.reader.name, &p.reader.chan);
    status = plot_channel(&p, argv + optind + 1, argc - optind - 1);
    decoder_end(&p.decoder);
    curves_finish(&p.curves);
    selection_finish(&p.fields);
    reader_close(&p.reader);
    return status;
}

const struct verb verb_plot = {
    .name = "plot",
    .summary = "draw fields of messages over time",
    .help =
        "Usage: ach plot [OPTION ...] CHANNEL FIELD ...\n\n"
        "Draw numbers in the messages of a typed channel, live in the terminal, until q or\n"
        "Ctrl-C. A field is pose.x, ranges[3], or ranges[0:4] for the elements 0 to 3; 'ach type\n"
        "fields CHANNEL' lists them. The legend shows the newest, the smallest and the largest\n"
        "value. If the output is not a terminal, one picture is printed at the end. If the\n"
        "channel does not exist, wait for it.\n\n"
        "Options:\n"
        "      --window SECONDS  how much time is shown (10)\n"
        "  -c, --count N         draw once after N messages, then end\n"
        "      --once            draw once the messages that the channel holds, then end; without\n"
        "                        timestamps, over their sequence numbers\n"
        "      --ascii           draw without characters of Unicode, as if the locale has no "
        "UTF-8\n"
        "      --no-wait         fail if there is no channel\n"
        "  -h, --help            print this help\n\n"
        "Examples:\n"
        "  ach plot cmd_vel linear.x angular.z\n"
        "  ach plot --window 60 imu 'acceleration[0:3]'\n"
        "  ach plot --once --ascii cmd_vel linear.x\n",
    .run = plot_run,
};
