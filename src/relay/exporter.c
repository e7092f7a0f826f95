/* SPDX-License-Identifier: BSD-3-Clause */
#include "exporter.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "stream.h"

#define PAGE "/metrics"
#define EXCHANGE_NS 10000000000u
#define RETRY_NS 1000000000u

static struct relay_exporter_client *client_free(struct relay_exporter *e)
{
    unsigned i;

    for (i = 0; i < RELAY_EXPORTER_CLIENTS; i++)
        if (e->clients[i].state == CLIENT_FREE)
            return &e->clients[i];
    return NULL;
}

static void exporter_listen(struct relay_exporter *e)
{
    relay_loop_want(e->loop, &e->listener, client_free(e) && !e->retry ? EPOLLIN : 0);
}

static void client_end(struct relay_exporter_client *c)
{
    int fd = c->watch.fd;

    relay_loop_remove(c->exporter->loop, &c->watch);
    close(fd);
    free(c->text);
    c->text = NULL;
    c->state = CLIENT_FREE;
    exporter_listen(c->exporter);
}

/* A reset tells the client that the text is not whole. */
static void client_abort(struct relay_exporter_client *c)
{
    const struct linger now = {.l_onoff = 1};

    setsockopt(c->watch.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    client_end(c);
}

/* If bytes of the client were unread, a close would be a reset, and could destroy the answer. */
static void client_finish(struct relay_exporter_client *c)
{
    c->state = CLIENT_ENDING;
    c->got = 0;
    shutdown(c->watch.fd, SHUT_WR);
    relay_loop_want(c->exporter->loop, &c->watch, EPOLLIN);
}

static bool client_fill(struct relay_exporter_client *c, unsigned status)
{
    const struct relay_exporter *e = c->exporter;
    FILE *out;

    free(c->text);
    c->text = NULL;
    c->size = c->sent = 0;
    out = open_memstream(&c->text, &c->size);
    if (!out)
        return false;
    if (!status) {
        c->more = relay_metrics_write(out, &c->place, *e->peers, *e->links, relay_clock_now());
        return fclose(out) == 0;
    }
    fprintf(out, "HTTP/1.0 %u %s\r\nConnection: close\r\n", status, relay_http_reason(status));
    if (status == 405)
        fputs("Allow: GET, HEAD\r\n", out);
    fprintf(out, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n\r\n");
    if (status != 200)
        fprintf(out, "%u %s: the figures of achd are at " PAGE "\n", status,
                relay_http_reason(status));
    return fclose(out) == 0;
}

static void client_answer(struct relay_exporter_client *c, unsigned status, bool whole)
{
    c->place = (struct relay_metrics_place){0};
    c->more = whole;
    c->state = CLIENT_ANSWERED;
    if (client_fill(c, status))
        relay_loop_want(c->exporter->loop, &c->watch, EPOLLOUT);
    else
        client_abort(c);
}

/* An event may be of the connection that had this memory before. */
static bool later(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void client_receive(struct relay_exporter_client *c)
{
    ssize_t n = recv(c->watch.fd, c->request + c->got, sizeof(c->request) - c->got, MSG_DONTWAIT);
    enum relay_http_method method = RELAY_HTTP_GET;
    unsigned status;

    if (later(n))
        return;
    if (n <= 0) {
        client_end(c);
        return;
    }
    c->got += (size_t)n;
    status = relay_http_parse(c->request, c->got, PAGE, &method);
    if (status)
        client_answer(c, status, status == 200 && method == RELAY_HTTP_GET);
}

/* Discard what follows the request, but not for ever. */
static void client_drain(struct relay_exporter_client *c)
{
    ssize_t n = recv(c->watch.fd, c->request, sizeof(c->request), MSG_DONTWAIT);

    if (later(n))
        return;
    if (n > 0)
        c->got += (size_t)n;
    if (n <= 0 || c->got > 16 * sizeof(c->request))
        client_end(c);
}

/* One piece in each turn of the loop: messages are more urgent. */
static void client_send(struct relay_exporter_client *c)
{
    ssize_t n =
        send(c->watch.fd, c->text + c->sent, c->size - c->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (later(n))
        return;
    if (n < 0) {
        client_end(c);
        return;
    }
    c->sent += (size_t)n;
    if (c->sent < c->size)
        return;
    if (!c->more)
        client_finish(c);
    else if (!client_fill(c, 0))
        client_abort(c);
}

static void client_ready(struct relay_watch *w, uint32_t events)
{
    struct relay_exporter_client *c = (struct relay_exporter_client *)(void *)w;

    if (c->state == CLIENT_ANSWERED && events & EPOLLOUT)
        client_send(c);
    else if (c->state == CLIENT_ASKING && events & EPOLLIN)
        client_receive(c);
    else if (c->state == CLIENT_ENDING && events & EPOLLIN)
        client_drain(c);
    else if (events & (EPOLLERR | EPOLLHUP))
        client_end(c);
}

static void client_begin(struct relay_exporter *e, struct relay_exporter_client *c)
{
    int fd = accept4(e->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE)
            e->retry = relay_clock_now() + RETRY_NS;
        exporter_listen(e);
        return;
    }
    *c = (struct relay_exporter_client){
        .watch.ready = client_ready, .exporter = e, .deadline = relay_clock_now() + EXCHANGE_NS};
    if (relay_loop_add(e->loop, &c->watch, fd, EPOLLIN))
        c->state = CLIENT_ASKING;
    else
        close(fd);
    exporter_listen(e);
}

static void exporter_ready(struct relay_watch *w, uint32_t events)
{
    struct relay_exporter *e = (struct relay_exporter *)(void *)w;
    struct relay_exporter_client *c = client_free(e);

    (void)events;
    if (c)
        client_begin(e, c);
}

bool relay_exporter_init(struct relay_exporter *e, struct relay_loop *loop, unsigned port,
                         struct relay_peer *const *peers, struct relay_link *const *links)
{
    int fd = relay_tcp_listen("127.0.0.1", &port, false);

    if (fd < 0)
        return false;
    *e = (struct relay_exporter){.loop = loop, .peers = peers, .links = links, .port = port};
    e->listener.ready = exporter_ready;
    if (relay_loop_add(loop, &e->listener, fd, EPOLLIN))
        return true;
    close(fd);
    ach_errstr_set(ACH_FAILED_SYSCALL, "cannot wait for connections to the metrics");
    return false;
}

void relay_exporter_finish(struct relay_exporter *e)
{
    unsigned i;
    int fd = e->listener.fd;

    for (i = 0; i < RELAY_EXPORTER_CLIENTS; i++)
        if (e->clients[i].state != CLIENT_FREE)
            client_abort(&e->clients[i]);
    if (!fd)
        return;
    relay_loop_remove(e->loop, &e->listener);
    close(fd);
}

uint64_t relay_exporter_deadline(const struct relay_exporter *e)
{
    uint64_t until = e->retry ? e->retry : UINT64_MAX;
    unsigned i;

    for (i = 0; i < RELAY_EXPORTER_CLIENTS; i++)
        if (e->clients[i].state != CLIENT_FREE && e->clients[i].deadline < until)
            until = e->clients[i].deadline;
    return until;
}

void relay_exporter_tick(struct relay_exporter *e, uint64_t now)
{
    unsigned i;

    for (i = 0; i < RELAY_EXPORTER_CLIENTS; i++)
        if (e->clients[i].state != CLIENT_FREE && now >= e->clients[i].deadline)
            client_abort(&e->clients[i]);
    if (e->retry && now >= e->retry) {
        e->retry = 0;
        exporter_listen(e);
    }
}
