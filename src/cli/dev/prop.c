/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev prop - read and set a driver's properties */
#include <ach/interface/common.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "show.h"

/* The get and set requests of one property type. */
struct prop_kind {
    uint8_t get, set;
};

static const struct prop_kind kinds[] = {
    {ACH_REQ_GET_INTPROP, ACH_REQ_SET_INTPROP},
    {ACH_REQ_GET_DBLPROP, ACH_REQ_SET_DBLPROP},
    {ACH_REQ_GET_BOOLPROP, ACH_REQ_SET_BOOLPROP},
    {ACH_REQ_GET_STRPROP, ACH_REQ_SET_STRPROP},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Build the body of a request from key and value as text; NULL: the value has another type. */
static void *prop_body_of(const ach_message_def_t *def, const char *key, const char *value)
{
    char *words[2];
    void *body = NULL;
    int n = 1;

    if (asprintf(&words[0], "key=%s", key) < 0)
        return NULL;
    if (value && asprintf(&words[1], "value=%s", value) >= 0)
        n = 2;
    if (ach_body_from_words(def->body, (const char *const *)words, (size_t)n, &body) != ACH_OK)
        body = NULL;
    free(words[0]);
    if (n == 2)
        free(words[1]);
    return body;
}

static void print_string(const char *text)
{
    print_text(text, strlen(text));
}

static void print_value(const ach_message_t *m, uint8_t get)
{
    const void *body = ach_message_body(m);

    if (!body)
        return;
    if (get == ACH_REQ_GET_INTPROP)
        printf("%d\n", ((const ach_intprop_t *)body)->value);
    else if (get == ACH_REQ_GET_DBLPROP)
        printf("%.17g\n", ((const ach_dblprop_t *)body)->value);
    else if (get == ACH_REQ_GET_BOOLPROP)
        puts(((const ach_boolprop_t *)body)->value ? "true" : "false");
    else
        print_string(((const ach_strprop_t *)body)->value);
}

/* For boolean properties: "true" and "false" as 1 and 0. */
static const char *as_number(const char *value)
{
    if (value && strcmp(value, "true") == 0)
        return "1";
    if (value && strcmp(value, "false") == 0)
        return "0";
    return value;
}

/* ACH_ENOTSUP: the property is not of this type. */
static ach_status_t try(ach_device_t *d, const struct dev_options *o, const struct prop_kind *k,
                        const char *key, const char *value)
{
    uint8_t subtype = value ? k->set : k->get;
    const ach_message_def_t *def = ach_interface_message(dev_interface(d), ACH_MSG_REQ, subtype);
    void *body = prop_body_of(def, key, k->get == ACH_REQ_GET_BOOLPROP ? as_number(value) : value);
    ach_message_t *answer;
    ach_status_t status;

    if (!body)
        return ACH_ENOTSUP;
    status = ach_device_request(d, subtype, body, o->timeout, &answer);
    free(body);
    if (status == ACH_OK)
        print_value(answer, k->get);
    if (status == ACH_OK || status == ACH_ENOTSUP)
        ach_message_unref(answer);
    return status;
}

static int property(const struct dev_options *o, const char *address, const char *key,
                    const char *value)
{
    ach_device_t *d = dev_open(o, address);
    ach_status_t status = ACH_ENOTSUP;
    size_t i;

    if (!d)
        return EXIT_FAILED;
    for (i = 0; i < KINDS && status == ACH_ENOTSUP; i++)
        status = try(d, o, &kinds[i], key, value);
    ach_device_close(d);
    if (status == ACH_ENOTSUP)
        complain(value ? "%s has no property %s, or the property has another type"
                       : "%s has no property %s",
                 address, key);
    else if (status != ACH_OK)
        fail_errstr();
    return status == ACH_OK ? EXIT_OK : EXIT_FAILED;
}

static int prop_run(int argc, char **argv)
{
    static const struct option options[] = {DEV_LONG_OPTIONS, {0}};
    struct dev_options o;
    int c;

    dev_options_init(&o);
    while ((c = getopt_long(argc, argv, "+" DEV_OPTIONS, options, NULL)) != -1)
        if (!dev_option(&o, c))
            return EXIT_USAGE;
    if (argc - optind < 2 || argc - optind > 3)
        return usage("give a device, a property and, to set it, its new value");
    return property(&o, argv[optind], argv[optind + 1],
                    argc - optind == 3 ? argv[optind + 2] : NULL);
}

const struct verb dev_prop = {
    .name = "dev prop",
    .summary = "read or set a driver's property",
    .help = "Usage: ach dev prop [OPTION ...] DEVICE PROPERTY [VALUE]\n\n"
            "Print a property of the device's driver, or set it and print its new value.\n\n"
            "Options:\n" DEV_HELP "      --help             print this help\n\n"
            "Examples:\n"
            "  ach dev prop laser:0 rate\n"
            "  ach dev prop laser:0 rate 20\n",
    .run = prop_run,
};
