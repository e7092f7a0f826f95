/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach-dds - a bridge between channels and topics of DDS and ROS 2
 *
 * One thread waits for channels, for readers and for signals, and passes messages on.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common.h"
#include "domain.h"
#include "filelimit.h"
#include "parse.h"
#include "pull.h"
#include "push.h"
#include "streams.h"

/* Options before a channel are for it and those after it. */
struct achdds_arguments {
    struct achdds_domain domain;
    enum achdds_direction direction; /* 0: none yet */
    enum achdds_naming naming;
    struct achdds_qos qos;
    struct achdds_route *routes;
    size_t n;
    bool stats;
};

enum {
    OPTION_OPERAND = 1, /* getopt_long: not an option */
    OPTION_BEST_EFFORT = 256,
    OPTION_CONFIG,
    OPTION_DEPTH,
    OPTION_INTERFACE,
    OPTION_NAMES,
    OPTION_PARTITION,
    OPTION_PROFILE,
    OPTION_RELIABLE,
    OPTION_STATS,
    OPTION_TRANSIENT_LOCAL,
};

static const struct option achdds_options[] = {
    {"domain", required_argument, NULL, 'd'},
    {"interface", required_argument, NULL, OPTION_INTERFACE},
    {"config", required_argument, NULL, OPTION_CONFIG},
    {"profile", required_argument, NULL, OPTION_PROFILE},
    {"reliable", no_argument, NULL, OPTION_RELIABLE},
    {"best-effort", no_argument, NULL, OPTION_BEST_EFFORT},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"transient-local", no_argument, NULL, OPTION_TRANSIENT_LOCAL},
    {"partition", required_argument, NULL, OPTION_PARTITION},
    {"names", required_argument, NULL, OPTION_NAMES},
    {"stats", no_argument, NULL, OPTION_STATS},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {0}};

static void achdds_help(void)
{
    puts("Usage: ach-dds [OPTION]... push|pull|both [OPTION]... CHANNEL[=TOPIC]...\n"
         "Pass messages between channels and topics of DDS and ROS 2. push: from channels\n"
         "to topics, pull: from topics to channels. Channels must exist.\n"
         "\n"
         "  -d, --domain ID         join this domain; default: ROS_DOMAIN_ID, or 0\n"
         "      --interface NAME    use this network interface; default: only this machine\n"
         "      --config XML        configure Cyclone DDS: XML, or file:///PATH\n"
         "      --stats             print what was passed on, at the end\n"
         "  -h, --help              print this help\n"
         "  -V, --version           print the version\n"
         "\n"
         "These apply to the channels after them:\n"
         "      --profile NAME      quality of service of ROS 2: default (reliable, keep\n"
         "                          last 10), sensor (best effort, 5), parameters (1000)\n"
         "      --reliable          send again what is lost\n"
         "      --best-effort       do not\n"
         "      --depth N           keep the last N messages\n"
         "      --transient-local   late subscribers get the messages kept\n"
         "      --partition NAME    only match topics in this partition\n"
         "      --names HOW         ros2 or dds: names of topics and types; default: ros2\n"
         "                          for channels with a definition of ROS 2, else dds");
}

static bool add_route(struct achdds_arguments *a, const char *word)
{
    const char *topic = strchr(word, '=');
    struct achdds_route *routes = realloc(a->routes, (a->n + 1) * sizeof(*routes));
    struct achdds_route *r;

    if (!routes)
        return false;
    a->routes = routes;
    r = &routes[a->n++];
    memset(r, 0, sizeof(*r));
    r->wake = -1;
    r->direction = a->direction;
    r->naming = a->naming;
    r->qos = a->qos;
    r->channel = strndup(word, topic ? (size_t)(topic - word) : strlen(word));
    r->topic = topic ? strdup(topic + 1) : NULL;
    return r->channel && (!topic || r->topic);
}

static bool set_operand(struct achdds_arguments *a, const char *word)
{
    static const char *const directions[] = {
        [ACHDDS_PUSH] = "push", [ACHDDS_PULL] = "pull", [ACHDDS_BOTH] = "both"};
    int i;

    for (i = ACHDDS_PUSH; i <= ACHDDS_BOTH; i++)
        if (strcmp(word, directions[i]) == 0)
            return (a->direction = (enum achdds_direction)i);
    if (!a->direction) {
        tool_complain("give push, pull or both before '%s'", word);
        return false;
    }
    return add_route(a, word);
}

static bool set_domain(const char *text, const char *what, uint32_t *id)
{
    uint64_t number;

    if (!parse_count(text, 0, ACHDDS_DOMAIN_MAX, &number)) {
        tool_complain("%s must be a whole number from 0 to %d, not '%s'", what, ACHDDS_DOMAIN_MAX,
                      text);
        return false;
    }
    *id = (uint32_t)number;
    return true;
}

static bool set_depth(const char *text, int32_t *depth)
{
    uint64_t number;

    if (!parse_count(text, 1, 1000000, &number)) {
        tool_complain("the depth must be a whole number from 1 to 1000000, not '%s'", text);
        return false;
    }
    *depth = (int32_t)number;
    return true;
}

static bool set_names(const char *text, enum achdds_naming *naming)
{
    *naming = strcmp(text, "ros2") == 0 ? ACHDDS_ROS2 : ACHDDS_PLAIN;
    if (*naming == ACHDDS_ROS2 || strcmp(text, "dds") == 0)
        return true;
    tool_complain("names are ros2 or dds, not '%s'", text);
    return false;
}

static bool achdds_set_option(void *cx, int option)
{
    struct achdds_arguments *a = cx;

    switch (option) {
    case OPTION_OPERAND:
        return set_operand(a, optarg);
    case 'd':
        return set_domain(optarg, "the domain", &a->domain.id);
    case OPTION_INTERFACE:
        return (a->domain.interface = optarg);
    case OPTION_CONFIG:
        return (a->domain.config = optarg);
    case OPTION_PROFILE:
        return achdds_qos_profile(&a->qos, optarg);
    case OPTION_RELIABLE:
        return a->qos.reliable = true;
    case OPTION_BEST_EFFORT:
        a->qos.reliable = false;
        return true;
    case OPTION_DEPTH:
        return set_depth(optarg, &a->qos.depth);
    case OPTION_TRANSIENT_LOCAL:
        return a->qos.transient_local = true;
    case OPTION_PARTITION:
        return (a->qos.partition = optarg);
    case OPTION_NAMES:
        return set_names(optarg, &a->naming);
    case OPTION_STATS:
        return a->stats = true;
    default:
        return false;
    }
}

/* Negative: go on. Otherwise exit with this status. */
static int achdds_parse_arguments(struct achdds_arguments *a, int argc, char **argv)
{
    static const struct options options = {"-d:hH?V", achdds_options, achdds_help,
                                           achdds_set_option};
    const char *domain = getenv("ROS_DOMAIN_ID");
    int status;

    if (domain && *domain && !set_domain(domain, "ROS_DOMAIN_ID", &a->domain.id))
        return EXIT_USAGE;
    status = tool_parse_options(&options, argc, argv, a);
    for (; status < 0 && optind < argc; optind++) /* words after -- */
        if (!set_operand(a, argv[optind]))
            status = EXIT_USAGE;
    if (status < 0 && a->n == 0) {
        tool_complain("no channel is given. See ach-dds --help");
        return EXIT_USAGE;
    }
    if (status < 0 && a->domain.interface && a->domain.config) {
        tool_complain("--config says which interfaces to use: do not combine it with --interface");
        return EXIT_USAGE;
    }
    return status;
}

/* Signals are read from a descriptor. Threads of Cyclone DDS inherit the mask. */
static int block_signals(void)
{
    struct sigaction old;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    /* Keep SIGHUP ignored under nohup. */
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What a descriptor of the loop is for: a route and what it does, or signals. */
struct loop_event {
    struct achdds_route *route;
    bool (*handle)(struct achdds_route *route);
};

static bool watch(int poller, int fd, struct loop_event *e)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = e};

    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) == 0)
        return true;
    tool_complain("cannot wait for a descriptor: %s", strerror(errno));
    return false;
}

static bool watch_source(int poller, struct achdds_route *r, struct loop_event *e)
{
    int fd;

    *e = (struct loop_event){r, achdds_push};
    if (ach_channel_fd(&r->source, &fd) == ACH_OK)
        return achdds_push(r) && watch(poller, fd, e);
    tool_complain("cannot wait for the channel '%s': %s", r->channel, ach_errstr());
    return false;
}

static bool watch_route(int poller, struct achdds_route *r, struct loop_event e[2])
{
    if (r->direction & ACHDDS_PUSH && !watch_source(poller, r, &e[0]))
        return false;
    e[1] = (struct loop_event){r, achdds_pull};
    return !(r->direction & ACHDDS_PULL) || watch(poller, r->wake, &e[1]);
}

static void report_all(struct achdds_arguments *a)
{
    size_t i;

    for (i = 0; i < a->n; i++)
        achdds_route_report(&a->routes[i], stderr);
}

/* False: a signal says to end. */
static bool take_signal(struct achdds_arguments *a, int signals)
{
    struct signalfd_siginfo info;

    if (read(signals, &info, sizeof(info)) != sizeof(info))
        return true;
    if (info.ssi_signo != SIGUSR1)
        return false;
    report_all(a);
    return true;
}

static int run_loop(struct achdds_arguments *a, int poller, int signals)
{
    for (;;) {
        struct epoll_event event;
        const struct loop_event *e;
        int n = epoll_wait(poller, &event, 1, -1);

        if (n < 0 && errno != EINTR) {
            tool_complain("cannot wait: %s", strerror(errno));
            return EXIT_FAILED;
        }
        if (n <= 0)
            continue;
        e = event.data.ptr;
        if (e ? !e->handle(e->route) : !take_signal(a, signals))
            return e ? EXIT_FAILED : EXIT_DONE;
    }
}

static int watch_all(struct achdds_arguments *a, struct loop_event *events, int signals)
{
    int poller = epoll_create1(EPOLL_CLOEXEC);
    int status = EXIT_FAILED;
    bool ok = watch(poller, signals, NULL);
    size_t i;

    for (i = 0; ok && i < a->n; i++)
        ok = watch_route(poller, &a->routes[i], events + 2 * i);
    if (ok)
        status = run_loop(a, poller, signals);
    close(poller);
    return status;
}

static bool open_routes(struct achdds_arguments *a)
{
    size_t i;

    for (i = 0; i < a->n; i++) {
        if (!achdds_route_open(&a->routes[i]))
            return false;
        a->domain.ros2 |= a->routes[i].ros2;
    }
    return true;
}

static bool join_routes(struct achdds_arguments *a)
{
    dds_entity_t participant = achdds_domain_join(&a->domain);
    bool ok = participant >= 0;
    size_t i;

    for (i = 0; ok && i < a->n; i++)
        ok = achdds_route_join(&a->routes[i], participant, a->domain.id);
    return ok;
}

/* Something was lost or refused: say so even without --stats. */
static bool all_passed(const struct achdds_arguments *a)
{
    size_t i;

    for (i = 0; i < a->n; i++) {
        const struct achdds_route *r = &a->routes[i];

        if (r->pushed.missed || r->pushed.refused || r->pulled.refused)
            return false;
    }
    return true;
}

static int bridge(struct achdds_arguments *a)
{
    struct loop_event *events = calloc(a->n, 2 * sizeof(*events));
    int signals = block_signals(), status = EXIT_FAILED;

    if (events && open_routes(a) && join_routes(a))
        status = watch_all(a, events, signals);
    if (status == EXIT_DONE && (a->stats || !all_passed(a)))
        report_all(a);
    dds_delete(DDS_CYCLONEDDS_HANDLE);
    close(signals);
    free(events);
    return status;
}

int main(int argc, char **argv)
{
    struct achdds_arguments a = {0};
    int status;

    streams_init();
    ach_handle_sigbus();
    filelimit_raise(0);
    tool_name = "ach-dds";
    achdds_qos_profile(&a.qos, "default");
    status = achdds_parse_arguments(&a, argc, argv);
    if (status < 0)
        status = bridge(&a);
    while (a.n > 0)
        achdds_route_close(&a.routes[--a.n]);
    free(a.routes);
    return tool_finish(status);
}
