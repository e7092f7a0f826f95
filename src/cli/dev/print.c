/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev print - print the data of a device */
#include <poll.h>
#include <unistd.h>

#include "dev.h"
#include "parse.h"
#include "stop.h"

struct printing {
    struct dev_options o;
    bool json;
    bool last; /* only the newest message, if output is slower than the device */
    bool live; /* on a terminal: each message overwrites the previous one */
    uint64_t count;
};

static bool print_parse(struct printing *p, int argc, char **argv)
{
    static const struct option options[] = {DEV_LONG_OPTIONS,
                                            {"json", no_argument, NULL, 'j'},
                                            {"last", no_argument, NULL, 'L'},
                                            {"follow", no_argument, NULL, 'f'},
                                            {"count", required_argument, NULL, 'c'},
                                            {0}};
    bool follow = false;
    int c;

    dev_options_init(&p->o);
    while ((c = getopt_long(argc, argv, DEV_OPTIONS "jLc:", options, NULL)) != -1) {
        if (c == 'j')
            p->json = true;
        else if (c == 'L')
            p->last = true;
        else if (c == 'f')
            follow = true;
        else if (c == 'c' && !parse_count(optarg, 1, UINT64_MAX, &p->count))
            return bad_value("--count", optarg, "a number of messages");
        else if (c != 'c' && !dev_option(&p->o, c))
            return false;
    }
    p->live = isatty(STDOUT_FILENO) && !p->json && !follow && p->count == 0;
    if (argc - optind == 1)
        return true;
    usage("give one device");
    return false;
}

/* Wait with poll() on the descriptor, because a signal interrupts it. */
static ach_status_t print_get(ach_device_t *d, bool last, ach_message_t **m)
{
    for (;;) {
        struct pollfd fd = {.fd = ach_device_fd(d), .events = POLLIN};
        ach_status_t status = ach_device_get(d, ACH_SUBTYPE_ANY, 0, last ? ACH_O_LAST : 0, m);

        if (status != ACH_STALE_FRAMES || stopped())
            return status;
        poll(&fd, 1, -1);
    }
}

static void print_show(const struct printing *p, const ach_message_t *m)
{
    if (p->live)
        printf("\033[H\033[J");
    dev_show(m, p->json);
    fflush(stdout);
}

static int print(struct printing *p, const char *address)
{
    ach_device_t *d = dev_open(&p->o, address);
    uint64_t n = 0;
    ach_status_t status = ACH_OK;

    if (!d)
        return EXIT_FAILED;
    if (!(ach_device_rights(d) & ACH_RIGHT_REQUEST))
        complain(
            "%s: this user may only read: data comes only while the driver runs for another client",
            address);
    stop_on_signals(NULL);
    while (!stopped() && (p->count == 0 || n < p->count)) {
        ach_message_t *m;

        status = print_get(d, p->last || p->live, &m);
        if (status != ACH_OK && status != ACH_MISSED_FRAME)
            break;
        print_show(p, m);
        ach_message_unref(m);
        n++;
    }
    if (status != ACH_OK && status != ACH_MISSED_FRAME && status != ACH_STALE_FRAMES)
        complain("%s: %s", address, *ach_errstr() ? ach_errstr() : ach_result_to_string(status));
    else
        status = ACH_OK;
    if (ach_device_lost(d))
        complain("%s: %llu messages were lost", address, (unsigned long long)ach_device_lost(d));
    ach_device_close(d);
    return status == ACH_OK ? EXIT_OK : EXIT_FAILED;
}

static int print_run(int argc, char **argv)
{
    struct printing p = {0};

    return print_parse(&p, argc, argv) ? print(&p, argv[optind]) : EXIT_USAGE;
}

const struct verb dev_print = {
    .name = "dev print",
    .summary = "print the data of a device",
    .help = "Usage: ach dev print [OPTION ...] DEVICE\n\n"
            "Print the data of a device as it comes, until Ctrl-C. On a terminal each message\n"
            "takes the place of the one before.\n\n"
            "Options:\n"
            "  -c, --count N          end after N messages\n"
            "  -j, --json             a JSON object on a line of its own for each message\n"
            "  -L, --last             the newest message only, if output is slow\n"
            "      --follow           on a terminal too, one message below the other\n" DEV_HELP
            "      --help             print this help\n\n"
            "Examples:\n"
            "  ach dev print laser:0\n"
            "  ach dev print --json --count 1 robot.local:6665:position2d:0\n",
    .run = print_run,
};
