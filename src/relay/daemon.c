/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "flow_open.h"
#include "group.h"
#include "log.h"
#include "user.h"

/* Certificates expire, also without SIGHUP. */
#define CHECK_NS 60000000000u

#define FILE_PREFIX "achshm-"

#define DAEMON_OF(w, member)                                                                       \
    ((struct relay_daemon *)(void *)((char *)(w)-offsetof(struct relay_daemon, member)))

static bool daemon_failed(const char *what)
{
    relay_log_error("%s: %s", what, strerror(errno));
    return false;
}

/* n_links slots are taken, so one of the first n_links + 1 is free. */
static unsigned free_slot(const struct relay_daemon *d)
{
    const struct relay_link *l;
    unsigned slot;

    for (slot = 0; slot < d->n_links; slot++) {
        for (l = d->links; l && l->slot != slot;)
            l = l->next;
        if (!l)
            break;
    }
    return slot;
}

/*
 * Whether there is room for one connection more. If not, the oldest one that has not been greeted is
 * closed. Closed links are not destroyed here: events of this turn may point to them.
 */
static bool make_room(struct relay_daemon *d)
{
    const struct relay_limits *limits = &d->host.limits;
    struct relay_link *l, *oldest = NULL;
    unsigned live = 0, strangers = 0;

    for (l = d->links; l; l = l->next) {
        if (l->state == RELAY_LINK_DEAD)
            continue;
        live++;
        if (l->state == RELAY_LINK_UP)
            continue;
        oldest = l;
        strangers++;
    }
    if (strangers < limits->handshakes && live < limits->connections)
        return true;
    if (oldest)
        relay_link_close(oldest, "too many connections wait to be greeted");
    return oldest;
}

static void accept_one(struct relay_daemon *d, struct relay_stream *s, const char *name)
{
    struct relay_link *l;

    if (!make_room(d)) {
        relay_log_error("%s: refused, there are %u connections already", name, d->n_links);
        s->ops->close(s);
        return;
    }
    if (d->host.secure && !relay_secure_begin(d->host.secure, s, TLS_SERVER, NULL)) {
        relay_log_error("%s: %s", name, ach_errstr());
        return;
    }
    l = relay_link_create(&d->host, s, false, name);
    if (!l)
        return;
    l->slot = free_slot(d);
    l->next = d->links;
    d->links = l;
    d->n_links++;
}

/*
 * There is no descriptor left for a connection. While it waited, the loop would wake up again and
 * again, so take it with the spare descriptor and close it.
 */
static void refuse_one(struct relay_daemon *d, int listener)
{
    close(d->spare);
    d->spare = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    relay_log_error("a connection was refused: there are too many open files");
    close(d->spare);
    d->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void listener_ready(struct relay_watch *w, uint32_t events)
{
    struct relay_daemon *d = DAEMON_OF(w, listener);
    struct relay_stream s;
    char name[RELAY_WIRE_TEXT];

    (void)events;
    if (relay_tcp_accept(w->fd, &s, name, sizeof(name)))
        accept_one(d, &s, name);
    else if (errno == EMFILE || errno == ENFILE)
        refuse_one(d, w->fd);
}

static void check_links(struct relay_daemon *d)
{
    struct relay_peer *p;
    struct relay_link *l;

    for (l = d->links; l; l = l->next)
        relay_link_check(l);
    for (p = d->peers; p; p = p->next)
        if (p->link)
            relay_link_check(p->link);
    d->next_check = relay_clock_now() + CHECK_NS;
}

static void reload_keys(struct relay_daemon *d)
{
    if (!d->host.secure)
        return;
    if (d->secure.tls->context_reload(d->secure.context) == ACH_OK)
        relay_log_note("the keys are read again");
    else
        relay_log_error("the keys are not read again, the old ones stay: %s", ach_errstr());
}

/* Without any line for them, peers without TLS may do everything: that is not a way to revoke. */
static bool keeps_plain_list(const struct relay_rule *old, const struct relay_rule *rules)
{
    if (!relay_access_lists_plain(old) || relay_access_lists_plain(rules))
        return true;
    ach_errstr_set(ACH_EINVAL,
                   "no line 'allow %s' is left, which would allow everything: restart "
                   "achd if you want that",
                   RELAY_ACCESS_PLAIN);
    return false;
}

/* Only lists and limits are taken: other lines need another listener or other peers. */
static void reload_lists(struct relay_daemon *d)
{
    struct relay_rule *old = d->host.rules;
    struct relay_settings s;

    if (!*d->file)
        return;
    relay_settings_init(&s);
    memcpy(s.keys, d->keys, sizeof(s.keys));
    if (relay_settings_read(&s, d->file) && relay_settings_check(&s) &&
        keeps_plain_list(old, s.rules)) {
        d->host.rules = s.rules;
        d->host.limits = s.limits;
        s.rules = old;
        relay_log_note("the lists and limits are read again");
    } else {
        relay_log_error("the lists are not read again, the old ones stay: %s", ach_errstr());
    }
    relay_settings_finish(&s);
}

static void signal_ready(struct relay_watch *w, uint32_t events)
{
    struct relay_daemon *d = DAEMON_OF(w, signals);
    struct signalfd_siginfo info;

    (void)events;
    if (read(w->fd, &info, sizeof(info)) != sizeof(info))
        return;
    if (info.ssi_signo != SIGHUP || (!d->host.secure && !*d->file)) {
        d->quit = true;
        return;
    }
    reload_keys(d);
    reload_lists(d);
    check_links(d);
}

static void notice_link(struct relay_link *l, const char *channel)
{
    unsigned i;

    for (i = 0; l && i < l->n_flows; i++)
        if (l->flows[i] && (!channel || strcmp(l->flows[i]->local, channel) == 0))
            relay_flow_notice(l->flows[i]);
}

/* channel NULL: any. */
static void notice_channel(struct relay_daemon *d, const char *channel)
{
    struct relay_peer *p;
    struct relay_link *l;

    for (p = d->peers; p; p = p->next)
        if (p->link && p->link->state == RELAY_LINK_UP)
            notice_link(p->link, channel);
    for (l = d->links; l; l = l->next)
        if (l->state == RELAY_LINK_UP)
            notice_link(l, channel);
    relay_sinks_check(&d->host.sinks, channel);
}

/* Files in the directory of the channels have appeared or vanished. */
static void directory_ready(struct relay_watch *w, uint32_t events)
{
    _Alignas(struct inotify_event) char bytes[4096];
    ssize_t at, n = read(w->fd, bytes, sizeof(bytes));
    const struct inotify_event *e;

    (void)events;
    for (at = 0; at < n; at += (ssize_t)(sizeof(*e) + e->len)) {
        e = (const struct inotify_event *)(const void *)(bytes + at);
        if (e->mask & IN_Q_OVERFLOW)
            notice_channel(DAEMON_OF(w, directory), NULL);
        else if (e->len && strncmp(e->name, FILE_PREFIX, strlen(FILE_PREFIX)) == 0)
            notice_channel(DAEMON_OF(w, directory), e->name + strlen(FILE_PREFIX));
    }
}

static bool watch_signals(struct relay_daemon *d)
{
    sigset_t set;
    int fd;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    d->signals.ready = signal_ready;
    return (fd >= 0 && relay_loop_add(&d->host.loop, &d->signals, fd, EPOLLIN)) ||
           daemon_failed("cannot wait for signals");
}

static bool watch_directory(struct relay_daemon *d)
{
    int fd = relay_channel_watch();

    if (fd < 0)
        return daemon_failed("cannot watch the directory of the channels");
    d->directory.ready = directory_ready;
    return relay_loop_add(&d->host.loop, &d->directory, fd, EPOLLIN);
}

static bool daemon_listen(struct relay_daemon *d, const struct relay_settings *s)
{
    int fd;

    if (!s->listens)
        return true;
    d->port = s->listen_port;
    fd = relay_tcp_listen(s->listen, &d->port, s->insecure || *s->keys);
    if (fd < 0) {
        relay_log_error("%s", ach_errstr());
        return false;
    }
    d->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    d->listener.ready = listener_ready;
    return relay_loop_add(&d->host.loop, &d->listener, fd, EPOLLIN);
}

static bool daemon_export(struct relay_daemon *d, const struct relay_settings *s)
{
    if (!s->exports)
        return true;
    if (relay_exporter_init(&d->exporter, &d->host.loop, s->metrics_port, &d->peers, &d->links)) {
        relay_log_note("metrics at http://127.0.0.1:%u/metrics", d->exporter.port);
        return true;
    }
    relay_log_error("metrics: %s", ach_errstr());
    return false;
}

static void host_init(struct relay_host *h, const struct relay_settings *s)
{
    h->limits = s->limits;
    h->insecure = s->insecure;
    h->create = s->creates ? s->create : s->insecure ? NULL : "*";
    h->window_max = s->window_max;
    h->silence = s->silence;
    h->key_life = s->key_life;
    h->multicasts = s->multicasts;
    h->changed = true;
    gethostname(h->name, sizeof(h->name) - 1);
    if (getrandom(&h->instance, sizeof(h->instance), GRND_NONBLOCK) != sizeof(h->instance))
        h->instance = relay_clock_now();
    h->instance |= 1;
    srandom((unsigned)h->instance);
}

/* Keys are read as the user who will read them again. */
static bool daemon_secure(struct relay_daemon *d, const struct relay_settings *s)
{
    bool good = (!*s->user || relay_user_become(s->user)) &&
                (!*s->keys || relay_secure_init(&d->secure, s->keys));

    if (good && *s->keys)
        d->host.secure = &d->secure;
    if (!good)
        relay_log_error("%s", ach_errstr());
    if (good && *s->keys && s->listens && !d->host.rules)
        relay_log_error("peers may read and write nothing: nothing is allowed");
    return good;
}

bool relay_daemon_init(struct relay_daemon *d, struct relay_settings *s)
{
    memset(d, 0, sizeof(*d));
    host_init(&d->host, s);
    if (s->sctp)
        relay_tcp_use_sctp();
    relay_origins_sweep(NULL);
    if (!relay_loop_init(&d->host.loop))
        return daemon_failed("cannot create an epoll");
    relay_anticipation_init(&d->host.loop.anticipation, s->anticipates);
    d->peers = relay_peers_create(&d->host, s);
    if (s->flows && !d->peers)
        return daemon_failed("cannot start");
    d->host.rules = s->rules;
    s->rules = NULL;
    memcpy(d->file, s->file, sizeof(d->file));
    memcpy(d->keys, s->keys, sizeof(d->keys));
    return watch_signals(d) && watch_directory(d) && daemon_listen(d, s) && daemon_secure(d, s) &&
           daemon_export(d, s);
}

static uint64_t daemon_deadline(const struct relay_daemon *d)
{
    uint64_t until = relay_status_deadline(&d->status, d->host.changed);
    const struct relay_peer *p;
    const struct relay_link *l;

    until = relay_clock_earlier(until, relay_exporter_deadline(&d->exporter));
    if (d->host.secure)
        until = relay_clock_earlier(until, d->next_check);
    for (p = d->peers; p; p = p->next)
        until = relay_clock_earlier(until, relay_peer_deadline(p));
    for (l = d->links; l; l = l->next)
        until = relay_clock_earlier(until, relay_link_deadline(l));
    return relay_clock_earlier(until, relay_groups_deadline(&d->host));
}

static void serve_link(struct relay_link *l, uint64_t now)
{
    l->host->changed |= l->dirty;
    relay_link_tick(l, now);
    if (l->dirty)
        relay_link_pump(l, now);
}

static void reap_links(struct relay_daemon *d)
{
    struct relay_link **at = &d->links, *l;

    while ((l = *at)) {
        if (l->state != RELAY_LINK_DEAD) {
            at = &l->next;
            continue;
        }
        relay_log_note("%s: connection ended: %s", l->peer, l->why);
        *at = l->next;
        d->n_links--;
        relay_link_destroy(l);
    }
}

static void daemon_serve(struct relay_daemon *d, uint64_t now)
{
    struct relay_peer *p;
    struct relay_link *l;

    for (l = d->links; l; l = l->next)
        serve_link(l, now);
    for (p = d->peers; p; p = p->next) {
        if (p->link)
            serve_link(p->link, now);
        relay_peer_tick(p, now);
    }
    reap_links(d);
    relay_exporter_tick(&d->exporter, now);
    relay_groups_serve(&d->host, now);
}

void relay_daemon_run(struct relay_daemon *d)
{
    relay_status_init(&d->status, d->port);
    d->status.metrics_port = d->exporter.port;
    d->status.anticipation = &d->host.loop.anticipation;
    while (!d->quit) {
        uint64_t now = relay_clock_now();

        if (d->host.secure && now >= d->next_check)
            check_links(d);
        daemon_serve(d, now);
        if (d->host.changed && relay_status_due(&d->status, now))
            d->host.changed = relay_status_put(&d->status, d->peers, d->links, now);
        relay_loop_turn(&d->host.loop, daemon_deadline(d));
    }
    relay_status_finish(&d->status);
}

static void close_watch(struct relay_daemon *d, struct relay_watch *w)
{
    int fd = w->fd;

    relay_loop_remove(&d->host.loop, w);
    if (fd)
        close(fd);
}

void relay_daemon_finish(struct relay_daemon *d)
{
    relay_exporter_finish(&d->exporter);
    relay_peers_destroy(d->peers);
    while (d->links) {
        struct relay_link *next = d->links->next;

        relay_link_destroy(d->links);
        d->links = next;
    }
    relay_groups_finish(&d->host);
    close_watch(d, &d->listener);
    if (d->spare > 0)
        close(d->spare);
    close_watch(d, &d->signals);
    close_watch(d, &d->directory);
    relay_sinks_finish(&d->host.sinks);
    relay_accounts_finish(&d->host.accounts);
    relay_access_finish(&d->host.rules);
    relay_secure_finish(&d->secure);
    relay_loop_finish(&d->host.loop);
}
