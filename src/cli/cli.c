/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "describe.h"
#include "nochannel.h"
#include "parse.h"
#include "printable.h"
#include "streams.h"
#include "survey.h"
#include "unknown_option.h"
#include "withdrawn.h"

static const struct verb *current;
static char title[64] = "ach";
static char **words; /* argv of the verb */

/*
 * A message may quote names and schemas that other users wrote: control characters are escaped. It
 * is written in one piece, because other threads write lines, too.
 */
static void cli_say(const char *format, va_list ap)
{
    char *text = NULL, *line = NULL;
    size_t size;
    FILE *out;
    int n;

    /* After a write error streams_flush would record errno, which may be another error's by now. */
    if (!ferror(stdout))
        streams_flush();
    n = vasprintf(&text, format, ap);
    out = n >= 0 ? open_memstream(&line, &size) : NULL;
    if (out) {
        fprintf(out, "%s: ", title);
        printable_write(out, text, (size_t)n, SIZE_MAX);
        putc('\n', out);
    }
    if (out && fclose(out) == 0)
        fwrite(line, 1, size, stderr);
    else
        fprintf(stderr, "%s: no memory for the message\n", title);
    free(n >= 0 ? text : NULL);
    free(line);
}

void complain(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    cli_say(format, ap);
    va_end(ap);
}

static int try_help(void)
{
    if (current)
        fprintf(stderr, "Try 'ach %s --help'.\n", current->name);
    else
        fputs("Try 'ach help'.\n", stderr);
    return EXIT_USAGE;
}

int usage_hint(void)
{
    const char *now = withdrawn_letter(current->name, optopt);
    /* optopt is 0 for an unknown long option. */
    const char *meant =
        optopt == 0 && current->help ? unknown_option(current->help, words[optind - 1]) : "";

    if (now)
        complain("-%c is no longer accepted because it means something else in other verbs: use %s",
                 optopt, now);
    if (*meant)
        complain("%s", meant);
    return try_help();
}

int usage(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    cli_say(format, ap);
    va_end(ap);
    return try_help();
}

bool bad_value(const char *option, const char *value, const char *wanted)
{
    bool large = errno == ERANGE && value[0] >= '0' && value[0] <= '9';

    usage("%s cannot be '%s'%s: give %s", option, value, large ? ", which is too large" : "",
          wanted);
    return false;
}

void complain_lines(const char *lines)
{
    while (*lines) {
        size_t n = strcspn(lines, "\n");

        complain("%.*s", (int)n, lines);
        lines += n + (lines[n] == '\n');
    }
}

bool parse_repeat(int c, double *interval, uint64_t *count)
{
    if (c == 'i' && !parse_seconds(optarg, interval))
        return bad_value("the interval", optarg, SECONDS_WANTED);
    if (c == 'c' && count && !parse_count(optarg, 1, UINT64_MAX, count))
        return bad_value("the count", optarg, "a number from 1 on");
    if (c == '?')
        usage_hint();
    return c != '?';
}

int fail_errstr(void)
{
    complain("%s", ach_errstr());
    return EXIT_FAILED;
}

static const char *status_sentence(enum ach_status status)
{
    switch (status) {
    case ACH_EAGAIN:
        return "there is no new message, or another process holds the lock";
    case ACH_TIMEOUT:
        return "no message came in time";
    case ACH_OVERFLOW:
        return "the message is larger than the channel can hold";
    case ACH_ENOENT:
        return "the channel was removed";
    case ACH_EACCES:
        return "not permitted";
    case ACH_CORRUPT:
        return "the channel was replaced, its file was cut short, or its memory is damaged";
    case ACH_CANCELED:
        return "interrupted";
    default:
        return NULL;
    }
}

int fail_status(const char *channel, enum ach_status status)
{
    const char *sentence = status_sentence(status);

    complain("%s: %s", channel, sentence ? sentence : ach_result_to_string(status));
    return EXIT_FAILED;
}

const char *one_channel(int argc, char **argv)
{
    if (optind + 1 == argc)
        return argv[optind];
    if (optind == argc)
        usage("name a channel");
    else
        usage("give one channel, not also '%s'", argv[optind + 1]);
    return NULL;
}

bool parse_place(int argc, char **argv, enum ach_map *map)
{
    static const struct option longs[] = {
        {"user", no_argument, NULL, 'u'},
        {"kernel", no_argument, NULL, 'k'},
        {0},
    };
    int c;

    *map = ACH_MAP_DEFAULT;
    while ((c = getopt_long(argc, argv, "uk", longs, NULL)) != -1) {
        if (c == '?') {
            usage_hint();
            return false;
        }
        *map = c == 'k' ? ACH_MAP_KERNEL : ACH_MAP_USER;
    }
    return true;
}

bool place_exists(const char *name, enum ach_map map)
{
    char device[PATH_MAX], file[PATH_MAX];
    struct stat st;
    ach_channel_t chan;

    if (map == ACH_MAP_USER && channel_path(name, ACH_MAP_KERNEL, device) &&
        channel_path(name, map, file) && lstat(device, &st) == 0 && lstat(file, &st) != 0) {
        complain("channel '%s' is in the kernel, not in shared memory", name);
        return false;
    }
    if (map != ACH_MAP_KERNEL)
        return true;
    if (!open_channel_in(&chan, name, true, map))
        return false;
    ach_close(&chan);
    return true;
}

bool open_channel(ach_channel_t *chan, const char *name, bool readonly)
{
    return open_channel_in(chan, name, readonly, ACH_MAP_DEFAULT);
}

void complain_absent(const char *name)
{
    char text[NO_CHANNEL_TEXT];

    complain("%s", no_channel(text, name, NULL));
}

bool open_channel_in(ach_channel_t *chan, const char *name, bool readonly, enum ach_map map)
{
    ach_attr_t attr;
    enum ach_status r;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, readonly);
    ach_attr_set_map(&attr, map);
    r = ach_open(chan, name, &attr);
    if (r == ACH_ENOENT)
        complain_absent(name);
    else if (r != ACH_OK)
        fail_errstr();
    return r == ACH_OK;
}

void wait_by(const char *how)
{
    setenv("ACH_WAIT", how, 1);
}

bool look_at_all(struct survey *s)
{
    if (survey_look(s))
        return true;
    fail_errstr();
    return false;
}

bool channel_info(ach_channel_t *chan, const char *name, ach_info_t *info)
{
    enum ach_status r = ach_channel_info(chan, info);

    if (r != ACH_OK)
        fail_status(name, r);
    return r == ACH_OK;
}

bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0 ||
           strcmp(word, "-H") == 0;
}

static bool asks_for_help(int argc, char **argv)
{
    int i;

    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_help(argv[i]))
            return true;
    }
    return false;
}

int verb_run(const struct verb *v, int argc, char **argv)
{
    current = v;
    words = argv;
    snprintf(title, sizeof(title), "ach %s", v->name);
    argv[0] = title;
    optind = 0; /* restart getopt */
    if (v->help && asks_for_help(argc, argv)) {
        fputs(v->help, stdout);
        return EXIT_OK;
    }
    return v->run(argc, argv);
}
