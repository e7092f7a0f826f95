/* SPDX-License-Identifier: BSD-3-Clause */
/* ach bw - measure the bandwidth of a channel */
#include "cli.h"
#include "json.h"
#include "windows.h"

struct bw {
    struct windows w;
    uint64_t bytes;
    uint64_t missed;
    struct stats size;
};

static void bw_take(void *cx, const struct sample *s)
{
    struct bw *b = cx;

    b->bytes += s->size;
    b->missed += s->missed;
    stats_add(&b->size, (double)s->size);
}

static void bw_print_text(const struct bw *b, double seconds)
{
    printf("%.0f bytes/s", (double)b->bytes / seconds);
    if (b->size.n)
        printf("  size mean %.1f  min %.0f  max %.0f", b->size.mean, b->size.min, b->size.max);
    printf("  messages %llu  missed %llu\n", (unsigned long long)b->size.n,
           (unsigned long long)b->missed);
}

static void bw_print_json(const struct bw *b, double seconds)
{
    struct json j = JSON_INIT(stdout);

    json_object(&j, NULL);
    json_string(&j, "name", b->w.name);
    json_number(&j, "window", seconds);
    json_number(&j, "bytes_per_second", (double)b->bytes / seconds);
    json_uint(&j, "bytes", b->bytes);
    json_uint(&j, "messages", b->size.n);
    json_uint(&j, "missed", b->missed);
    if (b->size.n) {
        json_number(&j, "size_mean", b->size.mean);
        json_number(&j, "size_min", b->size.min);
        json_number(&j, "size_max", b->size.max);
    }
    json_end_object(&j);
    json_line(&j);
}

static void bw_report(void *cx, double seconds, const ach_channel_t *chan)
{
    struct bw *b = cx;

    (void)chan;
    if (b->w.json)
        bw_print_json(b, seconds);
    else
        bw_print_text(b, seconds);
    b->bytes = 0;
    b->missed = 0;
    b->size = (struct stats){0};
}

static int bw_run(int argc, char **argv)
{
    struct bw b = {.w = {.take = bw_take, .report = bw_report, .cx = &b}};

    return windows_parse(&b.w, argc, argv) ? windows_run(&b.w) : EXIT_USAGE;
}

const struct verb verb_bw = {
    .name = "bw",
    .summary = "measure how many bytes go through a channel",
    .help = "Usage: ach bw [OPTION ...] CHANNEL\n\n"
            "Print, for each interval of time, how many bytes per second were put, and the mean,\n"
            "the minimum and the maximum size of the messages. Messages that were missed are\n"
            "counted, but their bytes are not known. If the channel does not exist, wait for it;\n"
            "if it is removed or replaced, or its file is cut short, measure the next channel of\n"
            "that name.\n\n"
            "Options:\n" WINDOWS_HELP "\n"
            "Examples:\n"
            "  ach bw camera\n"
            "  ach bw --interval 10 --count 1 --json camera | jq .bytes_per_second\n",
    .run = bw_run,
};
