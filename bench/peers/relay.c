/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relay.c - from one host to another: through two achd, and the floor of that
 *
 * Each side has a process of its own that stands between the end and the network. The end starts
 * it, so that it runs on the same core and with the same priority. The floor does the least that
 * this needs, with the contenders futex and TCP: it waits on a futex and writes to a socket, or
 * reads from a socket and wakes a futex.
 */
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peers.h"
#include "ticks.h"

#define CHAIN_LINKS 3u
#define HOP_PATIENCE_MS 1000
#define LAST_MESSAGE_NS 100000000u
#define CHANNEL "relayed"
#define DIR_SIZE 32u
#define ARGS_MAX 16

const char *relay_achd, *relay_keys;

/* The process between the end and the network: 0 in it. It ends with the end. */
static pid_t relay_fork(void)
{
    pid_t parent = getpid(), pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    return 0;
}

/* The last message may still be on its way through the process. */
static void relay_kill(const struct link *l, pid_t pid)
{
    if (l->side == SENDER)
        sleep_until(clock_ns() + LAST_MESSAGE_NS);
    peer_kill(pid);
}

struct chain {
    struct link *links[CHAIN_LINKS], *mine;
    pid_t hop;
};

static const struct contender *contender_in(const struct contender *list, const char *name)
{
    while (strcmp(list->name, name) != 0)
        list++;
    return list;
}

static bool chain_setup(struct link *l)
{
    const struct contender *futex = contender_in(ring_contenders, "futex");
    const struct contender *all[] = {futex, contender_in(lane_contenders, "TCP"), futex};
    const struct setting s = {.mode = MODE_BLOCK, .size = l->size, .senders = 1, .receivers = 1};
    struct chain *c = l->state;
    unsigned i;

    for (i = 0; i < CHAIN_LINKS; i++)
        if (!(c->links[i] = link_create(all[i], &s, l->why)))
            return false;
    return true;
}

static void chain_finish(struct link *l)
{
    struct chain *c = l->state;
    unsigned i;

    for (i = 0; i < CHAIN_LINKS && c->links[i]; i++)
        link_destroy(c->links[i]);
}

static _Noreturn void chain_hop(const struct link *from, const struct link *to, void *buffer)
{
    struct link *in = link_open(from, RECEIVER, 0, buffer), *out = link_open(to, SENDER, 0, buffer);
    ssize_t n = in && out ? 0 : -1;

    while (n >= 0) {
        n = link_receive(in, HOP_PATIENCE_MS);
        if (n > 0)
            n = out->c->send(out);
    }
    _exit(1);
}

static bool chain_open(struct link *l)
{
    bool sends = l->side == SENDER;
    struct chain *c = l->state;
    unsigned first = sends ? 0 : 1;

    c->hop = relay_fork();
    if (c->hop == 0)
        chain_hop(c->links[first], c->links[first + 1], l->message);
    c->mine = link_open(c->links[sends ? 0 : CHAIN_LINKS - 1], l->side, 0, l->message);
    return c->hop > 0 && c->mine;
}

static void chain_close(struct link *l)
{
    const struct chain *c = l->state;

    relay_kill(l, c->hop);
    link_close(c->mine);
}

static int chain_send(struct link *l)
{
    struct link *mine = ((struct chain *)l->state)->mine;

    return mine->c->send(mine);
}

static ssize_t chain_receive(struct link *l, int timeout_ms)
{
    return link_receive(((struct chain *)l->state)->mine, timeout_ms);
}

struct relay {
    char dirs[2][DIR_SIZE]; /* of channels, by enum side */
    char port[8];
    ach_channel_t chan;
    pid_t achd;
};

struct relay_flavour {
    bool udp, tls, sleeps;
};

static pid_t achd_pid(const char *const *args, const char *log)
{
    pid_t pid = relay_fork();
    int out;

    if (pid != 0)
        return pid;
    out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(args[0], (char *const *)args);
    _exit(127);
}

/* The one that was asked for, of this build, or installed. */
static const char *achd_start(void)
{
    if (!relay_achd)
        relay_achd = access(PEERS_ACHD, X_OK) == 0 ? PEERS_ACHD : PEERS_ACHD_INSTALLED;
    return access(relay_achd, X_OK) == 0 ? NULL : "there is no achd; --achd says where it is";
}

static const char *udp_start(void)
{
    const char *why = achd_start(), *args[] = {relay_achd, "-t", "udp", "--help", NULL};
    int status = 0;

    if (!why)
        waitpid(achd_pid(args, "/dev/null"), &status, 0);
    return status ? "this achd has no UDP" : why;
}

static const char *tls_start(void)
{
    return relay_keys ? achd_start() : "no keys: --tls takes a directory that 'ach keys' made";
}

/* A port that is free now. */
static bool choose_port(char *text, size_t room)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&at, length) == 0 &&
              getsockname(fd, (struct sockaddr *)&at, &length) == 0;

    if (fd >= 0)
        close(fd);
    snprintf(text, room, "%u", ntohs(at.sin_port));
    return ok;
}

static bool create_channel(struct link *l, const char *dir, bool relayed)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_relayed(&attr, relayed);
    if (mkdir(dir, 0700) != 0 || setenv("ACH_DIR", dir, 1) != 0)
        return refuse(l, "cannot make the directory %s", dir);
    return ach_create(CHANNEL, channel_history(l->size), l->size, &attr) == ACH_OK ||
           refuse(l, "%s", ach_errstr());
}

/* Other channels are in the working directory. */
static bool achd_setup(struct link *l)
{
    struct relay *r = l->state;
    char home[PATH_MAX];
    bool ok;

    MUST_SYS(getcwd(home, sizeof(home)));
    snprintf(r->dirs[SENDER], DIR_SIZE, "here-%u", l->id);
    snprintf(r->dirs[RECEIVER], DIR_SIZE, "there-%u", l->id);
    ok = choose_port(r->port, sizeof(r->port)) && create_channel(l, r->dirs[SENDER], false) &&
         create_channel(l, r->dirs[RECEIVER], true);
    setenv("ACH_DIR", home, 1);
    return ok;
}

static pid_t achd_run(const struct link *l, const struct relay *r)
{
    static const char *const serve[] = {"serve"}, *const push[] = {"push", "localhost", CHANNEL};
    const char *args[ARGS_MAX] = {relay_achd, "-q", "-p", r->port}, **next = &args[4];
    const struct relay_flavour *f = l->c->variant;
    bool sends = l->side == SENDER;

    if (f->tls) {
        *next++ = "--tls";
        *next++ = relay_keys;
    }
    if (f->sleeps) {
        *next++ = "--anticipate";
        *next++ = "0";
    }
    if (f->tls && !sends) {
        *next++ = "--allow";
        *next++ = "localhost write " CHANNEL;
    }
    if (sends && f->udp) {
        *next++ = "-t";
        *next++ = "udp";
    } else if (sends) {
        *next++ = "--all";
    }
    memcpy(next, sends ? push : serve, sends ? sizeof(push) : sizeof(serve));
    return achd_pid(args, "achd.out");
}

static bool achd_open(struct link *l)
{
    struct relay *r = l->state;

    setenv("ACH_DIR", r->dirs[l->side], 1);
    r->achd = achd_run(l, r);
    return r->achd > 0 && ach_open(&r->chan, CHANNEL, NULL) == ACH_OK;
}

static void achd_close(struct link *l)
{
    struct relay *r = l->state;

    relay_kill(l, r->achd);
    ach_close(&r->chan);
}

static int achd_send(struct link *l)
{
    struct relay *r = l->state;

    return ach_put(&r->chan, l->message, l->size) == ACH_OK ? 1 : -1;
}

static ssize_t achd_receive(struct link *l, int timeout_ms)
{
    const struct timespec limit = milliseconds(timeout_ms);
    struct relay *r = l->state;
    size_t size;
    enum ach_status s =
        ach_get(&r->chan, l->message, l->size, &size, &limit, ACH_O_WAIT | ACH_O_RELTIME);

    if (s == ACH_OK || s == ACH_MISSED_FRAME)
        return (ssize_t)size;
    return s == ACH_TIMEOUT ? 0 : -1;
}

#define RELAY(noun, type)                                                                          \
    .source = __FILE__ ":" #noun, .state_size = sizeof(type), .modes = MODE_BLOCK,                 \
    .reach = REACH_NETWORK, .max_senders = 1, .setup = noun##_setup, .open = noun##_open,          \
    .close = noun##_close, .send = noun##_send, .receive = noun##_receive
#define ACHD(start_, ...)                                                                          \
    RELAY(achd, struct relay), .kind = KIND_ACH, .start = (start_),                                \
                               .variant = &(const struct relay_flavour)                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

const struct contender relay_contenders[] = {
    {.name = "futex-TCP-futex",
     .kind = KIND_FLOOR,
     .settings = "a process on either side of the connection, with the contenders futex and TCP",
     .finish = chain_finish,
     RELAY(chain, struct chain)},
    {.name = "achd",
     .settings =
         "a daemon on either side, TCP; every message; each anticipates for at most 2 % of a "
         "processor (the default)",
     ACHD(achd_start, .udp = false)},
    {.name = "achd sleeping",
     .settings = "the same with --anticipate 0",
     ACHD(achd_start, .sleeps = true)},
    {.name = "achd UDP", .settings = "UDP; the newest message", ACHD(udp_start, .udp = true)},
    {.name = "achd UDP sleeping",
     .settings = "UDP, with --anticipate 0",
     ACHD(udp_start, .udp = true, .sleeps = true)},
    {.name = "achd TLS",
     .settings = "TLS over TCP, with the keys of --tls",
     ACHD(tls_start, .tls = true)},
    {.name = "achd TLS sleeping",
     .settings = "TLS over TCP, with --anticipate 0",
     ACHD(tls_start, .tls = true, .sleeps = true)},
    {0},
};
