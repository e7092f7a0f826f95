/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <ach/interface/player.h>
#include <ach/transport.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>

#include "check.h"

#define HOLD_MAX 64u
#define BODY_MAX 65536u

/* A link begins with this many requests: data mode, route, subscription to the device. */
#define ASKED_FIRST 3u

struct reference {
    struct reference_options options;
    int fd;
    uint16_t port;
    pthread_t thread;
    _Atomic unsigned commands, clients;
    _Atomic bool end;
};

struct visitor {
    struct reference *reference;
    int fd;
    ach_message_t *held[HOLD_MAX];
    unsigned n_held;
};

/* Returns false if the client has disconnected. */
static bool receive_all(struct visitor *v, unsigned char *to, size_t n)
{
    while (n) {
        bool slow = v->reference->options.slow;
        ssize_t got = recv(v->fd, to, slow && n > 500 ? 500 : n, 0);

        if (got <= 0)
            return false;
        to += got;
        n -= (size_t)got;
        if (slow)
            check_sleep_ms(2);
    }
    return true;
}

static void send_frame(const struct visitor *v, const ach_header_t *h, const void *body,
                       uint32_t size)
{
    unsigned char bytes[ACH_FRAME_HEADER + BODY_MAX];

    ach_frame_write(h, size, bytes);
    if (size)
        memcpy(bytes + ACH_FRAME_HEADER, body, size);
    send(v->fd, bytes, ACH_FRAME_HEADER + size, MSG_NOSIGNAL); /* may fail: client closed */
}

static void answer(const struct visitor *v, const ach_message_t *request)
{
    ach_header_t h = *ach_message_header(request);
    size_t size;
    const void *body = ach_message_bytes(request, &size);

    h.type = ACH_MSG_ACK;
    h.sequence = 0;
    send_frame(v, &h, body, (uint32_t)size);
}

static void answer_held(struct visitor *v)
{
    unsigned subtype = 256, i;

    while (subtype--)
        for (i = 0; i < v->n_held; i++)
            if (ach_message_header(v->held[i])->subtype == subtype)
                answer(v, v->held[i]);
    while (v->n_held)
        ach_message_unref(v->held[--v->n_held]);
}

/* Requests to the server itself are answered with their sequence, those to devices with 0. */
static void take_request(struct visitor *v, const ach_header_t *h, const unsigned char *body,
                         uint32_t size)
{
    ach_header_t own = *h;

    if (h->address.interf == ACH_PLAYER_CODE) {
        own.type = h->subtype < 100 ? ACH_MSG_ACK : ACH_MSG_NACK;
        send_frame(v, &own, body, own.type == ACH_MSG_ACK ? size : 0);
        return;
    }
    REQUIRE(v->n_held < HOLD_MAX);
    REQUIRE_OK(ach_message_wrap(h, body, size, &v->held[v->n_held]));
    if (++v->n_held >= v->reference->options.hold)
        answer_held(v);
}

static bool take(struct visitor *v, unsigned char *body)
{
    const struct reference_options *o = &v->reference->options;
    unsigned char bytes[ACH_FRAME_HEADER];
    ach_header_t h;
    uint32_t size;

    if (!receive_all(v, bytes, sizeof(bytes)) || ach_frame_read(bytes, &h, &size) != ACH_OK ||
        size > BODY_MAX || !receive_all(v, body, size))
        return false;
    if (h.type == ACH_MSG_CMD)
        v->reference->commands++;
    else
        take_request(v, &h, body, size);
    return !(o->rude && h.address.interf == ACH_PLAYER_CODE && h.subtype == ACH_PLAYER_REQ_DEV);
}

static void *serve(void *context)
{
    static const char greeting[32] = "Player v.3.1.0";
    struct visitor *v = context;
    unsigned char *body = malloc(BODY_MAX);
    unsigned taken = 0;

    REQUIRE(body);
    send(v->fd, greeting, sizeof(greeting), MSG_NOSIGNAL);
    while ((!v->reference->options.deaf || taken < ASKED_FIRST) && take(v, body))
        taken++;
    while (v->reference->options.deaf && !v->reference->end)
        check_sleep_ms(5);
    close(v->fd);
    while (v->n_held)
        ach_message_unref(v->held[--v->n_held]);
    free(body);
    v->reference->clients--;
    free(v);
    return NULL;
}

static void *listen_all(void *context)
{
    struct reference *r = context;
    const int on = 1;
    int fd;

    while ((fd = accept(r->fd, NULL, NULL)) >= 0 && !r->end) {
        struct visitor *v = calloc(1, sizeof(*v));
        pthread_t thread;

        REQUIRE(v);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)); /* no Nagle delay */
        *v = (struct visitor){.reference = r, .fd = fd};
        r->clients++;
        REQUIRE(pthread_create(&thread, NULL, serve, v) == 0);
        pthread_detach(thread);
    }
    return NULL;
}

struct reference *reference_start(const struct reference_options *options)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int little = 4096;
    socklen_t size = sizeof(a);
    struct reference *r = calloc(1, sizeof(*r));

    REQUIRE(r);
    r->options = *options;
    r->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (options->slow || options->deaf)
        setsockopt(r->fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little));
    REQUIRE(bind(r->fd, (struct sockaddr *)&a, size) == 0 && listen(r->fd, 64) == 0);
    REQUIRE(getsockname(r->fd, (struct sockaddr *)&a, &size) == 0);
    r->port = ntohs(a.sin_port);
    REQUIRE(pthread_create(&r->thread, NULL, listen_all, r) == 0);
    return r;
}

uint16_t reference_port(const struct reference *r)
{
    return r->port;
}

unsigned reference_commands(const struct reference *r)
{
    return r->commands;
}

void reference_end(struct reference *r)
{
    r->end = true;
    shutdown(r->fd, SHUT_RDWR);
    pthread_join(r->thread, NULL);
    while (r->clients)
        check_sleep_ms(1);
    close(r->fd);
    free(r);
}
