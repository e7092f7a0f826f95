/* SPDX-License-Identifier: BSD-3-Clause */
/* ach mk - create channels */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advertised.h"
#include "cli.h"
#include "codec.h"
#include "describe.h"
#include "parse.h"
#include "typefile.h"

/* Attributes given on the command line, to compare with an existing channel. */
struct mk_asked {
    bool count, size, timestamps, readonly_wake, single_writer, relayed, anticipated;
    const char *clock;
    enum ach_map map;
};

struct mk_options {
    size_t count;
    size_t size;
    struct mk_asked asked;
    bool exist_ok;
    bool exact;
    bool truncate;
    bool verbose;
    bool advertise;
    struct type_words words;
    ach_channel_type_t type;
    ach_create_attr_t attr;
};

enum {
    OPT_TIMESTAMPS = 256,
    OPT_READONLY_WAKE,
    OPT_SINGLE_WRITER,
    OPT_RELAYED,
    OPT_ANTICIPATED,
    OPT_REPLACE_CORRUPT,
    OPT_CLOCK,
    OPT_EXACT,
    OPT_TYPE,
    OPT_ENCODING,
    OPT_SCHEMA,
    OPT_SCHEMA_ENCODING,
};

static const struct option longs[] = {
    {"frames", required_argument, NULL, 'm'},
    {"count", required_argument, NULL, 'm'}, /* the older name */
    {"size", required_argument, NULL, 'n'},
    {"mode", required_argument, NULL, 'o'},
    {"truncate", no_argument, NULL, 't'},
    {"exist-ok", no_argument, NULL, '1'},
    {"exact", no_argument, NULL, OPT_EXACT},
    {"advertise", no_argument, NULL, 'A'},
    {"port", required_argument, NULL, 'p'},
    {"kernel", no_argument, NULL, 'k'},
    {"user", no_argument, NULL, 'u'},
    {"verbose", no_argument, NULL, 'v'},
    {"timestamps", no_argument, NULL, OPT_TIMESTAMPS},
    {"readonly-wake", no_argument, NULL, OPT_READONLY_WAKE},
    {"single-writer", no_argument, NULL, OPT_SINGLE_WRITER},
    {"relayed", no_argument, NULL, OPT_RELAYED},
    {"anticipated", no_argument, NULL, OPT_ANTICIPATED},
    {"replace-corrupt", no_argument, NULL, OPT_REPLACE_CORRUPT},
    {"clock", required_argument, NULL, OPT_CLOCK},
    {"type", required_argument, NULL, OPT_TYPE},
    {"encoding", required_argument, NULL, OPT_ENCODING},
    {"schema", required_argument, NULL, OPT_SCHEMA},
    {"schema-encoding", required_argument, NULL, OPT_SCHEMA_ENCODING},
    {"include", required_argument, NULL, 'I'},
    {0},
};

static bool set_mode(ach_create_attr_t *attr, const char *text)
{
    mode_t mode;

    if (!parse_mode(text, &mode))
        return bad_value("the mode", text, "octal digits up to 777, for example 660");
    return ach_create_attr_set_mode(attr, mode) == ACH_OK;
}

static bool set_clock(ach_create_attr_t *attr, const char *text)
{
    clockid_t clock;

    if (!parse_clock(text, &clock))
        return bad_value("the clock", text, "monotonic, realtime, boottime, tai or monotonic-raw");
    return ach_create_attr_set_clock(attr, clock) == ACH_OK;
}

static bool set_number(size_t *out, const char *what, const char *text)
{
    errno = 0;
    return (parse_size(text, out) && *out > 0) ||
           bad_value(what, text, "a number from 1 on, for example 10, 64K or 2M");
}

/* A word of the type; they are checked together later. */
static bool set_word(const char **word)
{
    *word = optarg;
    return true;
}

/* Apply one option. */
static bool mk_apply(struct mk_options *o, int c)
{
    switch (c) {
    case 'm':
        o->asked.count = true;
        return set_number(&o->count, "the number of messages", optarg);
    case 'n':
        o->asked.size = true;
        return set_number(&o->size, "the size", optarg);
    case 'o':
        return set_mode(&o->attr, optarg);
    case OPT_CLOCK:
        o->asked.clock = optarg;
        return set_clock(&o->attr, optarg);
    case 't':
        o->truncate = true;
        return ach_create_attr_set_truncate(&o->attr, 1) == ACH_OK;
    case 'k':
    case 'u':
        o->asked.map = c == 'k' ? ACH_MAP_KERNEL : ACH_MAP_USER;
        return ach_create_attr_set_map(&o->attr, o->asked.map) == ACH_OK;
    case OPT_TIMESTAMPS:
        o->asked.timestamps = true;
        return ach_create_attr_set_timestamps(&o->attr, 1) == ACH_OK;
    case OPT_READONLY_WAKE:
        o->asked.readonly_wake = true;
        return ach_create_attr_set_readonly_wake(&o->attr, 1) == ACH_OK;
    case OPT_SINGLE_WRITER:
        o->asked.single_writer = true;
        return ach_create_attr_set_single_writer(&o->attr, 1) == ACH_OK;
    case OPT_RELAYED:
        o->asked.relayed = true;
        return ach_create_attr_set_relayed(&o->attr, 1) == ACH_OK;
    case OPT_ANTICIPATED:
        o->asked.anticipated = true;
        return ach_create_attr_set_anticipated(&o->attr, 1) == ACH_OK;
    case OPT_REPLACE_CORRUPT:
        return ach_create_attr_set_replace_corrupt(&o->attr, 1) == ACH_OK;
    case OPT_EXACT:
        o->exact = true;
        return o->exist_ok = true;
    case OPT_TYPE:
        return set_word(&o->words.name);
    case OPT_ENCODING:
        return set_word(&o->words.encoding);
    case OPT_SCHEMA:
        return set_word(&o->words.file);
    case OPT_SCHEMA_ENCODING:
        return set_word(&o->words.schema_encoding);
    case 'I':
        return type_include(&o->words, optarg);
    case '1':
        return o->exist_ok = true;
    case 'v':
        return o->verbose = true;
    case 'A':
    case 'a': /* Ach 2 */
        return o->advertise = true;
    case 'p': /* Ach 2: achd advertises the port where it serves */
        return true;
    default:
        usage_hint();
        return false;
    }
}

/* Never advise to replace a channel of another layout: programs of another release may use it. */
static const char *remedy(const char *name, enum ach_status status)
{
    char path[PATH_MAX];
    struct stat st;

    /* rename() replaces anything but a directory. */
    if (channel_path(name, ACH_MAP_USER, path) && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return "remove it, or rename it";
    if (status == ACH_BAD_HEADER)
        return "end the programs that use it, then remove it: ach rm";
    return "--replace-corrupt replaces it";
}

struct difference {
    char text[256];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void differ(struct difference *d, const char *format,
                                                         ...)
{
    va_list ap;

    d->length += (size_t)snprintf(d->text + d->length, sizeof(d->text) - d->length, "%s",
                                  d->length ? ", " : "");
    va_start(ap, format);
    d->length += (size_t)vsnprintf(d->text + d->length, sizeof(d->text) - d->length, format, ap);
    va_end(ap);
}

/* List the attributes in which the existing channel differs. */
static void mk_compare(const struct mk_options *o, const ach_info_t *have, struct difference *d)
{
    const struct mk_asked *a = &o->asked;
    clockid_t clock;

    if (a->count && o->count != have->frame_cnt)
        differ(d, "%llu frames, not %zu", (unsigned long long)have->frame_cnt, o->count);
    if (a->size && o->size != have->frame_size)
        differ(d, "size %llu, not %zu", (unsigned long long)have->frame_size, o->size);
    if (a->map != ACH_MAP_DEFAULT && a->map != have->map)
        differ(d, "kind %s", kind_text(have->map));
    if (a->clock && parse_clock(a->clock, &clock) && clock != have->clock)
        differ(d, "clock %s", clock_name(have->clock) ? clock_name(have->clock) : "other");
    if (a->timestamps && !have->timestamps)
        differ(d, "no timestamps");
    if (a->readonly_wake && !have->readonly_wake)
        differ(d, "no read-only wake");
    if (a->single_writer && !have->single_writer)
        differ(d, "many writers");
    if (a->relayed && !have->relayed)
        differ(d, "no origins");
    if (a->anticipated && !have->anticipated)
        differ(d, "not anticipated");
    if (o->exact && o->attr.set_mode && o->attr.mode != have->mode)
        differ(d, "mode %03o", (unsigned)have->mode);
}

static void compare_type(const struct mk_options *o, const ach_channel_t *chan,
                         struct difference *d)
{
    const ach_channel_type_t *type;

    if (!o->attr.type)
        return;
    if (ach_channel_type(chan, &type) != ACH_OK)
        differ(d, "no type");
    else if (strcmp(type->name, o->type.name) != 0)
        differ(d, "type %.64s", type->name);
    else if (ach_channel_type_hash(type) != ach_channel_type_hash(&o->type))
        differ(d, "another schema of type %.64s", type->name);
}

/* With --exist-ok or --exact: compare the existing channel with the options. */
static int judge(const struct mk_options *o, const char *name, ach_channel_t *chan)
{
    struct difference d = {0};
    ach_info_t have;

    if (!channel_info(chan, name, &have))
        return EXIT_FAILED;
    if (!o->exact && o->attr.set_mode && o->attr.mode != have.mode &&
        ach_chmod(chan, o->attr.mode) != ACH_OK)
        return fail_errstr();
    mk_compare(o, &have, &d);
    compare_type(o, chan, &d);
    if (d.length) {
        complain("%schannel '%s' exists and differs: it has %s", o->exact ? "" : "warning: ", name,
                 d.text);
        return o->exact ? EXIT_DIFFERS : EXIT_OK;
    }
    if (o->verbose)
        fprintf(stderr, "channel '%s' exists already\n", name);
    return EXIT_OK;
}

/* The name exists: no error if --exist-ok or --exact was given and it is a channel. */
static int exists(const struct mk_options *o, const char *name)
{
    char why[256];
    ach_channel_t chan;
    ach_attr_t attr;
    enum ach_status r;
    int status = EXIT_FAILED;

    snprintf(why, sizeof(why), "%s", ach_errstr());
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    r = ach_open(&chan, name, &attr);
    if (r == ACH_BAD_SHM_FILE || r == ACH_BAD_HEADER || r == ACH_CORRUPT) {
        complain("%s; %s", ach_errstr(), remedy(name, r));
        return EXIT_FAILED;
    }
    if (!o->exist_ok)
        complain("%s", why);
    else if (r == ACH_OK)
        status = judge(o, name, &chan);
    else if (o->exact)
        complain("%s", ach_errstr());
    else
        status = EXIT_OK; /* a channel that we may not read */
    if (r == ACH_OK)
        ach_close(&chan);
    return status;
}

static int make(const struct mk_options *o, const char *name)
{
    ach_create_attr_t attr = o->attr;
    enum ach_status r = ach_create(name, o->count, o->size, &attr);

    if (r == ACH_EEXIST)
        return exists(o, name);
    if (r != ACH_OK)
        return fail_errstr();
    if (o->verbose)
        fprintf(stderr, "created channel '%s': %zu messages of %zu bytes\n", name, o->count,
                o->size);
    return EXIT_OK;
}

/* A schema that the tools cannot use is probably a mistake, but other programs may know better. */
static void warn_about_schema(const ach_channel_type_t *type)
{
    struct value_codec codec;
    enum ach_status status = value_codec_open(&codec, type);

    if (status == ACH_EINVAL)
        complain("warning: messages of type '%s' will not be decoded: %s", type->name,
                 ach_errstr());
    value_codec_close(&codec);
}

/* An exit status, after complaining if it failed. */
static int mk_type(struct mk_options *o)
{
    const struct type_words *w = &o->words;
    int status;

    if (!w->name && !w->encoding && !w->file && !w->schema_encoding)
        return EXIT_OK;
    status = type_read(w, &o->type);
    if (status == EXIT_OK) {
        warn_about_schema(&o->type);
        ach_create_attr_set_type(&o->attr, &o->type);
    }
    return status;
}

static int mk_run(int argc, char **argv)
{
    struct mk_options o = {.count = ACH_DEFAULT_FRAME_COUNT, .size = ACH_DEFAULT_FRAME_SIZE};
    int c, status = EXIT_OK;

    ach_create_attr_init(&o.attr);
    while ((c = getopt_long(argc, argv, "m:n:o:p:t1AaI:kuv", longs, NULL)) != -1) {
        if (!mk_apply(&o, c))
            return EXIT_USAGE;
    }
    if (o.truncate && o.exist_ok)
        return usage("--truncate and %s do not go together", o.exact ? "--exact" : "--exist-ok");
    if (optind == argc)
        return usage("name a channel");
    status = mk_type(&o);
    if (status != EXIT_OK)
        return status;
    for (; optind < argc; optind++) {
        int made = make(&o, argv[optind]);

        if (made == EXIT_OK && o.advertise && advertised_set(argv[optind]) != ACH_OK)
            made = fail_errstr();

        if (made != EXIT_OK && status != EXIT_FAILED)
            status = made;
    }
    free((void *)o.type.schema);
    return status;
}

const struct verb verb_mk = {
    .name = "mk",
    .group = "Create and remove channels",
    .aliases = {"create", "make"},
    .summary = "create channels",
    .help =
        "Usage: ach mk [OPTION ...] CHANNEL ...\n\n"
        "Create channels. A message may be as large as frames times size.\n\n"
        "Options:\n"
        "  -m, --frames N         keep at most N messages (16)\n"
        "  -n, --size BYTES       nominal size of a message (512); K, M and G may follow\n"
        "  -o, --mode OCTAL       permissions, for example 660; default: 666 minus the umask\n"
        "  -t, --truncate         replace an existing channel; its messages are lost\n"
        "  -1, --exist-ok         accept an existing channel; only its mode is changed, if given;\n"
        "                         a warning lists how it differs from what was requested\n"
        "      --exact            accept it and change nothing; exit with status 3 if it differs\n"
        "      --replace-corrupt  replace an existing file that is not a usable channel\n"
        "      --timestamps       stamp each message with the time of its put\n"
        "      --clock NAME       clock of timeouts and stamps: monotonic (default), realtime,\n"
        "                         boottime, tai, monotonic-raw\n"
        "      --readonly-wake    wake subscribers that may only read, so that they need not poll\n"
        "      --single-writer    only the holder of the source lock may put\n"
        "      --relayed          messages can carry their origin, for programs that copy them\n"
        "      --anticipated      receivers that anticipate spare puts the system call\n"
        "      --type NAME        what the messages are, for example geometry_msgs/msg/Twist\n"
        "      --schema FILE      describes the messages; its ending tells the encodings: .msg, "
        ".json,\n"
        "                         .fds or .desc (a descriptor set of protoc)\n"
        "  -I, --include DIR      where to find the definitions that a .msg uses: "
        "DIR/package/msg/Name.msg\n"
        "      --encoding NAME    of the messages: cdr, protobuf, json, ...\n"
        "      --schema-encoding NAME  of the schema: ros2msg, protobuf, jsonschema, ...\n"
        "  -u, --user             in shared memory (default)\n"
        "  -k, --kernel           in the kernel module\n"
        "  -A, --advertise        advertise the channel in the network, as ach adv does; also -a\n"
        "  -p, --port PORT        accepted for Ach 2: achd advertises the port where it serves\n"
        "  -v, --verbose          print what was created\n"
        "  -h, --help             print this help\n\n"
        "Examples:\n"
        "  ach mk imu\n"
        "  ach mk -1 -m 10 -n 3000 state command\n"
        "  ach mk --exact --size 64 --timestamps imu || echo 'imu is another channel'\n"
        "  ach mk --type geometry_msgs/msg/Twist --schema Twist.msg --size 48 cmd_vel\n"
        "  ach mk --mode 644 --readonly-wake --timestamps --frames 4 --size 2M camera\n",
    .run = mk_run,
};
