/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev cmd, ach dev req - send commands and requests to a device */
#include <ach/interface/common.h>
#include <ach/transport.h>
#include <stdlib.h>

#include "dev.h"
#include "parse.h"

struct saying {
    struct dev_options o;
    bool json;
    double every; /* seconds; 0: once */
};

/* Only an answer can be printed as JSON. */
static bool send_parse(struct saying *s, unsigned type, int argc, char **argv)
{
    static const struct option command_options[] = {DEV_LONG_OPTIONS, {0}},
                               request_options[] = {
                                   DEV_LONG_OPTIONS, {"json", no_argument, NULL, 'j'}, {0}};
    bool asks = type == ACH_MSG_REQ;
    int c;

    dev_options_init(&s->o);
    while ((c = getopt_long(argc, argv, asks ? "+" DEV_OPTIONS "j" : "+" DEV_OPTIONS,
                            asks ? request_options : command_options, NULL)) != -1) {
        if (c == 'j')
            s->json = true;
        else if (!dev_option(&s->o, c))
            return false;
    }
    if (argc - optind >= 2)
        return true;
    usage("give a device and a message");
    return false;
}

/* Timeout of the request for alwayson, which only serves a note. */
#define NOTE_SECONDS 1.0

/* Does the driver end with its last client? Asks for the property alwayson; unknown: false. */
static bool ends_with_clients(const struct saying *s, ach_device_t *d)
{
    static char key[] = "alwayson";
    const ach_boolprop_t body = {.key_count = sizeof(key), .key = key};
    const ach_boolprop_t *said;
    ach_message_t *answer = NULL;
    ach_status_t status;
    bool ends;

    if (!(ach_device_rights(d) & ACH_RIGHT_REQUEST))
        return false;
    status = ach_device_request(d, ACH_REQ_GET_BOOLPROP, &body,
                                s->o.timeout < NOTE_SECONDS ? s->o.timeout : NOTE_SECONDS, &answer);
    said = status == ACH_OK ? ach_message_body(answer) : NULL;
    ends = said && !said->value;
    ach_message_unref(answer);
    return ends;
}

/* Warn if the driver shuts down after we disconnect, and loses the command or setting. */
static void note_end(const struct saying *s, ach_device_t *d, const char *address)
{
    if (ends_with_clients(s, d))
        complain(
            "note: the driver of %s is shut down when its last client leaves, and this command or "
            "setting is then lost; alwayson in the config file keeps the driver running",
            address);
}

static int command(const struct saying *s, ach_device_t *d, const ach_message_def_t *def,
                   const void *body)
{
    return ach_device_command(d, def->subtype, body) == ACH_OK &&
                   ach_device_flush(d, s->o.timeout) == ACH_OK
               ? EXIT_OK
               : fail_errstr();
}

static int request(const struct saying *s, ach_device_t *d, const ach_message_def_t *def,
                   const void *body)
{
    ach_message_t *answer;
    ach_status_t status = ach_device_request(d, def->subtype, body, s->o.timeout, &answer);

    if (status != ACH_OK && status != ACH_ENOTSUP)
        return fail_errstr();
    if (status == ACH_OK)
        dev_show(answer, s->json);
    else
        complain(
            "refused: the driver does not support %s, or not with these values; the log of the "
            "server may have the reason",
            def->name);
    ach_message_unref(answer);
    return status == ACH_OK ? EXIT_OK : EXIT_FAILED;
}

static int send_say(int argc, char **argv, unsigned type,
                    int (*with)(const struct saying *, ach_device_t *, const ach_message_def_t *,
                                const void *))
{
    struct saying s = {0};
    const ach_message_def_t *def;
    int status = EXIT_FAILED;
    ach_device_t *d;
    void *body;

    if (!send_parse(&s, type, argc, argv))
        return EXIT_USAGE;
    d = dev_open(&s.o, argv[optind]);
    if (!d)
        return EXIT_FAILED;
    def = dev_message(dev_interface(d), type, argv[optind + 1]);
    if (def && dev_body(def, argv + optind + 2, argc - optind - 2, &body)) {
        status = with(&s, d, def, body);
        if (status == EXIT_OK && (type == ACH_MSG_CMD || body))
            note_end(&s, d, argv[optind]);
        free(body);
    }
    ach_device_close(d);
    return status;
}

static int run_cmd(int argc, char **argv)
{
    return send_say(argc, argv, ACH_MSG_CMD, command);
}

static int run_req(int argc, char **argv)
{
    return send_say(argc, argv, ACH_MSG_REQ, request);
}

const struct verb dev_cmd = {
    .name = "dev cmd",
    .summary = "send a command to a device",
    .help = "Usage: ach dev cmd [OPTION ...] DEVICE COMMAND [FIELD=VALUE ...]\n\n"
            "Send a command, and wait until the driver has handled it. Fields that are left\n"
            "out are zero. A wrong COMMAND lists those that the interface has. A driver without\n"
            "alwayson is shut down when its last client leaves, which may be this one; a note on\n"
            "standard error says so.\n\n"
            "Options:\n" DEV_HELP "      --help             print this help\n\n"
            "Examples:\n"
            "  ach dev cmd position2d:0 vel vel.px=0.2 vel.pa=0.1 state=1\n"
            "  ach dev cmd gripper:0 close\n",
    .run = run_cmd,
};

const struct verb dev_req = {
    .name = "dev req",
    .summary = "send a request to a device",
    .help = "Usage: ach dev req [OPTION ...] DEVICE REQUEST [FIELD=VALUE ...]\n\n"
            "Send a request and print the answer. A wrong REQUEST lists those that the\n"
            "interface has. A driver without alwayson is shut down when its last client leaves,\n"
            "and then loses settings; a note on standard error says so.\n\n"
            "Options:\n"
            "  -j, --json             the answer as a JSON object\n" DEV_HELP
            "      --help             print this help\n\n"
            "Examples:\n"
            "  ach dev req laser:0 get_geom\n"
            "  ach dev req position2d:0 set_odom pose.px=1 pose.py=2\n",
    .run = run_req,
};
