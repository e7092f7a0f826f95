/* SPDX-License-Identifier: BSD-3-Clause */
/* ach type - what the messages of channels are */
#include <ach.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "decode.h"
#include "describe.h"
#include "device_frame.h"
#include "path.h"
#include "show.h"
#include "survey.h"
#include "table.h"

static int show_type(const char *name, bool raw)
{
    const ach_channel_type_t *type;
    ach_channel_t chan;
    int status = EXIT_FAILED;

    if (!open_channel(&chan, name, true))
        return EXIT_FAILED;
    if (!channel_type(&chan) && !raw && device_interface(name)) {
        status = device_show(name) ? EXIT_OK : EXIT_FAILED;
    } else if (ach_channel_type(&chan, &type) != ACH_OK) {
        complain("channel '%s': %s", name, ach_errstr());
    } else {
        status = EXIT_OK;
        if (!raw)
            printf("# %s, messages in %s\n", type->name, type->encoding);
        if (raw || is_lines(type->schema, type->schema_size))
            fwrite(type->schema, 1, type->schema_size, stdout);
        else if (type->schema_size)
            print_dump(type->schema, type->schema_size);
    }
    ach_close(&chan);
    return status;
}

static int show_struct(const char *name, bool raw)
{
    char *type, *text;

    if (!device_definition(name, &type, &text))
        return EXIT_FAILED;
    if (!raw)
        printf("# %s\n", type);
    fputs(text, stdout);
    free(type);
    free(text);
    return EXIT_OK;
}

static void type_row(struct table *t, const char *name, const ach_channel_type_t *type)
{
    table_cell(t, "%s", name);
    table_cell(t, "%s", type->name);
    table_cell(t, "%s", type->encoding);
    table_cell(t, "%s", type->schema_size ? type->schema_encoding : "-");
}

static int list_types(void)
{
    struct table t = {.align = "llll"};
    struct survey s = {.npatterns = 0};
    bool looked = look_at_all(&s);
    size_t i;

    table_cell(&t, "%s", "CHANNEL");
    table_cell(&t, "%s", "TYPE");
    table_cell(&t, "%s", "ENCODING");
    table_cell(&t, "%s", "SCHEMA");
    for (i = 0; i < s.n; i++) {
        const struct surveyed *c = s.items[i];
        const ach_channel_type_t *type = c->open ? channel_type(&c->chan) : NULL;

        if (type)
            type_row(&t, c->name, type);
    }
    if (looked)
        table_print(&t, stdout, SIZE_MAX, "\n");
    table_finish(&t);
    survey_finish(&s);
    return looked ? EXIT_OK : EXIT_FAILED;
}

/* Messages that say themselves what they are: list the fields of the newest one. */
static enum ach_status fields_of_newest(const struct decoder *d, ach_channel_t *chan,
                                        struct value_paths *paths)
{
    const void *data;
    struct decoded m;
    size_t size;
    enum ach_status status = ach_view(chan, &data, &size, NULL, ACH_O_LAST | ACH_O_COPY);
    void *copy;

    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return ach_errstr_set(status, "'%s' has no message yet, which would tell its fields",
                              d->channel);
    copy = malloc(size);
    if (!copy)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message of %zu bytes", size);
    memcpy(copy, data, size);
    status = ACH_OK;
    if (decode_message(d, copy, size, &m))
        status = value_paths_of(paths, &m.tree.root, VALUE_SPREAD_EXAMPLE);
    decoded_finish(&m);
    free(copy);
    return status;
}

static int print_fields_of(const struct decoder *d, ach_channel_t *chan)
{
    struct value_paths paths = {.count = 0};
    enum ach_status status;
    size_t i;

    if (!decoder_knows(d))
        return decoder_unknown(d);
    if (decoder_example(d))
        status = value_paths_of(&paths, decoder_example(d), VALUE_SPREAD_EXAMPLE);
    else
        status = fields_of_newest(d, chan, &paths);
    for (i = 0; status == ACH_OK && i < paths.count; i++)
        print_text(paths.paths[i], strlen(paths.paths[i]));
    value_paths_finish(&paths);
    return status == ACH_OK ? EXIT_OK : fail_errstr();
}

static int type_fields(const char *name)
{
    struct decoder d;
    ach_channel_t chan;
    int status;

    if (!open_channel(&chan, name, true))
        return EXIT_FAILED;
    decoder_begin(&d, name, &chan);
    status = print_fields_of(&d, &chan);
    decoder_end(&d);
    ach_close(&chan);
    return status;
}

static int type_run(int argc, char **argv)
{
    static const struct option longs[] = {{"raw", no_argument, NULL, 'r'}, {0}};
    bool raw = false;
    int c;

    while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        if (c == '?')
            return usage_hint();
        raw = true;
    }
    if (optind < argc && strcmp(argv[optind], "ls") == 0)
        return optind + 1 == argc && !raw ? list_types() : usage("'ls' takes nothing more");
    if (optind + 2 == argc && strcmp(argv[optind], "show") == 0)
        return show_type(argv[optind + 1], raw);
    if (optind + 2 == argc && strcmp(argv[optind], "struct") == 0)
        return show_struct(argv[optind + 1], raw);
    if (optind + 2 == argc && strcmp(argv[optind], "fields") == 0 && !raw)
        return type_fields(argv[optind + 1]);
    return usage("expected 'ls', 'show CHANNEL', 'fields CHANNEL' or 'struct NAME'");
}

const struct verb verb_type = {
    .name = "type",
    .summary = "print what the messages of channels are",
    .help = "Usage: ach type ls\n"
            "       ach type show [--raw] CHANNEL\n"
            "       ach type fields CHANNEL\n"
            "       ach type struct [--raw] NAME\n\n"
            "List the channels that have a type, print the schema of a channel, that is the\n"
            "definition of its messages, or list the fields of its messages, as ach echo and pub\n"
            "take them. A schema that is not text is printed as a hex dump. For a channel of a\n"
            "device, print the definitions of all messages that it can hold. With 'struct', print\n"
            "the definition of a struct of a device's interface, such as laser.data.\n\n"
            "Options:\n"
            "      --raw   print the bytes of the schema and nothing else\n"
            "  -h, --help  print this help\n\n"
            "Examples:\n"
            "  ach type ls\n"
            "  ach type show cmd_vel\n"
            "  ach type show dev.6665.laser.0.data\n"
            "  ach type fields cmd_vel\n"
            "  ach type show --raw cmd_vel >Twist.msg\n"
            "  ach type struct --raw laser.data >LaserData.msg\n",
    .run = type_run,
};
