/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev find - which devices are in the network */
#include "dev.h"
#include "discovery.h"
#include "json.h"
#include "table.h"

struct find_finding {
    struct table table;
    size_t lines;
    bool json;
};

static void find_add(void *context, const struct discovered *d)
{
    struct find_finding *f = context;
    char address[ACH_ADDRESS_MAX];

    snprintf(address, sizeof(address), "%s:%u:%s", d->address, d->port, d->name);
    if (f->json) {
        struct json j = JSON_INIT(stdout);

        json_object(&j, NULL);
        json_string(&j, "device", address);
        json_string(&j, "driver", d->driver);
        json_string(&j, "host", d->host);
        json_string(&j, "server", d->server);
        json_end_object(&j);
        json_line(&j);
        return;
    }
    table_cell(&f->table, "%s", address);
    table_cell(&f->table, "%s", d->driver);
    table_cell(&f->table, "%s", d->host);
    f->lines++;
}

static int find_run(int argc, char **argv)
{
    static const struct option options[] = {{"timeout", required_argument, NULL, 'T'},
                                            {"wait", required_argument, NULL, 'T'},
                                            {"json", no_argument, NULL, 'j'},
                                            {0}};
    static const char *const types[] = {MDNS_DEVICES, NULL};
    struct find_finding f = {.table = {.align = "lll"}};
    struct dev_options o;
    ach_status_t status;
    int c;

    dev_options_init(&o);
    while ((c = getopt_long(argc, argv, "T:j", options, NULL)) != -1) {
        if (c == 'j')
            f.json = true;
        else if (!dev_option(&o, c))
            return EXIT_USAGE;
    }
    if (argc > optind)
        return usage("no arguments are accepted");
    status = discovery_find(types, o.timeout, find_add, &f);
    table_print(&f.table, stdout, f.lines, "\n");
    table_finish(&f.table);
    return status == ACH_OK ? EXIT_OK : fail_errstr();
}

const struct verb dev_find = {
    .name = "dev find",
    .summary = "list the devices of the network",
    .help = "Usage: ach dev find [OPTION ...]\n\n"
            "List the devices of servers in the network that advertise them, with their drivers\n"
            "and hosts. avahi-daemon must be running.\n\n"
            "Options:\n"
            "  -j, --json             a JSON object on a line of its own for each device\n"
            "  -T, --timeout SECONDS  longest wait for servers (5)\n"
            "      --help             print this help\n\n"
            "Examples:\n"
            "  ach dev find\n"
            "  ach dev find --json --timeout 1 | jq -r .device\n",
    .run = find_run,
};
