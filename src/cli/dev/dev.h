/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dev.h - shared by the tools of ach dev
 *
 * ach dev WHAT ... finds the tool by its name; each is a verb in a file of its own.
 */
#ifndef DEV_H
#define DEV_H

#include <ach/device.h>

#include "cli.h"

extern const struct verb dev_ls, dev_find, dev_print, dev_cmd, dev_req, dev_prop, dev_messages;

/* Options of all tools: how to reach a device. */
struct dev_options {
    ach_device_attr_t attr;
    double timeout; /* for answers, in seconds */
};

#define DEV_OPTIONS "T:P:"
#define DEV_LONG_OPTIONS                                                                           \
    {"transport", required_argument, NULL, 't'}, {"plugin", required_argument, NULL, 'P'},         \
        {"timeout", required_argument, NULL, 'T'},                                                 \
    {                                                                                              \
        "wait", required_argument, NULL, 'T' /* the older name */                                  \
    }
#define DEV_HELP                                                                                   \
    "      --transport NAME   tcp, tls, channel or one of a plug-in (default: automatic)\n"        \
    "  -P, --plugin FILE      a plug-in with transports; may be given more than once\n"            \
    "  -T, --timeout SECONDS  longest wait for the server and for its answers (5)\n"

void dev_options_init(struct dev_options *o);

/* Parse one option of DEV_OPTIONS; false after complaining. */
bool dev_option(struct dev_options *o, int c);

/* NULL after complaining. */
ach_device_t *dev_open(const struct dev_options *o, const char *address);

/* The interface of a device's address. */
const ach_interface_t *dev_interface(const ach_device_t *device);

/* Find a message by name or number; NULL after complaining and listing the valid ones. */
const ach_message_def_t *dev_message(const ach_interface_t *i, unsigned type, const char *name);

/* Build a body from NAME=VALUE words; false after complaining. The caller frees *body. */
bool dev_body(const ach_message_def_t *def, char **words, int n, void **body);

/* Print the body of an answer or of data, as text or JSON. */
void dev_show(const ach_message_t *m, bool json);

#endif
