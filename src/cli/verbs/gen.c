/* SPDX-License-Identifier: BSD-3-Clause */
/* ach gen - C headers for messages */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../msg/gen/gen.h"
#include "cli.h"
#include "typefile.h"

struct gen_options {
    const char *output; /* NULL: standard output */
    struct gen_names names;
    struct type_words words;
};

enum {
    OPT_OUTPUT = 256,
    OPT_PREFIX,
    OPT_FULL_NAMES,
    OPT_GEN_TYPE,
};

static bool is_prefix(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return *text && !strchr("0123456789", *text) && text[strspn(text, letters)] == '\0';
}

static bool gen_apply(struct gen_options *o, int c)
{
    switch (c) {
    case 'I':
        return type_include(&o->words, optarg);
    case OPT_OUTPUT:
        o->output = optarg;
        return true;
    case OPT_PREFIX:
        o->names.prefix = optarg;
        return is_prefix(optarg) ||
               bad_value("the prefix", optarg, "the beginning of a name in C, for example robot_");
    case OPT_FULL_NAMES:
        return o->names.packages = true;
    case OPT_GEN_TYPE:
        o->words.name = optarg;
        return true;
    default:
        usage_hint();
        return false;
    }
}

static bool ends_in_msg(const char *file)
{
    size_t n = strlen(file);

    return n > 4 && strcmp(file + n - 4, ".msg") == 0;
}

/* Write the message of a file. An exit status, after complaining if it failed. */
static int gen_file(const struct gen_options *o, const char *file, FILE *out)
{
    struct type_words words = o->words;
    ach_channel_type_t type;
    char *name = NULL;
    int status = EXIT_FAILED;

    if (!ends_in_msg(file))
        return usage("%s: a definition's name ends in .msg", file);
    words.file = file;
    words.complete = true;
    if (!words.name)
        words.name = name = type_name_of_file(file);
    if (words.name && type_read(&words, &type) == EXIT_OK) {
        if (gen_message(out, &o->names, &type) == ACH_OK)
            status = EXIT_OK;
        else
            complain("%s: %s", file, ach_errstr());
        free((void *)type.schema);
    }
    free(name);
    return status;
}

/*
 * A header that could not be written as a whole is removed: a compiler would accept a part. But
 * never /dev/full, or another file that was no header.
 */
static int write_header(const char *file, const char *text, size_t size)
{
    FILE *f = fopen(file, "we");
    struct stat st;
    bool written;

    if (!f) {
        complain("cannot write %s: %s", file, strerror(errno));
        return EXIT_FAILED;
    }
    written = fwrite(text, 1, size, f) == size;
    if (fclose(f) == 0 && written)
        return EXIT_OK;
    complain("cannot write %s: %s", file, strerror(errno));
    if (stat(file, &st) == 0 && S_ISREG(st.st_mode))
        remove(file);
    return EXIT_FAILED;
}

/* Write all or nothing. */
static int gen_header(const struct gen_options *o, int count, char **files)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int i, status = EXIT_OK;

    if (!out) {
        complain("no memory for the header");
        return EXIT_FAILED;
    }
    gen_begin(out);
    for (i = 0; status == EXIT_OK && i < count; i++)
        status = gen_file(o, files[i], out);
    if (fclose(out) != 0 && status == EXIT_OK) {
        complain("no memory for the header");
        status = EXIT_FAILED;
    }
    if (status == EXIT_OK && o->output)
        status = write_header(o->output, text, size);
    else if (status == EXIT_OK)
        fwrite(text, 1, size, stdout);
    free(text);
    return status;
}

static int gen_run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, OPT_OUTPUT},
        {"include", required_argument, NULL, 'I'},
        {"prefix", required_argument, NULL, OPT_PREFIX},
        {"full-names", no_argument, NULL, OPT_FULL_NAMES},
        {"type", required_argument, NULL, OPT_GEN_TYPE},
        {0},
    };
    struct gen_options o = {.names = {.prefix = ""}};
    int c;

    while ((c = getopt_long(argc, argv, "I:", longs, NULL)) != -1) {
        if (!gen_apply(&o, c))
            return EXIT_USAGE;
    }
    if (optind == argc)
        return usage("name a file with a definition: FILE.msg");
    if (o.words.name && optind + 1 < argc)
        return usage("--type is for one file");
    return gen_header(&o, argc - optind, argv + optind);
}

const struct verb verb_gen = {
    .name = "gen",
    .summary = "write C headers for messages",
    .help =
        "Usage: ach gen [OPTION ...] FILE.msg ...\n\n"
        "Write a C header from definitions of messages in the language of ROS. For LaserScan.msg\n"
        "it has struct laser_scan, and the calls laser_scan_put, laser_scan_get and others.\n"
        "Programs that include it link with libach only. C++ can include it, too.\n\n"
        "Options:\n"
        "      --output FILE  write to FILE instead of standard output\n"
        "  -I, --include DIR  where to find the definitions that a .msg uses:\n"
        "                     DIR/package/msg/Name.msg; packages beside that of FILE.msg are\n"
        "                     found without it\n"
        "      --type NAME    the name of the message; default: package/msg/Name from\n"
        "                     package/msg/Name.msg, or Name\n"
        "      --prefix TEXT  all names in C begin with TEXT\n"
        "      --full-names   names in C include the package: sensor_msgs_laser_scan\n"
        "  -h, --help         print this help\n\n"
        "Examples:\n"
        "  ach gen --output imu.h imu.msg\n"
        "  ach gen --output scan.h /usr/share/sensor_msgs/msg/LaserScan.msg\n"
        "  ach gen --full-names --include /usr/share --output robot.h msg/*.msg\n",
    .run = gen_run,
};
