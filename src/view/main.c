/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach-view - serve a page that shows channels, devices and recordings, and the protocol of Foxglove
 *
 * 'ach view' starts it. One thread: the loop of the web server calls everything.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "complain.h"
#include "gate.h"
#include "hub.h"
#include "listener.h"
#include "page.h"
#include "recording.h"
#include "server.h"
#include "streams.h"

#define STRANGERS_MAX 64u /* connections that are no clients yet */

struct program {
    struct view_options options;
    struct view_loop loop;
    struct view_hub hub;
    struct view_gate gate;
    struct view_listener listener;
    struct view_server *server;
    struct view_watch signals;
};

static void program_accepted(void *context, int fd)
{
    struct program *p = context;

    view_server_take(p->server, fd);
}

static bool program_room(void *context)
{
    const struct program *p = context;

    return view_server_strangers(p->server) < STRANGERS_MAX;
}

static void program_signal(void *context)
{
    struct program *p = context;

    view_server_end(p->server);
}

/* Signals come through a descriptor, so that they interrupt nothing. */
static bool program_signals(struct program *p)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    p->signals = (struct view_watch){.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
                                     .ready = program_signal,
                                     .context = p};
    return p->signals.fd >= 0 && view_loop_add(&p->loop, &p->signals);
}

static bool program_session(struct view_hub *h)
{
    uint8_t bytes[16];
    size_t i;

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return false;
    for (i = 0; i < sizeof(bytes); i++)
        snprintf(h->session + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static bool program_prepare(struct program *p)
{
    size_t i;

    if (p->options.bind)
        snprintf(p->gate.bound, sizeof(p->gate.bound), strchr(p->options.bind, ':') ? "[%s]" : "%s",
                 p->options.bind);
    for (i = 0; i < p->options.hosts.count; i++)
        p->gate.hosts[i] = p->options.hosts.at[i];
    for (i = 0; i < p->options.origins.count; i++)
        p->gate.origins[i] = p->options.origins.at[i];
    view_hub_init(&p->hub, &p->loop, &p->options,
                  p->options.file ? &view_source_file : &view_source_live);
    p->listener.loop = &p->loop;
    p->listener.accepted = program_accepted;
    p->listener.room = program_room;
    p->listener.context = p;
    if (view_loop_init(&p->loop) && program_signals(p) && view_gate_init(&p->gate) &&
        program_session(&p->hub))
        return true;
    view_complain("%s", strerror(errno));
    return false;
}

/* A wildcard is no name: then --host tells one. */
static const char *program_name(const struct program *p)
{
    const struct view_options *o = &p->options;

    if (o->hosts.count)
        return o->hosts.at[0];
    return o->bind && strcmp(o->bind, "0.0.0.0") != 0 && strcmp(o->bind, "::") != 0 ? p->gate.bound
                                                                                    : "localhost";
}

/* Without the token nobody can connect. */
static bool program_print(const struct program *p)
{
    const char *name = program_name(p);

    printf("http://%s:%u/?token=%s\n", name, p->gate.port, p->gate.token);
    printf("Foxglove: ws://%s:%u/?token=%s\n", name, p->gate.port, p->gate.token);
    if (streams_finish())
        return true;
    view_complain("cannot write the address to standard output: %s", strerror(errno));
    return false;
}

static bool program_run(struct program *p)
{
    bool good;

    p->server = view_server_new(&p->hub, &p->gate);
    if (!p->server)
        return false;
    good = view_listener_open(&p->listener, p->options.bind, p->options.port);
    if (good) {
        view_gate_port(&p->gate, p->listener.port);
        good = program_print(p) && view_server_run(p->server);
    }
    view_listener_close(&p->listener);
    view_server_free(p->server);
    page_drives_finish(&p->hub);
    return good;
}

int main(int argc, char **argv)
{
    static struct program p;
    bool good;

    streams_init();
    if (!view_options_parse(argc, argv, &p.options))
        return 2;
    good =
        program_prepare(&p) && (!p.options.file || view_recording_open(&p.hub)) && program_run(&p);
    if (p.options.file)
        view_recording_close(&p.hub);
    view_loop_finish(&p.loop);
    return good && streams_finish() ? EXIT_SUCCESS : EXIT_FAILURE;
}
