/* SPDX-License-Identifier: BSD-3-Clause */
/* ach doctor - is this system fit for channels, and are the channels well? */
#include "doctor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "show.h"

static const char *level_name(enum level level)
{
    static const char *const names[] = {
        [LEVEL_OK] = "ok",           [LEVEL_NOTE] = "note",       [LEVEL_REPAIRED] = "repaired",
        [LEVEL_WARNING] = "warning", [LEVEL_PROBLEM] = "problem",
    };

    return names[level];
}

struct finding *found(struct report *r, enum level level, const char *check, const char *format,
                      ...)
{
    struct finding *all = realloc(r->findings, (r->n + 1) * sizeof(*all)), *f;
    va_list ap;

    if (!all) {
        complain("out of memory");
        exit(EXIT_FAILED);
    }
    r->findings = all;
    f = &all[r->n++];
    *f = (struct finding){.level = level, .check = check};
    va_start(ap, format);
    vsnprintf(f->text, sizeof(f->text), format, ap);
    va_end(ap);
    return f;
}

void advise(struct finding *f, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(f->advice, sizeof(f->advice), format, ap);
    va_end(ap);
}

static bool all_well(const struct report *r)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        if (r->findings[i].level >= LEVEL_WARNING)
            return false;
    }
    return true;
}

/* The names of files are other people's: they may hold what a terminal obeys. */
static void print_finding(const struct finding *f)
{
    printf("%-8s  %s: ", level_name(f->level), f->check);
    print_text(f->text, strlen(f->text));
    if (!f->advice[0])
        return;
    fputs("          -> ", stdout);
    print_text(f->advice, strlen(f->advice));
}

static void print_report(const struct report *r)
{
    size_t i;

    for (i = 0; i < r->n; i++)
        print_finding(&r->findings[i]);
    puts(all_well(r) ? "All is well." : "Something needs your attention.");
}

static void print_json(const struct report *r)
{
    struct json j = JSON_INIT(stdout);
    size_t i;

    json_object(&j, NULL);
    json_bool(&j, "ok", all_well(r));
    json_string(&j, "directory", r->dir);
    json_array(&j, "findings");
    for (i = 0; i < r->n; i++) {
        const struct finding *f = &r->findings[i];

        json_object(&j, NULL);
        json_string(&j, "level", level_name(f->level));
        json_string(&j, "check", f->check);
        json_string(&j, "text", f->text);
        if (f->advice[0])
            json_string(&j, "advice", f->advice);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
    json_line(&j);
}

/* The directory of the channels is that of any channel's file. */
static bool find_directory(struct report *r)
{
    if (ach_channel_path("x", r->dir, sizeof(r->dir)) != ACH_OK) {
        fail_errstr();
        return false;
    }
    *strrchr(r->dir, '/') = '\0';
    return true;
}

static int examine(struct report *r, bool json)
{
    int status;

    if (!find_directory(r))
        return EXIT_FAILED;
    if (check_directory(r)) {
        check_files(r);
        check_servers(r);
    }
    check_limits(r);
    check_realtime(r);
    check_kernel(r);
    check_logind(r);
    if (json)
        print_json(r);
    else
        print_report(r);
    status = all_well(r) ? EXIT_OK : EXIT_FAILED;
    free(r->findings);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"repair", no_argument, NULL, 'r'},
        {"json", no_argument, NULL, 'j'},
        {"root", required_argument, NULL, 'R'},
        {0},
    };
    struct report r = {.root = ""};
    bool json = false;
    int c;

    while ((c = getopt_long(argc, argv, "rj", longs, NULL)) != -1) {
        if (c == '?')
            return usage_hint();
        if (c == 'R')
            r.root = optarg;
        r.repair |= c == 'r';
        json |= c == 'j';
    }
    if (optind < argc)
        return usage("no argument is wanted, not '%s'", argv[optind]);
    return examine(&r, json);
}

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "check the system and the channels",
    .help =
        "Usage: ach doctor [OPTION ...]\n\n"
        "Check what channels depend on: their directory and its space, files that are not\n"
        "channels or were left behind, channels of servers that were killed, resource limits,\n"
        "real-time scheduling, the kernel and its module, and logind's removal of shared memory.\n"
        "Each warning says what to do. Exit status 0: all is well; 1: there are warnings or\n"
        "problems.\n\n"
        "Options:\n"
        "  -r, --repair    remove temporary files whose maker is dead, and files that have a\n"
        "                  channel's name but are no usable channel and that nobody has open\n"
        "      --root DIR  look for configuration files beneath DIR\n"
        "  -j, --json      as JSON\n"
        "  -h, --help      print this help\n\n"
        "Examples:\n"
        "  ach doctor\n"
        "  ach doctor --repair\n"
        "  ach doctor --json | jq '.findings[] | select(.level == \"warning\")'\n",
    .run = run,
};
