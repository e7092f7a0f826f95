/* SPDX-License-Identifier: BSD-3-Clause */
/* ach serve - run the devices of a robot */
#include <ach/channel.h>
#include <ach/drivers.h>
#include <ach/tcp.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "device_advertise.h"
#include "filelimit.h"
#include "parse.h"

#define SERVERS_MAX 32u

/* Seconds after which some driver should have advanced a simulated clock. */
#define CLOCK_SECONDS 5

/* A running server of one transport. */
struct server {
    const ach_transport_class_t *transport;
    void *running;
};

struct serve {
    const char *file;
    const char *bind; /* NULL: as in the config file */
    const char *keys; /* NULL: as in the config file */
    ach_robot_attr_t attr;
    ach_config_t *config;
    ach_robot_t *robot;
    bool no_tcp, no_channels, advertise;
    struct mdns_mdns *mdns;
    struct server servers[SERVERS_MAX];
    size_t n_servers;
};

static void serve_log_line(void *context, enum ach_log level, const char *line)
{
    static const char *const words[] = {"error: ", "warning: ", "", ""};

    (void)context;
    complain("%s%s", words[level], line);
}

static bool serve_parse(struct serve *s, int argc, char **argv)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'},
        {"bind", required_argument, NULL, 'b'},
        {"no-tcp", no_argument, NULL, 'T'},
        {"no-channels", no_argument, NULL, 'C'},
        {"simulated", no_argument, NULL, 's'},
        {"verbose", no_argument, NULL, 'v'},
        {"quiet", no_argument, NULL, 'q'},
        {"advertise", no_argument, NULL, 'A'},
        {"strict", no_argument, NULL, 'S'},
        {"tls", required_argument, NULL, 'K'},
        {0},
    };
    uint64_t number;
    int c;

    while ((c = getopt_long(argc, argv, "p:svqA", options, NULL)) != -1) {
        switch (c) {
        case 'p':
            if (!parse_count(optarg, 1, 65535, &number))
                return bad_value("--port", optarg, "a port from 1 to 65535");
            s->attr.robot = (uint32_t)number;
            break;
        case 'b':
            s->bind = optarg;
            break;
        case 'K':
            s->keys = optarg;
            break;
        case 'T':
            s->no_tcp = true;
            break;
        case 'C':
            s->no_channels = true;
            break;
        case 'A':
            s->advertise = true;
            break;
        case 's':
            s->attr.simulated = 1;
            break;
        case 'S':
            s->attr.strict = 1;
            break;
        case 'v':
            s->attr.level = ACH_LOG_DEBUG;
            break;
        case 'q':
            s->attr.level = ACH_LOG_ERROR;
            break;
        default:
            usage_hint();
            return false;
        }
    }
    if (argc - optind != 1) {
        usage("give one config file");
        return false;
    }
    if ((s->bind || s->keys) && s->no_tcp) {
        usage("%s and --no-tcp exclude each other", s->bind ? "--bind" : "--tls");
        return false;
    }
    s->file = argv[optind];
    return true;
}

static bool serve_build(struct serve *s)
{
    if (ach_config_load(s->file, &s->config) != ACH_OK) {
        complain_lines(ach_config_errors(NULL));
        return false;
    }
    if (ach_robot_create(&s->attr, &s->robot) != ACH_OK || ach_drivers_add(s->robot) != ACH_OK) {
        fail_errstr();
        return false;
    }
    ach_transport_add(&ach_transport_channel); /* first: TCP grants what its files permit */
    ach_transport_add(&ach_transport_tcp);
    ach_transport_add(&ach_transport_tls);
    return ach_robot_load_config(s->robot, s->config) == ACH_OK;
}

/* Report why a server failed to start, and which options help. */
static void not_served(const struct serve *s, const ach_transport_class_t *t, ach_status_t status)
{
    complain_lines(ach_config_errors(s->config));
    fail_errstr();
    if (t == &ach_transport_channel && status == ACH_EEXIST)
        complain("use --port for another number, or --no-channels");
}

static bool start_server(struct serve *s, const ach_transport_class_t *t, ach_section_t *options)
{
    struct server *server = &s->servers[s->n_servers];
    ach_status_t status;

    if (s->n_servers == SERVERS_MAX) {
        complain("more than %u transports", SERVERS_MAX);
        return false;
    }
    if (t == &ach_transport_tcp)
        status = ach_tcp_serve(s->robot, options, s->bind, s->keys, &server->running);
    else
        status = t->serve(s->robot, options, &server->running);
    if (status != ACH_OK) {
        not_served(s, t, status);
        return false;
    }
    server->transport = t;
    s->n_servers++;
    return true;
}

/* TCP and channels unless disabled; other transports if the file has a section for them. */
static bool serve_wanted(const struct serve *s, const ach_transport_class_t *t,
                         const ach_section_t *options)
{
    if (t == &ach_transport_tcp)
        return !s->no_tcp;
    if (t == &ach_transport_channel)
        return !s->no_channels;
    return options && t->serve;
}

/* The TCP server; NULL: there is none. */
static void *tcp_server(const struct serve *s)
{
    size_t i;

    for (i = 0; i < s->n_servers; i++)
        if (s->servers[i].transport == &ach_transport_tcp)
            return s->servers[i].running;
    return NULL;
}

/* Failing to advertise is not fatal: the devices can be used without. */
static void advertise(struct serve *s)
{
    ach_section_t *options = ach_section_next(ach_config_root(s->config), "tcp", NULL);
    const void *server = tcp_server(s);
    unsigned interface = 0;

    if (options)
        s->advertise |= ach_section_bool(options, "advertise", false);
    if (!s->advertise)
        return;
    if (!server || !ach_tcp_reach(server, &interface))
        complain("warning: the devices are not advertised: nobody in the network can reach them");
    else if (device_advertise(s->robot, ach_tcp_port(server), interface, &s->mdns) != ACH_OK)
        complain("warning: the devices are not advertised: %s", ach_errstr());
}

/* Warn if the file with the TCP secret is world-readable. */
static void warn_secret(const struct serve *s)
{
    ach_section_t *tcp = ach_section_next(ach_config_root(s->config), "tcp", NULL);
    struct stat file;

    if (tcp && !s->no_tcp && ach_section_has(tcp, "secret") &&
        stat(ach_section_file(tcp), &file) == 0 && file.st_mode & S_IROTH)
        complain("warning: the secret is in %s, which all users of this machine may read",
                 ach_section_file(tcp));
}

/* Check the address before drivers are set up, which may take long or move hardware. */
static bool check_address(const struct serve *s)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST};
    ach_section_t *tcp = ach_section_next(ach_config_root(s->config), "tcp", NULL);
    const char *address = s->bind ? s->bind : tcp ? ach_section_string(tcp, "bind", NULL) : NULL;
    struct addrinfo *found;
    int error;

    if (s->no_tcp || !address)
        return true;
    error = getaddrinfo(address, NULL, &hints, &found);
    if (error)
        complain("cannot listen on %s, which is not a numeric address such as 127.0.0.1: %s",
                 address, gai_strerror(error));
    else
        freeaddrinfo(found);
    return !error;
}

static bool start(struct serve *s)
{
    const ach_transport_class_t *t = NULL;

    if (!check_address(s))
        return false;
    if (ach_robot_start(s->robot) != ACH_OK) {
        fail_errstr();
        return false;
    }
    while ((t = ach_transport_next(t))) {
        ach_section_t *options = ach_section_next(ach_config_root(s->config), t->name, NULL);

        if (serve_wanted(s, t, options) && !start_server(s, t, options))
            return false;
    }
    advertise(s);
    warn_secret(s);
    complain_lines(ach_config_warnings(s->config));
    return true;
}

static void finish(struct serve *s)
{
    device_advertise_end(s->mdns);
    while (s->n_servers) {
        struct server *server = &s->servers[--s->n_servers];

        server->transport->end(server->running);
    }
    ach_robot_destroy(s->robot);
    ach_config_destroy(s->config);
}

static void announce(const struct serve *s)
{
    size_t i, n = ach_robot_devices(s->robot, NULL, 0), own = 0;
    ach_device_info_t *devices = calloc(n + 1, sizeof(*devices));
    char text[ACH_ADDRESS_MAX];

    if (!devices)
        return;
    ach_robot_devices(s->robot, devices, n);
    for (i = 0; i < n; i++) {
        own += !devices[i].remote;
        printf("%s%-24s %s\n", devices[i].remote ? "  elsewhere: " : "  ",
               ach_address_text(&devices[i].address, text), devices[i].driver);
    }
    free(devices);
    printf("serving %zu device%s", own, own == 1 ? "" : "s");
    if (tcp_server(s))
        printf(" on port %u", ach_tcp_port(tcp_server(s)));
    putchar('\n');
    fflush(stdout);
}

/* Posted by the first SIGINT, SIGTERM or SIGHUP, and by each SIGHUP that reloads. */
static sem_t signaled;

/* SIGHUP reads the keys again; without TLS it ends the server. */
static atomic_bool hangup_reloads, reload_due, ending;

/* False: the signal ends the server. */
static bool ask_reload(void)
{
    if (!hangup_reloads)
        return false;
    reload_due = true;
    sem_post(&signaled);
    return true;
}

/*
 * A second signal exits at once, without waiting for drivers to be set up or shut down. Signals
 * within 0.3 s count as one: timeout(1) signals both the process and its group.
 */
static void *take_signals(void *signals)
{
    const struct timespec moment = {0, 300000000};
    int which;

    while (sigwait(signals, &which) != 0 || (which == SIGHUP && ask_reload()))
        continue;
    ending = true;
    sem_post(&signaled);
    nanosleep(&moment, NULL);
    while (sigtimedwait(signals, NULL, &(struct timespec){0, 0}) > 0)
        continue;
    while (sigwait(signals, &which) != 0)
        continue;
    _exit(128 + which);
}

/* Block the signals in all threads; one thread receives them with sigwait. */
static bool end_on_signals(void)
{
    static sigset_t signals;
    pthread_t thread;

    sem_init(&signaled, 0, 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (pthread_create(&thread, NULL, take_signals, &signals) == 0)
        return true;
    complain("cannot start a thread for signals");
    return false;
}

/* Read the keys again if SIGHUP asked for that; false: the server ends. */
static bool reload(const struct serve *s)
{
    if (ending)
        return false;
    if (!atomic_exchange(&reload_due, false))
        return true; /* a reload before has served several signals */
    if (ach_tcp_reload(tcp_server(s)) == ACH_OK)
        complain("the keys are read again");
    else
        complain("warning: the keys are not read again, the old ones stay: %s", ach_errstr());
    return true;
}

/* False: no signal arrived within that time. */
static bool wait_seconds(time_t seconds)
{
    struct timespec t;
    int error;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += seconds;
    do
        error = sem_clockwait(&signaled, CLOCK_MONOTONIC, &t) == 0 ? 0 : errno;
    while (error == EINTR);
    return !error;
}

/* Warn if the simulated clock does not advance: drivers would wait for ever. */
static void wait_for_end(const struct serve *s)
{
    if (s->attr.simulated) {
        if (wait_seconds(CLOCK_SECONDS) && !reload(s))
            return;
        if (!(ach_robot_time(s->robot) > 0))
            complain(
                "warning: the simulated clock does not advance: no driver has advanced it so far");
    }
    do
        while (sem_wait(&signaled) != 0)
            ;
    while (reload(s));
}

static int serve_run(int argc, char **argv)
{
    struct serve s = {
        .attr = {.size = sizeof(s.attr), .level = ACH_LOG_WARNING, .log = serve_log_line},
    };
    bool good;

    if (!serve_parse(&s, argc, argv))
        return EXIT_USAGE;
    filelimit_raise(0); /* each client takes a descriptor */
    good = end_on_signals() && serve_build(&s) && start(&s);
    if (good) {
        hangup_reloads = tcp_server(&s) && ach_tcp_has_tls(tcp_server(&s));
        announce(&s);
        wait_for_end(&s);
    }
    finish(&s);
    return good ? EXIT_OK : EXIT_FAILED;
}

const struct verb verb_serve = {
    .name = "serve",
    .group = "Devices and simulation",
    .summary = "run the devices of a robot",
    .help =
        "Usage: ach serve [OPTION ...] FILE\n\n"
        "Run the drivers of a config file and serve their devices: to Player clients by TCP,\n"
        "and to programs of this machine through channels. TCP listens on 127.0.0.1 unless\n"
        "--bind or the file says otherwise. Ctrl-C ends the server; a second Ctrl-C ends it at\n"
        "once, without waiting for drivers.\n\n"
        "Options:\n"
        "  -p, --port N        the robot's number, and its port (6665)\n"
        "      --bind ADDRESS  listen at ADDRESS; 0.0.0.0: at all IPv4 addresses\n"
        "      --tls DIR       only clients with keys of the same authority, by TLS; see ach "
        "keys.\n"
        "                      SIGHUP reads the directory again\n"
        "      --no-tcp        no network\n"
        "      --no-channels   no channels\n"
        "  -A, --advertise     advertise the devices in the network, if TCP is bound to it\n"
        "  -s, --simulated     a driver advances the clock\n"
        "      --strict        end if a driver with alwayson cannot be set up at the start\n"
        "  -v, --verbose       log more\n"
        "  -q, --quiet         log errors only\n"
        "      --help          print this help\n\n"
        "Examples:\n"
        "  ach serve robot.cfg\n"
        "  ach serve --port 7000 --no-channels laser.cfg\n"
        "  ach serve --bind 0.0.0.0 --tls /etc/ach/robot1 robot.cfg\n",
    .run = serve_run,
};
