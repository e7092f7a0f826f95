/* SPDX-License-Identifier: BSD-3-Clause */
#include "server.h"

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "assets.h"
#include "client.h"
#include "complain.h"
#include "roster.h"

#define CHUNK ((size_t)64 << 10) /* written at once */
#define HEADERS 2048u
#define HEADER 1024u
#define HANDSHAKE_SECONDS 5
#define CLOSE_SECONDS 3
#define IDLE_SECONDS 30 /* then a client is asked whether it is still there */
#define GONE_SECONDS 45
/* Old data in the kernel's buffer would delay new data. */
#define KERNEL_BUFFER (512 << 10)

struct view_server {
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct view_hub *hub;
    const struct view_gate *gate;
    unsigned connections, sockets;
    bool ended;
    uint8_t chunk[LWS_PRE + CHUNK];
};

/* A request for a file of the page. */
struct server_request {
    const struct view_asset *asset;
    size_t sent;
    bool counted;
};

struct server_socket {
    struct lws *wsi;
    struct view_client *client;
    bool closing;
    uint8_t *message; /* what has come of one */
    size_t size, room;
};

static struct view_server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* NULL: the request has no such header. "", which nothing accepts: it is too long. */
static const char *server_header(struct lws *wsi, enum lws_token_indexes token, char text[HEADER])
{
    if (!lws_hdr_total_length(wsi, token))
        return NULL;
    if (lws_hdr_copy(wsi, text, HEADER, token) <= 0)
        *text = '\0';
    return text;
}

struct server_answer {
    unsigned status;
    const char *type, *text;
    const char *cookie; /* set it; NULL: none */
    const char *location;
};

static bool server_add(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                       unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at,
                                       end) == 0;
}

/* The page may use its own files and connect to its own server, and no other page may contain it. */
static bool server_protect(struct lws *wsi, const struct view_server *s, unsigned char **at,
                           unsigned char *end)
{
    char host[HEADER], policy[2 * HEADER];
    const char *name = server_header(wsi, WSI_TOKEN_HOST, host);

    snprintf(policy, sizeof(policy),
             "default-src 'self'; connect-src 'self' ws://%s; img-src 'self' blob: data:; "
             "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             name && view_gate_host(s->gate, name) ? name : "localhost");
    return server_add(wsi, "content-security-policy:", policy, at, end) &&
           server_add(wsi, "x-content-type-options:", "nosniff", at, end) &&
           server_add(wsi, "x-frame-options:", "DENY", at, end) &&
           server_add(wsi, "referrer-policy:", "no-referrer", at, end) &&
           server_add(wsi, "cross-origin-resource-policy:", "same-origin", at, end) &&
           server_add(wsi, "cache-control:", "no-store", at, end);
}

static bool server_headers(struct lws *wsi, const struct server_answer *a, size_t size)
{
    struct view_server *s = server_of(wsi);
    unsigned char buffer[LWS_PRE + HEADERS], *start = buffer + LWS_PRE, *at = start,
                                             *end = buffer + sizeof(buffer) - 1;

    if (lws_add_http_common_headers(wsi, a->status, a->type, (lws_filepos_t)size, &at, end) ||
        !server_protect(wsi, s, &at, end) ||
        (a->status == 405 && !server_add(wsi, "allow:", "GET", &at, end)) ||
        (a->location && !server_add(wsi, "location:", a->location, &at, end)) ||
        (a->cookie && !server_add(wsi, "set-cookie:", a->cookie, &at, end)))
        return false;
    return lws_finalize_write_http_header(wsi, start, &at, end) == 0;
}

/* As a callback: 0, or -1 to close. */
static int server_answer(struct lws *wsi, const struct server_answer *a)
{
    unsigned char buffer[LWS_PRE + HEADER];
    size_t n = strlen(a->text);

    memcpy(buffer + LWS_PRE, a->text, n);
    if (!server_headers(wsi, a, n) || lws_write(wsi, buffer + LWS_PRE, n, LWS_WRITE_HTTP_FINAL) < 0)
        return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int server_refuse(struct lws *wsi, unsigned status, const char *text)
{
    const struct server_answer a = {.status = status, .type = "text/plain", .text = text};

    return server_answer(wsi, &a);
}

/* From the address, as "token=...". */
static const char *server_token(struct lws *wsi, char text[HEADER])
{
    return lws_get_urlarg_by_name(wsi, "token=", text, HEADER);
}

/* NULL: the request may be served; otherwise why not, with the status. */
static const char *server_check(struct lws *wsi, bool socket, unsigned *status)
{
    const struct view_gate *g = server_of(wsi)->gate;
    char host[HEADER], text[HEADER];
    const char *name = server_header(wsi, WSI_TOKEN_HOST, host);

    *status = 403;
    if (!view_gate_host(g, name))
        return "This name is not served here: start 'ach view' with --host NAME to allow it.\n";
    if (socket && !view_gate_origin(g, server_header(wsi, WSI_TOKEN_ORIGIN, text), name))
        return "Pages of this origin may not connect: start 'ach view' with --origin to allow "
               "it.\n";
    *status = 401;
    if (view_gate_token(g, server_token(wsi, text)) ||
        view_gate_cookie(g, server_header(wsi, WSI_TOKEN_HTTP_COOKIE, text)))
        return NULL;
    return "The token is missing or wrong: use the address that 'ach view' has printed.\n";
}

/* The token moves from the address into a cookie, so that it stays in no history. */
static int server_welcome(struct lws *wsi)
{
    const struct view_gate *g = server_of(wsi)->gate;
    struct server_answer a = {.status = 303, .type = "text/plain", .text = "", .location = "/"};
    char cookie[256];

    snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict", g->cookie,
             g->token);
    a.cookie = cookie;
    return server_answer(wsi, &a);
}

static int server_begin(struct lws *wsi, struct server_request *r, const char *path)
{
    const struct view_asset *asset = view_asset_find(path);
    char text[HEADER];
    struct server_answer a;
    const char *why;
    unsigned status;

    why = server_check(wsi, false, &status);
    if (why)
        return server_refuse(wsi, status, why);
    if (!lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI))
        return server_refuse(wsi, 405, "Only GET is served here.\n");
    if (!asset)
        return server_refuse(wsi, 404, "There is no such file.\n");
    if (server_token(wsi, text))
        return server_welcome(wsi);
    a = (struct server_answer){.status = 200, .type = asset->type};
    if (!server_headers(wsi, &a, asset->size))
        return -1;
    r->asset = asset;
    r->sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int server_continue(struct lws *wsi, struct server_request *r)
{
    struct view_server *s = server_of(wsi);
    size_t n;
    bool last;

    if (!r || !r->asset)
        return 0;
    n = r->asset->size - r->sent < CHUNK ? r->asset->size - r->sent : CHUNK;
    last = r->sent + n == r->asset->size;
    memcpy(s->chunk + LWS_PRE, r->asset->bytes + r->sent, n);
    if (lws_write(wsi, s->chunk + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
        return -1;
    r->sent += n;
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    r->asset = NULL;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

#define PAGE_V1 "ach.view.v1"
#define FOXGLOVE_SDK_V1 "foxglove.sdk.v1"
#define FOXGLOVE_V1 "foxglove.websocket.v1"

/* Does the list of a request have a subprotocol of ours? */
static bool server_speaks(const char *list)
{
    static const char *const ours[] = {PAGE_V1, FOXGLOVE_SDK_V1, FOXGLOVE_V1};
    size_t i, n;

    for (; list && *list; list += n) {
        list += strspn(list, ", \t");
        n = strcspn(list, ", \t");
        for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
            if (strlen(ours[i]) == n && memcmp(ours[i], list, n) == 0)
                return true;
    }
    return false;
}

/* 0: the upgrade may go on; > 0: it was answered. */
static int server_upgrade(struct lws *wsi, const char *upgrade)
{
    const struct view_server *s = server_of(wsi);
    char text[HEADER];
    const char *why;
    unsigned status;

    if (strcmp(upgrade, "websocket") != 0)
        return -1;
    why = server_check(wsi, true, &status);
    if (!why && !server_speaks(server_header(wsi, WSI_TOKEN_PROTOCOL, text))) {
        why = "The subprotocols of WebSockets here are " FOXGLOVE_SDK_V1 ", " FOXGLOVE_V1
              " and " PAGE_V1 ": ask for one of them.\n";
        status = 400;
    }
    if (!why && s->sockets >= s->hub->options->clients) {
        why = "There are too many clients: see --clients of 'ach view'.\n";
        status = 503;
    }
    if (!why)
        return 0;
    return server_refuse(wsi, status, why) ? -1 : 1;
}

static int server_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size)
{
    struct server_request *r = user;

    (void)size;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return server_begin(wsi, r, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return server_continue(wsi, r);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return server_upgrade(wsi, in);
    case LWS_CALLBACK_WSI_CREATE:
        server_of(wsi)->connections++;
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        server_of(wsi)->connections--;
        return 0;
    /* No WebSocket has this protocol. */
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    case LWS_CALLBACK_ESTABLISHED:
    case LWS_CALLBACK_HTTP_BODY:
        return -1;
    default:
        return 0;
    }
}

static int server_loop(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size)
{
    (void)user;
    (void)in;
    (void)size;
    if (reason == LWS_CALLBACK_RAW_RX_FILE)
        view_loop_turn(server_of(wsi)->hub->loop);
    return reason == LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION ? -1 : 0;
}

static void socket_wake(void *connection)
{
    struct server_socket *k = connection;

    if (k->client && k->client->code && !k->closing) { /* it may never read what is left */
        k->closing = true;
        lws_set_timeout(k->wsi, PENDING_TIMEOUT_CLOSE_SEND, CLOSE_SECONDS);
    }
    lws_callback_on_writable(k->wsi);
}

static int socket_open(struct lws *wsi, struct server_socket *k)
{
    const struct view_protocol *p = lws_get_protocol(wsi)->user;
    struct view_server *s = server_of(wsi);
    int room = KERNEL_BUFFER;

    *k = (struct server_socket){.wsi = wsi};
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    k->client = view_client_new(s->hub, p, socket_wake, k);
    if (!k->client)
        return -1;
    s->sockets++;
    return 0;
}

static void socket_close(struct lws *wsi, struct server_socket *k)
{
    if (!k->client)
        return;
    server_of(wsi)->sockets--;
    view_client_free(k->client);
    free(k->message);
    *k = (struct server_socket){.wsi = NULL};
}

static bool socket_store(struct server_socket *k, const void *bytes, size_t size)
{
    size_t room = k->room ? k->room : 4096;
    uint8_t *bigger;

    while (room < k->size + size + 1)
        room *= 2;
    bigger = room > k->room ? realloc(k->message, room) : k->message;
    if (!bigger)
        return false;
    k->message = bigger;
    k->room = room;
    memcpy(bigger + k->size, bytes, size);
    k->size += size;
    bigger[k->size] = '\0';
    return true;
}

/* A message comes in pieces. A large one is refused before it is stored. */
static void socket_receive(struct lws *wsi, struct server_socket *k, const void *bytes, size_t size)
{
    bool text = !lws_frame_is_binary(wsi);
    size_t most = text ? k->client->protocol->text_max : k->client->protocol->binary_max;

    if (k->client->code)
        return;
    if (k->size + size > most) {
        view_client_close(k->client, VIEW_CLOSE_TOO_LARGE, "message too large");
        return;
    }
    if (!socket_store(k, bytes, size)) {
        view_client_close(k->client, VIEW_CLOSE_INTERNAL, "no memory");
        return;
    }
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi))
        return;
    size = k->size;
    k->size = 0;
    view_client_receive(k->client, text, k->message, size);
}

/* Write a part of the first frame. */
static int socket_write(struct lws *wsi, struct view_client *c)
{
    uint8_t *chunk = server_of(wsi)->chunk + LWS_PRE;
    const struct view_frame *f = c->out.first;
    bool first = f->sent == 0, last;
    int kind = f->text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY;
    size_t n = view_outbox_take(&c->out, chunk, CHUNK);

    last = f->sent == view_frame_size(f);
    if (lws_write(wsi, chunk, n, (enum lws_write_protocol)lws_write_ws_flags(kind, first, last)) <
        0)
        return -1;
    if (last)
        view_outbox_pop(&c->out);
    return 0;
}

/* What the kernel takes at once. Then others have their turn. */
static int socket_writable(struct lws *wsi, struct server_socket *k)
{
    struct view_client *c = k->client;
    size_t i;

    for (i = 0; i < 16 && c->out.first; i++) {
        if (socket_write(wsi, c) != 0)
            return -1;
        if (lws_send_pipe_choked(wsi))
            break;
    }
    view_roster_tell(c);
    if (c->out.first) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    if (!c->code)
        return 0;
    lws_close_reason(wsi, (enum lws_close_status)c->code, (unsigned char *)c->reason,
                     strlen(c->reason));
    return -1;
}

static int server_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size)
{
    struct server_socket *k = user;

    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        return socket_open(wsi, k);
    case LWS_CALLBACK_CLOSED:
        socket_close(wsi, k);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        socket_receive(wsi, k, in, size);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return socket_writable(wsi, k);
    default:
        return 0;
    }
}

#define SOCKET(text, protocol)                                                                     \
    {                                                                                              \
        .name = (text), .callback = server_socket,                                                 \
        .per_session_data_size = sizeof(struct server_socket), .rx_buffer_size = 16384,            \
        .user = (void *)(uintptr_t) & (protocol)                                                   \
    }

/* The first one gets requests that are no WebSockets. */
static const struct lws_protocols server_protocols[] = {
    {.name = "http",
     .callback = server_http,
     .per_session_data_size = sizeof(struct server_request)},
    {.name = "loop", .callback = server_loop},
    SOCKET(PAGE_V1, view_protocol_page),
    SOCKET(FOXGLOVE_SDK_V1, view_protocol_foxglove),
    SOCKET(FOXGLOVE_V1, view_protocol_foxglove),
    {0},
};

static void server_log(int level, const char *line)
{
    (void)level;
    view_complain("%.*s", (int)strcspn(line, "\n"), line);
}

static const lws_retry_bo_t server_idle = {.secs_since_valid_ping = IDLE_SECONDS,
                                           .secs_since_valid_hangup = GONE_SECONDS};

static bool server_watch(struct view_server *s)
{
    lws_sock_file_fd_type fd = {.filefd = dup(s->hub->loop->epoll)};

    return fd.filefd >= 0 &&
           lws_adopt_descriptor_vhost(s->vhost, LWS_ADOPT_RAW_FILE_DESC, fd, "loop", NULL);
}

struct view_server *view_server_new(struct view_hub *h, const struct view_gate *gate)
{
    struct view_server *s = calloc(1, sizeof(*s));
    const struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = server_protocols,
        .server_string = "ach",
        .user = s,
        .timeout_secs = HANDSHAKE_SECONDS,
        .timeout_secs_ah_idle = HANDSHAKE_SECONDS,
        .keepalive_timeout = HANDSHAKE_SECONDS,
        .max_http_header_data2 = 4096,
        .pt_serv_buf_size = CHUNK,
        .options = LWS_SERVER_OPTION_VALIDATE_UTF8,
        .retry_and_idle_policy = &server_idle,
    };

    if (!s) {
        view_complain("no memory");
        return NULL;
    }
    s->hub = h;
    s->gate = gate;
    lws_set_log_level(LLL_ERR, server_log);
    s->context = lws_create_context(&info);
    s->vhost = s->context ? lws_get_vhost_by_name(s->context, "default") : NULL;
    if (s->vhost && server_watch(s)) {
        lws_set_log_level(0, server_log); /* errors from now on are those of clients */
        return s;
    }
    view_complain("the web server does not start");
    view_server_free(s);
    return NULL;
}

void view_server_free(struct view_server *s)
{
    if (!s)
        return;
    if (s->context)
        lws_context_destroy(s->context);
    free(s);
}

void view_server_take(struct view_server *s, int fd)
{
    lws_adopt_socket_vhost(s->vhost, fd);
}

unsigned view_server_strangers(const struct view_server *s)
{
    return s->connections - s->sockets;
}

bool view_server_run(struct view_server *s)
{
    while (!s->ended)
        if (lws_service(s->context, 0) < 0)
            return s->ended;
    return true;
}

void view_server_end(struct view_server *s)
{
    s->ended = true;
}
