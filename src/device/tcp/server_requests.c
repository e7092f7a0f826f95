/* SPDX-License-Identifier: BSD-3-Clause */
/* server_requests.c - requests of clients to the server itself */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "wire.h"

#define WRONG_KEYS_MAX 3u

/* Clients of Player refuse a list with devices of another port. */
static bool listed(const struct tcp_session *s, const ach_device_info_t *info)
{
    return !info->remote && info->address.robot == s->robot;
}

static void list_devices(struct tcp_session *s, const ach_header_t *h,
                         const ach_device_info_t *infos, size_t n, ach_devaddr_t *addrs)
{
    ach_player_devlist_t list = {.devices = addrs};
    size_t i;

    for (i = 0; i < n && list.devices_count < ACH_PLAYER_MAX_DEVICES; i++)
        if (listed(s, &infos[i]))
            addrs[list.devices_count++] =
                (ach_devaddr_t){.host = s->host,
                                .robot = tcp_server_port(s->server, infos[i].address.robot),
                                .interf = infos[i].address.interf,
                                .index = infos[i].address.index};
    tcp_session_answer(s, h, ACH_MSG_ACK, &list);
}

static void devlist(struct tcp_session *s, const ach_header_t *h, const void *body)
{
    size_t n = ach_robot_devices(s->server->robot, NULL, 0);
    ach_device_info_t *infos = calloc(n + 1, sizeof(*infos));
    ach_devaddr_t *addrs = calloc(n + 1, sizeof(*addrs));

    (void)body;
    if (infos && addrs) {
        ach_robot_devices(s->server->robot, infos, n);
        list_devices(s, h, infos, n, addrs);
    } else {
        tcp_session_answer(s, h, ACH_MSG_NACK, NULL);
    }
    free(infos);
    free(addrs);
}

static void driverinfo(struct tcp_session *s, const ach_header_t *h, const void *body)
{
    ach_player_driverinfo_t answer = *(const ach_player_driverinfo_t *)body;
    ach_address_t device = tcp_session_device(s, answer.addr.interf, answer.addr.index);
    ach_device_info_t info;

    if (ach_robot_find(s->server->robot, &device, &info) != ACH_OK) {
        tcp_session_answer(s, h, ACH_MSG_NACK, NULL);
        return;
    }
    answer.addr.host = s->host;
    answer.addr.robot = tcp_server_port(s->server, device.robot);
    answer.driver_name = info.driver;
    answer.driver_name_count = (uint32_t)strlen(info.driver) + 1;
    tcp_session_answer(s, h, ACH_MSG_ACK, &answer);
}

static void dev(struct tcp_session *s, const ach_header_t *h, const void *body)
{
    const ach_player_device_req_t *req = body;

    if (req->access == ACH_PLAYER_OPEN_MODE)
        tcp_subscription_open(s, h, req);
    else if (req->access == ACH_PLAYER_CLOSE_MODE)
        tcp_subscription_close(s, h, req);
    else
        tcp_session_answer(s, h, ACH_MSG_NACK, NULL);
}

/* The answer goes ahead of the queue, so that the data follows it. */
static void data(struct tcp_session *s, const ach_header_t *h, const void *body)
{
    ach_header_t answer = *h;

    (void)body;
    answer.type = ACH_MSG_ACK;
    answer.timestamp = ach_robot_time(s->server->robot);
    if (ach_message_create(&answer, NULL, &s->urgent) == ACH_OK)
        s->asked = true;
}

static void datamode(struct tcp_session *s, const ach_header_t *h, const void *body)
{
    uint8_t mode = ((const ach_player_datamode_req_t *)body)->mode;

    if (mode != ACH_PLAYER_DATAMODE_PUSH && mode != ACH_PLAYER_DATAMODE_PULL) {
        tcp_session_answer(s, h, ACH_MSG_NACK, NULL);
        return;
    }
    s->pull = mode == ACH_PLAYER_DATAMODE_PULL;
    s->asked = s->fed = false;
    s->allowed = 0;
    tcp_session_answer(s, h, ACH_MSG_ACK, NULL);
}

static void add_rule(struct tcp_session *s, const ach_header_t *h, const void *body)
{
    const ach_player_add_replace_rule_req_t *r = body;
    const ach_rule_t rule = {r->interf, r->index, r->type, r->subtype, r->replace};
    bool added = ach_queue_rule(s->queue, &rule) == ACH_OK;

    tcp_session_answer(s, h, added ? ACH_MSG_ACK : ACH_MSG_NACK, NULL);
}

/* Compare in constant time. A final NUL is ignored. */
static bool same_key(const char *secret, const ach_player_auth_req_t *r)
{
    size_t i, n = r->auth_key_count;
    char key[ACH_PLAYER_MAX_KEY + 1] = "", right[sizeof(key)] = "";
    volatile unsigned char differ = 0;

    if (n && r->auth_key[n - 1] == 0)
        n--;
    if (n)
        memcpy(key, r->auth_key, n);
    snprintf(right, sizeof(right), "%s", secret);
    for (i = 0; i < sizeof(key); i++)
        differ = (unsigned char)(differ | (key[i] ^ right[i]));
    return !differ && n == strlen(secret);
}

static void auth(struct tcp_session *s, const ach_header_t *h, const void *body)
{
    const char *secret = s->server->options.secret;
    bool may = tcp_account_may_guess(s->account); /* may_take checks it, except after `ended` */

    if (*secret && same_key(secret, body) && may) {
        s->trusted = true;
        tcp_session_know(s);
        tcp_session_answer(s, h, ACH_MSG_ACK, NULL);
        return;
    }
    tcp_session_answer(s, h, ACH_MSG_NACK, NULL);
    if (!*secret)
        return;
    tcp_account_guessed_wrong(s->account);
    ach_robot_log(s->server->robot, ACH_LOG_WARNING, "client %s has sent a wrong secret%s", s->name,
                  ++s->wrong < WRONG_KEYS_MAX ? "" : ", and is disconnected");
    if (s->wrong >= WRONG_KEYS_MAX)
        tcp_session_close(s, "it does not know the secret");
}

static void route(struct tcp_session *s, const ach_header_t *h, const unsigned char *body,
                  size_t size)
{
    char text[ACH_ROUTE_MAX + 2], *copy = NULL;

    if (tcp_wire_text(body, size, text, sizeof(text)))
        copy = strdup(text);
    if (copy) {
        free(s->route);
        s->route = copy;
    }
    tcp_session_answer(s, h, copy ? ACH_MSG_ACK : ACH_MSG_NACK, NULL);
}

/* Requests by subtype. Strangers may send only those that concern their own connection. */
static const struct {
    void (*act)(struct tcp_session *s, const ach_header_t *h, const void *body);
    const ach_type_t *body; /* required; NULL: the body is ignored */
    bool stranger;
    bool lists; /* reveals devices: needs ACH_RIGHT_LIST */
} requests[] = {
    [ACH_PLAYER_REQ_DEVLIST] = {devlist, NULL, false, true},
    [ACH_PLAYER_REQ_DRIVERINFO] = {driverinfo, &ach_player_driverinfo_type, false, true},
    [ACH_PLAYER_REQ_DEV] = {dev, &ach_player_device_req_type, false, false},
    [ACH_PLAYER_REQ_DATA] = {data, NULL, true, false},
    [ACH_PLAYER_REQ_DATAMODE] = {datamode, &ach_player_datamode_req_type, true, false},
    [ACH_PLAYER_REQ_AUTH] = {auth, &ach_player_auth_req_type, true, false},
    [ACH_PLAYER_REQ_ADD_REPLACE_RULE] = {add_rule, &ach_player_add_replace_rule_req_type, true,
                                         false},
};

/* True: the client has no right to list devices, and was sent a NACK. */
static bool may_not_list(struct tcp_session *s, const ach_header_t *h)
{
    char why[TCP_WHY];

    if (tcp_rights_of(s, NULL) & ACH_RIGHT_LIST)
        return false;
    tcp_rights_log(s, "the list of devices", tcp_rights_why(s, NULL, 0, why));
    if (s->route)
        tcp_session_explain(s->queue, h, why);
    tcp_session_answer(s, h, ACH_MSG_NACK, NULL);
    return true;
}

static void act(struct tcp_session *s, const ach_header_t *h, const unsigned char *bytes,
                size_t size)
{
    const ach_type_t *type = requests[h->subtype].body;
    void *body = NULL;

    if (requests[h->subtype].lists && may_not_list(s, h))
        return;
    if (type && ach_decode_new(type, bytes, size, &body) != ACH_OK) {
        tcp_session_answer(s, h, ACH_MSG_NACK, NULL);
        return;
    }
    requests[h->subtype].act(s, h, body);
    free(body);
}

void tcp_player_request(struct tcp_session *s, const ach_header_t *h, const unsigned char *body,
                        size_t size)
{
    bool known = h->subtype < sizeof(requests) / sizeof(requests[0]) && requests[h->subtype].act;

    s->asking += h->subtype == ACH_PLAYER_REQ_DEV; /* the answer waits for the driver's setup */
    if (known && (s->trusted || requests[h->subtype].stranger))
        act(s, h, body, size);
    else if (h->subtype == TCP_REQ_ROUTE && s->trusted)
        route(s, h, body, size);
    else
        tcp_session_answer(s, h, ACH_MSG_NACK, NULL);
}
