/* SPDX-License-Identifier: BSD-3-Clause */
/* player.c - what clients ask of the server itself */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "wire.h"

#define WRONG_KEYS_MAX 3u

void achi_session_answer(struct achi_session *s, const ach_header_t *request, uint8_t type,
                         const void *body)
{
    ach_header_t h = *request;
    ach_message_t *m;

    h.type = type;
    h.timestamp = ach_robot_time(s->server->robot);
    if (ach_message_create(&h, body, &m) != ACH_OK)
        return;
    ach_queue_push(s->queue, m);
    ach_message_unref(m);
}

static bool listed(const ach_device_info_t *info)
{
    return !info->remote;
}

static void list_devices(struct achi_session *s, const ach_header_t *h,
                         const ach_device_info_t *infos, size_t n, ach_devaddr_t *addrs)
{
    ach_player_devlist_t list = {.devices = addrs};
    size_t i;

    for (i = 0; i < n && list.devices_count < ACH_PLAYER_MAX_DEVICES; i++)
        if (listed(&infos[i]))
            addrs[list.devices_count++] =
                (ach_devaddr_t){.host = s->host,
                                .robot = achi_server_port(s->server, infos[i].address.robot),
                                .interf = infos[i].address.interf,
                                .index = infos[i].address.index};
    achi_session_answer(s, h, ACH_MSG_ACK, &list);
}

static void devlist(struct achi_session *s, const ach_header_t *h, const void *body)
{
    size_t n = ach_robot_devices(s->server->robot, NULL, 0);
    ach_device_info_t *infos = calloc(n + 1, sizeof(*infos));
    ach_devaddr_t *addrs = calloc(n + 1, sizeof(*addrs));

    (void)body;
    if (infos && addrs) {
        ach_robot_devices(s->server->robot, infos, n);
        list_devices(s, h, infos, n, addrs);
    } else {
        achi_session_answer(s, h, ACH_MSG_NACK, NULL);
    }
    free(infos);
    free(addrs);
}

static void driverinfo(struct achi_session *s, const ach_header_t *h, const void *body)
{
    ach_player_driverinfo_t answer = *(const ach_player_driverinfo_t *)body;
    ach_address_t device = achi_session_device(s, answer.addr.interf, answer.addr.index);
    ach_device_info_t info;

    if (ach_robot_find(s->server->robot, &device, &info) != ACH_OK) {
        achi_session_answer(s, h, ACH_MSG_NACK, NULL);
        return;
    }
    answer.addr.host = s->host;
    answer.addr.robot = achi_server_port(s->server, device.robot);
    answer.driver_name = info.driver;
    answer.driver_name_count = (uint32_t)strlen(info.driver) + 1;
    achi_session_answer(s, h, ACH_MSG_ACK, &answer);
}

static void dev(struct achi_session *s, const ach_header_t *h, const void *body)
{
    const ach_player_device_req_t *req = body;

    if (req->access == ACH_PLAYER_OPEN_MODE)
        achi_subscription_open(s, h, req);
    else if (req->access == ACH_PLAYER_CLOSE_MODE)
        achi_subscription_close(s, h, req);
    else
        achi_session_answer(s, h, ACH_MSG_NACK, NULL);
}

/* The answer goes ahead of the queue: the data comes behind it. */
static void data(struct achi_session *s, const ach_header_t *h, const void *body)
{
    ach_header_t answer = *h;

    (void)body;
    answer.type = ACH_MSG_ACK;
    answer.timestamp = ach_robot_time(s->server->robot);
    if (ach_message_create(&answer, NULL, &s->urgent) == ACH_OK)
        s->asked = true;
}

static void datamode(struct achi_session *s, const ach_header_t *h, const void *body)
{
    uint8_t mode = ((const ach_player_datamode_req_t *)body)->mode;

    if (mode != ACH_PLAYER_DATAMODE_PUSH && mode != ACH_PLAYER_DATAMODE_PULL) {
        achi_session_answer(s, h, ACH_MSG_NACK, NULL);
        return;
    }
    s->pull = mode == ACH_PLAYER_DATAMODE_PULL;
    s->asked = s->fed = false;
    s->allowed = 0;
    achi_session_answer(s, h, ACH_MSG_ACK, NULL);
}

static void add_rule(struct achi_session *s, const ach_header_t *h, const void *body)
{
    const ach_player_add_replace_rule_req_t *r = body;
    const ach_rule_t rule = {r->interf, r->index, r->type, r->subtype, r->replace};
    bool added = ach_queue_rule(s->queue, &rule) == ACH_OK;

    achi_session_answer(s, h, added ? ACH_MSG_ACK : ACH_MSG_NACK, NULL);
}

/* In the same time wherever they differ. A final NUL does not count. */
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

static void auth(struct achi_session *s, const ach_header_t *h, const void *body)
{
    const char *secret = s->server->options.secret;
    bool may = achi_account_may_guess(s->account); /* or the client is gone: nothing waits then */

    if (*secret && same_key(secret, body) && may) {
        s->trusted = true;
        achi_session_know(s);
        achi_session_answer(s, h, ACH_MSG_ACK, NULL);
        return;
    }
    achi_session_answer(s, h, ACH_MSG_NACK, NULL);
    if (*secret)
        achi_account_guessed_wrong(s->account);
    if (!*secret || ++s->wrong < WRONG_KEYS_MAX)
        return;
    ach_robot_log(s->server->robot, ACH_LOG_WARNING,
                  "client %s is disconnected: it does not know the secret", s->name);
    achi_session_close(s, "it does not know the secret");
}

static void route(struct achi_session *s, const ach_header_t *h, const unsigned char *body,
                  size_t size)
{
    char text[ACH_ROUTE_MAX + 2], *copy = NULL;

    if (achi_wire_text(body, size, text, sizeof(text)))
        copy = strdup(text);
    if (copy) {
        free(s->route);
        s->route = copy;
    }
    achi_session_answer(s, h, copy ? ACH_MSG_ACK : ACH_MSG_NACK, NULL);
}

/* Which requests there are, and whether strangers may ask them: only what concerns themselves. */
static const struct {
    void (*act)(struct achi_session *s, const ach_header_t *h, const void *body);
    const ach_type_t *body; /* which must be there; NULL: none is needed */
    bool stranger;
    bool lists; /* says which devices there are */
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

/* Answered with a NACK, if so. */
static bool may_not_list(struct achi_session *s, const ach_header_t *h)
{
    char why[ACHI_WHY];

    if (achi_rights_of(s, NULL) & ACH_RIGHT_LIST)
        return false;
    achi_rights_log(s, "the list of devices", achi_rights_why(s, NULL, 0, why));
    if (s->route)
        achi_session_explain(s->queue, h, why);
    achi_session_answer(s, h, ACH_MSG_NACK, NULL);
    return true;
}

static void act(struct achi_session *s, const ach_header_t *h, const unsigned char *bytes,
                size_t size)
{
    const ach_type_t *type = requests[h->subtype].body;
    void *body = NULL;

    if (requests[h->subtype].lists && may_not_list(s, h))
        return;
    if (type && ach_decode_new(type, bytes, size, &body) != ACH_OK) {
        achi_session_answer(s, h, ACH_MSG_NACK, NULL);
        return;
    }
    requests[h->subtype].act(s, h, body);
    free(body);
}

void achi_player_request(struct achi_session *s, const ach_header_t *h, const unsigned char *body,
                         size_t size)
{
    bool known = h->subtype < sizeof(requests) / sizeof(requests[0]) && requests[h->subtype].act;

    s->asking += h->subtype == ACH_PLAYER_REQ_DEV; /* a driver's setup takes its time */
    if (known && (s->trusted || requests[h->subtype].stranger))
        act(s, h, body, size);
    else if (h->subtype == ACHI_REQ_ROUTE && s->trusted)
        route(s, h, body, size);
    else
        achi_session_answer(s, h, ACH_MSG_NACK, NULL);
}
