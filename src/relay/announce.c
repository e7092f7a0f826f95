/* SPDX-License-Identifier: BSD-3-Clause */
#include "announce.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "advertised.h"
#include "channel.h"
#include "listing.h"
#include "log.h"
#include "reach.h"

/* Changes of the directory within this time are announced together. */
#define SETTLE_MS 200

/* How often to look at the directory if inotify is not available. */
#define RESCAN_MS 5000

/* Channels of achd itself, which a pattern such as '*' does not mean. */
#define OWN_PREFIX "achd-"

/* The child's name, by which main knows it. */
#define PROGRAM "achd-announce"

struct announcer {
    const struct relay_announce *attr;
    const struct mdns_library *library; /* NULL: no mDNS */
    struct mdns_mdns *mdns;
    bool reached;       /* by other machines */
    unsigned interface; /* 0: all */
    int parent;         /* readable when the daemon has ended */
    int directory;      /* inotify; negative: not available */
    struct relay_records records;
    struct relay_listing listing;
};

static bool announce_wanted(const struct announcer *a, const char *name)
{
    const char *pattern = a->attr->pattern;

    if (pattern && fnmatch(pattern, name, 0) == 0 &&
        strncmp(name, OWN_PREFIX, strlen(OWN_PREFIX)) != 0)
        return true;
    return advertised_get(name);
}

/* A name in shared memory and in the kernel comes twice. */
static enum ach_status announce_add(void *context, const char *name, enum ach_map map)
{
    struct announcer *a = context;
    struct relay_records *r = &a->records;

    (void)map;
    if (r->n_channels == RELAY_RECORDS_CHANNELS || !announce_wanted(a, name) ||
        (r->n_channels && strcmp(r->channels[r->n_channels - 1], name) == 0))
        return ACH_OK;
    strcpy(r->channels[r->n_channels++], name);
    return ACH_OK;
}

static void announce_scan(struct announcer *a)
{
    a->records.n_channels = 0;
    if (ach_list(announce_add, a) != ACH_OK)
        relay_log_error("%s", ach_errstr());
    if (a->records.n_channels == RELAY_RECORDS_CHANNELS)
        relay_log_note("only %u channels are advertised", RELAY_RECORDS_CHANNELS);
}

static void announce_log(void *context, bool warning, const char *text)
{
    (void)context;
    (void)warning;
    relay_log_note("%s", text);
}

static void announce_publish(struct announcer *a)
{
    const struct mdns_attr attr = {
        .type = MDNS_CHANNELS, .interface = a->interface, .log = announce_log};
    struct relay_records *r = &a->records;
    enum ach_status status = ACH_FAILED_SYSCALL;

    if (!relay_records_make(r))
        relay_log_error("no memory to advertise channels");
    else if (a->mdns)
        status = a->library->update(a->mdns, r->services, r->n_services);
    else
        status = a->library->advertise(&attr, r->services, r->n_services, &a->mdns);
    if (status != ACH_OK)
        relay_log_error("not advertised: %s", ach_errstr());
    relay_records_clear(r);
}

static void announce_update(struct announcer *a)
{
    announce_scan(a);
    relay_listing_put(&a->listing, &a->records);
    if (a->library)
        announce_publish(a);
}

static void announce_watch(struct announcer *a)
{
    a->directory = relay_channel_watch();
    if (a->directory < 0)
        relay_log_note("channels to advertise are looked for every %d s: %s", RESCAN_MS / 1000,
                       strerror(errno));
}

static bool parent_ended(const struct announcer *a, int timeout)
{
    struct pollfd p = {.fd = a->parent, .events = POLLIN};

    return poll(&p, 1, timeout) > 0;
}

/* Wait until the directory has changed. False: the daemon has ended. */
static bool announce_wait(const struct announcer *a)
{
    struct pollfd p[] = {{.fd = a->parent, .events = POLLIN},
                         {.fd = a->directory, .events = POLLIN}};
    char events[4096];

    if (poll(p, 2, a->directory < 0 ? RESCAN_MS : -1) < 0 && errno != EINTR)
        return false;
    if (parent_ended(a, SETTLE_MS))
        return false;
    while (a->directory >= 0 && read(a->directory, events, sizeof(events)) > 0)
        ;
    return true;
}

static void announce_run(struct announcer *a)
{
    a->records = (struct relay_records){.version = a->attr->version,
                                        .host = a->attr->host,
                                        .transport = a->attr->transport,
                                        .port = (uint16_t)a->attr->port};
    a->records.channels = calloc(RELAY_RECORDS_CHANNELS, sizeof(*a->records.channels));
    if (!a->records.channels)
        return;
    a->library = a->reached ? mdns_load() : NULL;
    if (a->reached && !a->library)
        relay_log_note("not advertised: %s", ach_errstr());
    relay_listing_init(&a->listing, a->attr->port);
    announce_watch(a);
    do
        announce_update(a);
    while (announce_wait(a));
    relay_listing_finish(&a->listing);
    if (a->mdns)
        a->library->end(a->mdns);
}

/* Words of the child's command line, in this order. */
enum {
    WORD_NAME,
    WORD_PORT,
    WORD_INTERFACE,
    WORD_LEVEL,
    WORD_LOG,
    WORD_VERSION,
    WORD_HOST,
    WORD_TRANSPORT,
    WORD_PATTERN,
    WORDS
};

static unsigned announce_number(const char *word)
{
    return (unsigned)strtoul(word, NULL, 10);
}

bool relay_announce_main(int argc, char **argv)
{
    struct relay_announce attr;
    struct announcer a = {.attr = &attr, .parent = STDIN_FILENO};

    if (argc != WORDS || strcmp(argv[WORD_NAME], PROGRAM) != 0)
        return false;
    ach_handle_sigbus();
    attr = (struct relay_announce){.version = argv[WORD_VERSION],
                                   .host = argv[WORD_HOST],
                                   .transport = argv[WORD_TRANSPORT],
                                   .pattern = *argv[WORD_PATTERN] ? argv[WORD_PATTERN] : NULL,
                                   .port = announce_number(argv[WORD_PORT])};
    a.reached = *argv[WORD_INTERFACE] != '\0';
    a.interface = announce_number(argv[WORD_INTERFACE]);
    prctl(PR_SET_NAME, PROGRAM);
    relay_log_level(atoi(argv[WORD_LEVEL]));
    if (*argv[WORD_LOG])
        relay_log_to_system();
    announce_run(&a);
    return true;
}

/* The same program is executed, so that the child has no copy of the daemon's memory. */
static _Noreturn void announce_child(char **words, int parent)
{
    dup2(parent, STDIN_FILENO);
    close_range(STDERR_FILENO + 1, ~0u, 0);
    execv("/proc/self/exe", words);
    _exit(EXIT_FAILURE);
}

/* The other end of the pipe stays open until the daemon ends. */
static bool announce_fork(char **words)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
    child = fork();
    if (child == 0)
        announce_child(words, ends[0]);
    close(ends[0]);
    if (child < 0)
        close(ends[1]);
    return child > 0;
}

void relay_announce_start(const struct relay_announce *a)
{
    char port[16], interface[16] = "", level[16];
    char *words[WORDS + 1] = {[WORD_NAME] = PROGRAM,
                              [WORD_PORT] = port,
                              [WORD_INTERFACE] = interface,
                              [WORD_LEVEL] = level,
                              [WORD_LOG] = a->system_log ? "system" : "",
                              [WORD_VERSION] = (char *)a->version,
                              [WORD_HOST] = (char *)a->host,
                              [WORD_TRANSPORT] = (char *)a->transport,
                              [WORD_PATTERN] = (char *)(a->pattern ? a->pattern : "")};
    unsigned index;

    snprintf(port, sizeof(port), "%u", a->port);
    snprintf(level, sizeof(level), "%d", a->level);
    if (tcp_reach_find(a->listener, &index))
        snprintf(interface, sizeof(interface), "%u", index);
    if (!announce_fork(words))
        relay_log_error("channels are not advertised: %s", strerror(errno));
}
