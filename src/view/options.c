/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <arpa/inet.h>
#include <fnmatch.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

#include "complain.h"
#include "gate.h"
#include "parse.h"
#include "suggest.h"

#define CLIENTS 64u
#define QUEUE ((size_t)8 << 20)
#define QUEUE_LEAST ((size_t)64 << 10)

enum {
    HOST = 1000,
    ORIGIN,
    WRITE,
    DRIVE,
    BIND,
    INSECURE,
    CLIENTS_MAX,
    QUEUE_MAX,
};

static const struct option options_longs[] = {
    {"port", required_argument, NULL, 'p'},
    {"host", required_argument, NULL, HOST},
    {"origin", required_argument, NULL, ORIGIN},
    {"write", required_argument, NULL, WRITE},
    {"drive", no_argument, NULL, DRIVE},
    {"bind", required_argument, NULL, BIND},
    {"insecure-network", no_argument, NULL, INSECURE},
    {"clients", required_argument, NULL, CLIENTS_MAX},
    {"queue", required_argument, NULL, QUEUE_MAX},
    {0},
};

static bool options_wrong(const char *option, const char *wanted)
{
    view_complain("%s: '%s' is wrong: it must be %s", option, optarg, wanted);
    return false;
}

static bool options_add(struct view_words *words, const char *option, bool good, const char *wanted)
{
    if (!good)
        return options_wrong(option, wanted);
    if (words->count == VIEW_WORDS_MAX) {
        view_complain("%s: at most %u are possible", option, VIEW_WORDS_MAX);
        return false;
    }
    words->at[words->count++] = optarg;
    return true;
}

static bool options_number(const char *option, uint64_t least, uint64_t most, unsigned *out,
                           const char *wanted)
{
    uint64_t n;

    if (!parse_count(optarg, least, most, &n))
        return options_wrong(option, wanted);
    *out = (unsigned)n;
    return true;
}

static bool options_queue(struct view_options *o)
{
    return (parse_size(optarg, &o->queue) && o->queue >= QUEUE_LEAST) ||
           options_wrong("--queue", "a size of at least 64K");
}

static bool options_set(struct view_options *o, int c)
{
    switch (c) {
    case 'p':
        return options_number("--port", 0, 65535, &o->port, "a port from 0 to 65535; 0: any");
    case HOST:
        return options_add(&o->hosts, "--host", view_gate_is_host(optarg),
                           "a name or an address, without a port");
    case ORIGIN:
        return options_add(&o->origins, "--origin", view_gate_is_origin(optarg),
                           "as https://app.foxglove.dev");
    case WRITE:
        return options_add(&o->write, "--write", *optarg, "a pattern of channels");
    case DRIVE:
        return o->drive = true;
    case BIND:
        o->bind = optarg;
        return true;
    case INSECURE:
        return o->insecure = true;
    case CLIENTS_MAX:
        return options_number("--clients", 1, 1024, &o->clients, "a number from 1 to 1024");
    case QUEUE_MAX:
        return options_queue(o);
    default:
        return false;
    }
}

static bool options_ends(const char *word, const char *end)
{
    size_t n = strlen(word), m = strlen(end);

    return n > m && strcmp(word + n - m, end) == 0;
}

/* Files of other formats are told to be such, not taken for patterns that no channel fits. */
static bool options_is_file(const char *word)
{
    struct stat st;

    if (strchr(word, '/') || options_ends(word, ".mcap"))
        return true;
    return (options_ends(word, ".achlog") || options_ends(word, ".gz") ||
            options_ends(word, ".log")) &&
           stat(word, &st) == 0 && S_ISREG(st.st_mode);
}

static bool options_operands(struct view_options *o, char **words, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (options_is_file(words[i]))
            o->file = words[i];
    if (o->file)
        o->file_name = strrchr(o->file, '/') ? strrchr(o->file, '/') + 1 : o->file;
    if (o->file && n > 1) {
        view_complain("a recording stands alone: give one file, or patterns of channels");
        return false;
    }
    if (o->file && o->drive) {
        view_complain("--drive: a recording has nothing to drive");
        return false;
    }
    o->patterns = (const char *const *)words;
    o->npatterns = o->file ? 0 : n;
    return true;
}

static bool options_is_loopback(const char *address)
{
    struct in6_addr v6;
    struct in_addr v4;

    return (inet_pton(AF_INET, address, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127) ||
           (inet_pton(AF_INET6, address, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6));
}

static bool options_bind(const struct view_options *o)
{
    struct in6_addr any;

    if (o->bind && inet_pton(AF_INET, o->bind, &any) != 1 &&
        inet_pton(AF_INET6, o->bind, &any) != 1) {
        view_complain("--bind %s: give an address of this machine in numbers", o->bind);
        return false;
    }
    if (!o->bind || o->insecure || options_is_loopback(o->bind))
        return true;
    view_complain("--bind %s: there is no encryption, so everybody in the network could read the "
                  "token. Use a tunnel instead: ssh -L %u:localhost:%u robot. In a network where "
                  "all are trusted, add --insecure-network",
                  o->bind, o->port, o->port);
    return false;
}

bool view_options_parse(int argc, char **argv, struct view_options *o)
{
    int c;

    *o = (struct view_options){.port = VIEW_PORT, .clients = CLIENTS, .queue = QUEUE};
    while ((c = getopt_long(argc, argv, "p:", options_longs, NULL)) != -1) {
        if (c == '?') {
            view_complain("see 'ach view --help'");
            return false;
        }
        if (!options_set(o, c))
            return false;
    }
    return options_bind(o) && options_operands(o, argv + optind, (size_t)(argc - optind));
}

bool view_words_match(const struct view_words *words, const char *name)
{
    size_t i;

    for (i = 0; i < words->count; i++)
        if (fnmatch(words->at[i], name, 0) == 0)
            return true;
    return false;
}
