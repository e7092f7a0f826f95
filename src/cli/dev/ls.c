/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev ls - which devices a robot has */
#include <stdlib.h>

#include "dev.h"
#include "json.h"
#include "parse.h"
#include "table.h"

#define DEVICES_MAX 4096u

static void devls_print_table(const ach_device_info_t *devices, size_t n)
{
    struct table t = {.align = "ll"};
    size_t i;

    for (i = 0; i < n; i++) {
        char text[ACH_ADDRESS_MAX];
        ach_address_t a = devices[i].address;

        a.host = a.robot = 0;
        table_cell(&t, "%s", ach_address_text(&a, text));
        table_cell(&t, "%s", devices[i].driver);
    }
    table_print(&t, stdout, n, "\n");
    table_finish(&t);
}

static void devls_print_json(const ach_device_info_t *devices, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        struct json j = JSON_INIT(stdout);
        char text[ACH_ADDRESS_MAX];
        ach_address_t a = devices[i].address;

        a.host = a.robot = 0;
        json_object(&j, NULL);
        json_string(&j, "device", ach_address_text(&a, text));
        json_string(&j, "driver", devices[i].driver);
        json_end_object(&j);
        json_line(&j);
    }
}

static int list(const struct dev_options *o, const char *where, bool json)
{
    ach_device_info_t *devices = calloc(DEVICES_MAX, sizeof(*devices));
    size_t n = 0;

    if (!devices || ach_device_list(where, &o->attr, devices, DEVICES_MAX, &n) != ACH_OK) {
        free(devices);
        return fail_errstr();
    }
    if (n > DEVICES_MAX)
        n = DEVICES_MAX;
    if (json)
        devls_print_json(devices, n);
    else
        devls_print_table(devices, n);
    free(devices);
    return EXIT_OK;
}

static int devls_run(int argc, char **argv)
{
    static const struct option options[] = {DEV_LONG_OPTIONS,
                                            {"json", no_argument, NULL, 'j'},
                                            {"port", required_argument, NULL, 'p'},
                                            {0}};
    const char *where = "";
    struct dev_options o;
    bool json = false;
    uint64_t number;
    int c;

    dev_options_init(&o);
    while ((c = getopt_long(argc, argv, DEV_OPTIONS "jp:", options, NULL)) != -1) {
        if (c == 'j')
            json = true;
        else if (c == 'p' && parse_count(optarg, 1, 65535, &number))
            where = optarg;
        else if (c == 'p')
            return bad_value("--port", optarg, "a port from 1 to 65535"), EXIT_USAGE;
        else if (!dev_option(&o, c))
            return EXIT_USAGE;
    }
    if (argc - optind + (*where ? 1 : 0) > 1)
        return usage("give one host and port at most");
    return list(&o, optind < argc ? argv[optind] : where, json);
}

const struct verb dev_ls = {
    .name = "dev ls",
    .summary = "list the devices of a robot",
    .help = "Usage: ach dev ls [OPTION ...] [[HOST:]PORT]\n\n"
            "List the devices of a server, and their drivers. Without HOST, the server on\n"
            "this machine; without PORT, port 6665. For a server on this machine without TCP, or\n"
            "a simulation, list the devices that have channels, without drivers.\n\n"
            "Options:\n"
            "  -p, --port N           the same as PORT\n"
            "  -j, --json             a JSON object on a line of its own for each device\n" DEV_HELP
            "      --help             print this help\n\n"
            "Examples:\n"
            "  ach dev ls\n"
            "  ach dev ls robot.local:6665\n",
    .run = devls_run,
};
