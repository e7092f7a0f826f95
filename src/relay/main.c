/* SPDX-License-Identifier: BSD-3-Clause */
/* achd - relay channels between machines */
#include <ach.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "announce.h"
#include "daemon.h"
#include "filelimit.h"
#include "log.h"
#include "options.h"
#include "parse.h"
#include "streams.h"

enum {
    OPTION_BIND = 256,
    OPTION_INSECURE,
    OPTION_CREATE,
    OPTION_ALL,
    OPTION_PRIORITY,
    OPTION_MAX_AGE,
    OPTION_RATE,
    OPTION_SILENCE,
    OPTION_METRICS,
    OPTION_ADVERTISE,
    OPTION_NO_ADVERTISE,
    OPTION_TLS,
    OPTION_ALLOW,
    OPTION_LIMIT,
    OPTION_USER,
    OPTION_ANTICIPATE
};

static const struct option long_options[] = {
    {"port", required_argument, NULL, 'p'},
    {"bind", required_argument, NULL, OPTION_BIND},
    {"tls", required_argument, NULL, OPTION_TLS},
    {"allow", required_argument, NULL, OPTION_ALLOW},
    {"insecure", no_argument, NULL, OPTION_INSECURE},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"user", required_argument, NULL, OPTION_USER},
    {"create", required_argument, NULL, OPTION_CREATE},
    {"transport", required_argument, NULL, 't'},
    {"remote", required_argument, NULL, 'z'},
    {"last", no_argument, NULL, 'l'},
    {"all", no_argument, NULL, OPTION_ALL},
    {"period", required_argument, NULL, 'u'},
    {"priority", required_argument, NULL, OPTION_PRIORITY},
    {"max-age", required_argument, NULL, OPTION_MAX_AGE},
    {"rate", required_argument, NULL, OPTION_RATE},
    {"silence", required_argument, NULL, OPTION_SILENCE},
    {"metrics", required_argument, NULL, OPTION_METRICS},
    {"anticipate", required_argument, NULL, OPTION_ANTICIPATE},
    {"advertise", required_argument, NULL, OPTION_ADVERTISE},
    {"no-advertise", no_argument, NULL, OPTION_NO_ADVERTISE},
    {"reconnect", no_argument, NULL, 'r'},
    {"detach", no_argument, NULL, 'd'},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {0}};

/* Words for the flow of push and pull, in the order of the command line. */
#define WORDS_MAX 32

struct achd_arguments {
    struct relay_settings settings;
    char words[WORDS_MAX][RELAY_WIRE_TEXT];
    unsigned n_words;
    bool detach;
    bool lists; /* --allow or --limit */
    int level;
};

static void achd_print_help(void)
{
    puts(
        "Usage: achd [OPTION]... serve\n"
        "       achd [OPTION]... push|pull HOST CHANNEL\n"
        "       achd [OPTION]... run FILE\n"
        "Relay channels between machines.\n"
        "\n"
        "  serve               let others push and pull channels of this machine\n"
        "  push HOST CHANNEL   send the channel to HOST, where achd serves\n"
        "  pull HOST CHANNEL   get the channel from HOST\n"
        "  run FILE            do what FILE says, see achd(1)\n"
        "\n"
        "  -p, --port PORT         the port to serve at, or of HOST (8076)\n"
        "      --bind ADDRESS      the address to serve at (127.0.0.1)\n"
        "      --tls DIR           only peers with keys of the same authority, by TLS; see ach\n"
        "                          keys. Default: ACH_KEYS. SIGHUP reads the directory again\n"
        "      --allow RULE        'PEER read|write|both CHANNEL...': channels that a peer may\n"
        "                          pull (read) and push (write); names may be patterns. With\n"
        "                          TLS nothing else is allowed\n"
        "      --insecure          allow addresses other than loopback, without encryption\n"
        "      --create PATTERN    peers may create channels whose names match; the default is\n"
        "                          '*', with --insecure none\n"
        "      --limit LIMIT       NAME=N for connections, peer-connections, handshakes, flows,\n"
        "                          message, memory, channel, created or rate; see achd(1)\n"
        "      --user NAME         become this user when the port is open\n"
        "      --advertise PATTERN advertise channels whose names match, besides those of ach adv\n"
        "      --no-advertise      do not advertise this achd and its channels in the network\n"
        "  -z, --remote NAME       the name of the channel at HOST\n"
        "      --all               send every message; if the network is too slow, they get old\n"
        "  -l, --last              send the newest message, skip others (default)\n"
        "  -u, --period N          microseconds from one message to the next, at least\n"
        "      --rate BYTES        bytes per second at most, as 100K or 2M\n"
        "      --priority N        from 0 to 7 (4); 7 is most urgent\n"
        "      --max-age SECONDS   never put a message that is older; needs timestamps\n"
        "      --anticipate PERCENT\n"
        "                          be awake when a periodic message comes; takes at most so\n"
        "                          much of a processor (2); 0: never\n"
        "      --silence SECONDS   give up a connection that is silent so long (30)\n"
        "      --metrics PORT      figures for Prometheus at http://127.0.0.1:PORT/metrics\n"
        "  -t, --transport NAME    tcp (default); sctp, where the kernel has it, on both sides;\n"
        "                          or udp: messages in datagrams, which may be lost, but never\n"
        "                          wait for others\n"
        "  -r, --reconnect         as always: connect again when a connection is lost\n"
        "  -d, --detach            run in the background, write messages to the system log\n"
        "  -q, --quiet             write only errors\n"
        "  -v, --verbose           write more\n"
        "  -h, --help              print this help\n"
        "  -V, --version           print the version\n"
        "\n"
        "Examples:\n"
        "  achd --tls keys --bind 0.0.0.0 --allow 'laptop read state' serve    on the robot\n"
        "  achd --tls keys pull robot state        newest state of the robot, here\n"
        "  achd push localhost command --max-age 0.1   commands, never old ones\n"
        "  ach relay status                        what is relayed, and how well");
}

static bool add_word(struct achd_arguments *a, const char *name, const char *value)
{
    if (a->n_words == WORDS_MAX) {
        relay_log_error("too many options");
        return false;
    }
    snprintf(a->words[a->n_words++], RELAY_WIRE_TEXT, "%s%s", name, value);
    return true;
}

static bool refuse_argument(const char *what)
{
    relay_log_error("%s, not '%s'", what, optarg);
    return false;
}

static bool set_period(struct achd_arguments *a)
{
    uint64_t us;
    char seconds[32];

    if (!parse_count(optarg, 1, 1000000000000u, &us))
        return refuse_argument("the period must be a number of microseconds");
    snprintf(seconds, sizeof(seconds), "%llu.%06llu", (unsigned long long)us / 1000000,
             (unsigned long long)us % 1000000);
    return add_word(a, "period=", seconds);
}

static bool set_port(struct achd_arguments *a)
{
    uint64_t port;

    if (!parse_count(optarg, 0, UINT16_MAX, &port))
        return refuse_argument("the port must be a number from 0 to 65535");
    a->settings.port = (unsigned)port;
    return true;
}

static bool set_transport(struct achd_arguments *a)
{
    if (strcmp(optarg, "udp") == 0)
        return add_word(a, "udp", "");
    a->settings.sctp = strcmp(optarg, "sctp") == 0;
    return a->settings.sctp || strcmp(optarg, "tcp") == 0 ||
           refuse_argument("the transport must be tcp, udp or sctp");
}

static bool set_silence(struct achd_arguments *a)
{
    double seconds;

    if (!parse_seconds(optarg, &seconds))
        return refuse_argument("the silence must be " SECONDS_WANTED);
    a->settings.silence = (uint64_t)(seconds * 1e9);
    return true;
}

static bool explained(bool good)
{
    if (!good)
        relay_log_error("%s", ach_errstr());
    return good;
}

static bool set_rule(struct achd_arguments *a)
{
    char *words = strdup(optarg);
    bool good = words && relay_access_add(&a->settings.rules, words);

    a->lists = true;
    free(words);
    return explained(good);
}

static bool set_flow_option(struct achd_arguments *a, int option)
{
    switch (option) {
    case 'z':
        return add_word(a, "remote=", optarg);
    case 'l':
        return add_word(a, "newest", "");
    case OPTION_ALL:
        return add_word(a, "all", "");
    case 'u':
        return set_period(a);
    case OPTION_PRIORITY:
        return add_word(a, "priority=", optarg);
    case OPTION_MAX_AGE:
        return add_word(a, "max-age=", optarg);
    case OPTION_RATE:
        return add_word(a, "rate=", optarg);
    default:
        return false;
    }
}

static bool set_option(void *cx, int option)
{
    struct achd_arguments *a = cx;

    switch (option) {
    case 'p':
        return set_port(a);
    case OPTION_BIND:
        snprintf(a->settings.listen, sizeof(a->settings.listen), "%s", optarg);
        return true;
    case OPTION_INSECURE:
        return a->settings.insecure = true;
    case OPTION_TLS:
        return explained(relay_settings_path(a->settings.keys, optarg));
    case OPTION_ALLOW:
        return set_rule(a);
    case OPTION_LIMIT:
        a->lists = true;
        return explained(relay_settings_limit(&a->settings, optarg));
    case OPTION_USER:
        snprintf(a->settings.user, sizeof(a->settings.user), "%s", optarg);
        return true;
    case OPTION_CREATE:
        snprintf(a->settings.create, sizeof(a->settings.create), "%s", optarg);
        return a->settings.creates = true;
    case OPTION_SILENCE:
        return set_silence(a);
    case OPTION_METRICS:
        return explained(relay_settings_metrics(&a->settings, optarg));
    case OPTION_ANTICIPATE:
        return explained(relay_settings_anticipate(&a->settings, optarg));
    case OPTION_ADVERTISE:
        snprintf(a->settings.advertise, sizeof(a->settings.advertise), "%s", optarg);
        return true;
    case OPTION_NO_ADVERTISE:
        return a->settings.hidden = true;
    case 't':
        return set_transport(a);
    case 'r':
        return true;
    case 'd':
        return a->detach = true;
    case 'q':
        a->level--;
        return true;
    case 'v':
        a->level++;
        return true;
    default:
        return set_flow_option(a, option);
    }
}

static int usage(const char *why, const char *word)
{
    relay_log_error("%s%s. See achd --help", why, word);
    return EXIT_USAGE;
}

static int bad_setting(void)
{
    explained(false);
    return EXIT_USAGE;
}

static int parse_flow(struct achd_arguments *a, bool push, char **operands)
{
    struct relay_flow_setting *f =
        relay_settings_flow(&a->settings, push, operands[0], operands[1]);
    unsigned i;

    if (!f)
        return bad_setting();
    for (i = 0; i < a->n_words; i++)
        if (!relay_settings_word(f, a->words[i]))
            return bad_setting();
    return -1;
}

/* Ach 2 took the words in any case. */
static int parse_operands(struct achd_arguments *a, int n, char **operands)
{
    const char *verb = n ? operands[0] : "";

    if (n == 1 && strcasecmp(verb, "serve") == 0) {
        a->settings.listens = true;
        a->settings.listen_port = a->settings.port;
        return -1;
    }
    if (n == 3 && (strcasecmp(verb, "push") == 0 || strcasecmp(verb, "pull") == 0))
        return parse_flow(a, (verb[2] | 0x20) == 's', operands + 1);
    if (n == 2 && strcmp(verb, "run") == 0 && a->lists)
        return usage("write allow and limit into the file, which SIGHUP reads again", "");
    if (n == 2 && strcmp(verb, "run") == 0)
        return relay_settings_read(&a->settings, operands[1]) ? -1 : bad_setting();
    return usage("expected serve, push HOST CHANNEL, pull HOST CHANNEL, or run FILE", "");
}

/*
 * Go on in a child, without a terminal. The parent exits when the child has begun, which it learns
 * from the descriptor that the child returns with; or with 1 if the child has failed. -1: no child.
 */
static int achd_fork(void)
{
    int ends[2];
    char begun;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        setsid();
        return chdir("/") == 0 ? ends[1] : -1;
    }
    close(ends[1]);
    if (pid > 0)
        _exit(read(ends[0], &begun, 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
    close(ends[0]);
    return -1;
}

/* The child has begun. */
static void achd_detach(int parent)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (write(parent, "", 1) < 0)
        relay_log_error("cannot tell that it has begun: %s", strerror(errno));
    close(parent);
    relay_log_to_system();
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
}

static void achd_announce(const struct achd_arguments *arguments, const struct relay_daemon *d)
{
    const struct relay_settings *s = &arguments->settings;
    struct tls_info keys;
    struct relay_announce a = {.version = ACH_RELAY_VERSION,
                               .host = d->host.name,
                               .transport = "tcp",
                               .pattern = *s->advertise ? s->advertise : NULL,
                               .listener = d->listener.fd,
                               .port = d->port,
                               .level = arguments->level,
                               .system_log = arguments->detach};

    if (*s->keys) {
        d->secure.tls->context_info(d->secure.context, &keys);
        a.host = keys.name;
        a.transport = "tls";
    }
    if (s->listens && !s->hidden)
        relay_announce_start(&a);
}

static int achd_run(struct achd_arguments *a)
{
    struct relay_daemon d;
    int status = EXIT_FAILURE, parent = -1;

    filelimit_raise(0);
    ach_handle_sigbus();
    if (a->detach)
        parent = achd_fork();
    if (a->detach && parent < 0) {
        relay_log_error("cannot detach: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    if (relay_daemon_init(&d, &a->settings)) {
        if (d.port)
            relay_log_note("serving at %s port %u", a->settings.listen, d.port);
        if (a->detach)
            achd_detach(parent);
        achd_announce(a, &d);
        relay_daemon_run(&d);
        status = EXIT_SUCCESS;
    }
    relay_daemon_finish(&d);
    return status;
}

int main(int argc, char **argv)
{
    static const struct options options = {"p:t:z:lu:rdqvhV?", long_options, achd_print_help,
                                           set_option};
    struct achd_arguments a = {0};
    int status;

    if (relay_announce_main(argc, argv))
        return EXIT_SUCCESS;
    streams_init();
    relay_settings_init(&a.settings);
    status = options_parse(&options, "achd", ACH_RELAY_VERSION, argc, argv, &a);
    relay_log_level(a.level);
    if (status < 0)
        status = parse_operands(&a, argc - optind, argv + optind);
    if (status < 0 && !relay_settings_check(&a.settings))
        status = bad_setting();
    if (status < 0)
        status = achd_run(&a);
    relay_settings_finish(&a.settings);
    return streams_finish() || status ? status : EXIT_FAILURE;
}
