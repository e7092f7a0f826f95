/* SPDX-License-Identifier: BSD-3-Clause */
/* filter.c - ach log filter and ach log merge: messages of recordings in one new file of MCAP */
#include <limits.h>

#include "copy.h"

static const struct option copy_longs[] = {REC_PICK_LONG_OPTIONS, REC_COPY_LONG_OPTIONS, {0}};

static bool filter_parse(int argc, char **argv, struct rec_copy *c, struct rec_pick *p)
{
    int option;

    while ((option = getopt_long(argc, argv, "o:f", copy_longs, NULL)) != -1) {
        bool copy = option == 'o' || option == 'f' || option == 'Z';

        if (!(copy ? rec_copy_option(c, option) : rec_pick_option(p, option)))
            return false;
    }
    return rec_pick_agrees(p);
}

static bool filter_check(int argc, const struct rec_copy *c, int most)
{
    int n = argc - optind;

    if (!c->output.path)
        usage("name the new file with -o");
    else if (n == 0)
        usage("name a recording");
    else if (n > most)
        usage("one recording at a time; ach log merge takes several");
    else if (most > 1 && n == 1)
        usage("name at least two recordings; ach log filter takes one");
    else
        return true;
    return false;
}

static int filter_copy(int argc, char **argv, int most)
{
    struct rec_pick p;
    struct rec_copy c;
    int status = EXIT_USAGE;

    rec_copy_init(&c);
    if (!rec_pick_init(&p, argc))
        return EXIT_FAILED;
    if (filter_parse(argc, argv, &c, &p) && filter_check(argc, &c, most))
        status = rec_pick_open(&p, argv + optind, (size_t)(argc - optind)) && rec_copy_run(&c, &p)
                     ? EXIT_OK
                     : EXIT_FAILED;
    rec_pick_finish(&p);
    return status;
}

static int filter_run(int argc, char **argv)
{
    return filter_copy(argc, argv, 1);
}

static int merge_run(int argc, char **argv)
{
    return filter_copy(argc, argv, INT_MAX);
}

const struct verb log_filter_verb = {
    .name = "log filter",
    .summary = "copy some topics or a part of the time to a new recording",
    .help =
        "Usage: ach log filter [OPTION ...] -o FILE RECORDING\n\n"
        "Copy messages of a recording into a new file of MCAP, unchanged, with attachments and\n"
        "metadata.\n\n"
        "Options:\n" REC_PICK_HELP REC_COPY_HELP "  -h, --help           print this help\n\n"
        "Examples:\n"
        "  ach log filter --topic 'imu*' --topic odom -o imu.mcap drive.mcap\n"
        "  ach log filter --start 60 --end 75 -o crash.mcap drive.mcap\n",
    .run = filter_run,
};

const struct verb log_merge_verb = {
    .name = "log merge",
    .summary = "several recordings into one, by time",
    .help =
        "Usage: ach log merge [OPTION ...] -o FILE RECORDING RECORDING ...\n\n"
        "Copy the messages of several recordings, also of different formats, into one new file of\n"
        "MCAP, in the order of their times. Topics of the same name, type and metadata become "
        "one;\n"
        "clock offsets that differ by up to a second count as the same.\n\n"
        "Options:\n" REC_PICK_HELP REC_COPY_HELP "  -h, --help           print this help\n\n"
        "Examples:\n"
        "  ach log merge -o all.mcap robot.mcap camera.mcap\n"
        "  ach log merge --compression lz4 -o all.mcap imu.achlog.gz state.achlog\n",
    .run = merge_run,
};
