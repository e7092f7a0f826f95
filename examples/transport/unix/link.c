/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c - the application's end: a socket, and a thread that reads it */
#include <ach.h>
#include <ach/access.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "frame.h"

struct ach_link {
    int fd;
    ach_queue_t *to;
    pthread_t thread;
    pthread_mutex_t sending;
    unsigned rights; /* what the server lets us do */
};

/* How long to wait for the server; 0: without end. */
static void set_timeout(int fd, double timeout)
{
    struct timeval t = {.tv_sec = (time_t)timeout,
                        .tv_usec = (suseconds_t)((timeout - (double)(time_t)timeout) * 1e6)};

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
}

static ach_status_t dial(const ach_place_t *place, double timeout, int *fd)
{
    struct sockaddr_un a;

    if (place->host[0] != '/' || !frame_address(place->host, &a))
        return ach_errstr_set(ACH_EINVAL, "the host of a device is a socket's path, as "
                                          "/run/robot.sock::laser:0");
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd >= 0 && connect(*fd, (struct sockaddr *)&a, sizeof(a)) == 0) {
        set_timeout(*fd, timeout);
        return ACH_OK;
    }
    ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", place->host, strerror(errno));
    if (*fd >= 0)
        close(*fd);
    return ACH_FAILED_SYSCALL;
}

/* A request to the server itself, and its answer. */
static ach_status_t ask(int fd, uint8_t subtype, const void *body, ach_message_t **answer)
{
    const ach_header_t h = {
        .address = {.interf = ACH_PLAYER_CODE}, .type = ACH_MSG_REQ, .subtype = subtype};
    ach_message_t *m;
    ach_status_t status = ach_message_create(&h, body, &m);

    if (status != ACH_OK)
        return status;
    status = frame_send(fd, m);
    ach_message_unref(m);
    if (status == ACH_OK)
        status = frame_receive(fd, ACH_BODY_MAX, answer);
    if (status != ACH_OK || ach_message_header(*answer)->type == ACH_MSG_ACK)
        return status;
    ach_message_unref(*answer);
    return ach_errstr_set(
        ACH_EACCES, "there is no such device, it cannot be set up, or this user may not use it");
}

static void *receive(void *context)
{
    const ach_header_t lost = {.address = {.interf = ACH_PLAYER_CODE}, .type = ACH_MSG_SYNCH};
    const ach_link_t *l = context;
    ach_message_t *m;

    while (frame_receive(l->fd, ACH_BODY_MAX, &m) == ACH_OK) {
        ach_queue_push(l->to, m);
        ach_message_unref(m);
    }
    shutdown(l->fd, SHUT_RDWR);
    if (ach_message_wrap(&lost, NULL, 0, &m) == ACH_OK) {
        ach_queue_push(l->to, m);
        ach_message_unref(m);
    }
    return NULL;
}

static ach_status_t subscribe(int fd, const ach_place_t *place, unsigned *rights)
{
    const ach_player_device_req_t req = {.addr = {.interf = place->interf, .index = place->index},
                                         .access = ACH_PLAYER_OPEN_MODE};
    const ach_player_device_req_t *granted;
    ach_message_t *answer;
    ach_status_t status = ask(fd, ACH_PLAYER_REQ_DEV, &req, &answer);

    if (status != ACH_OK)
        return status;
    granted = ach_message_body(answer);
    *rights = granted ? granted->access : 0;
    ach_message_unref(answer);
    return ACH_OK;
}

ach_status_t unix_connect(const ach_place_t *place, ach_queue_t *queue, double timeout,
                          ach_link_t **link)
{
    unsigned rights = 0;
    ach_link_t *l;
    int fd;
    ach_status_t status = dial(place, timeout, &fd);

    if (status != ACH_OK)
        return status;
    status = subscribe(fd, place, &rights);
    l = calloc(1, sizeof(*l));
    if (status == ACH_OK && l) {
        set_timeout(fd, 0);
        *l = (ach_link_t){.fd = fd, .to = queue, .rights = rights};
        pthread_mutex_init(&l->sending, NULL);
        if (pthread_create(&l->thread, NULL, receive, l) == 0) {
            *link = l;
            return ACH_OK;
        }
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no thread for a link");
    }
    free(l);
    close(fd);
    return status == ACH_OK ? ACH_FAILED_SYSCALL : status;
}

ach_status_t unix_send(ach_link_t *link, const ach_message_t *message)
{
    bool request = ach_message_header(message)->type == ACH_MSG_REQ;
    ach_status_t status;

    if (!(link->rights & (request ? ACH_RIGHT_REQUEST : ACH_RIGHT_COMMAND)))
        return ach_errstr_set(ACH_EACCES, "this user may not %s the device",
                              request ? "send requests to" : "command");
    pthread_mutex_lock(&link->sending);
    status = frame_send(link->fd, message);
    pthread_mutex_unlock(&link->sending);
    return status;
}

unsigned unix_rights(const ach_link_t *link)
{
    return link->rights;
}

void unix_disconnect(ach_link_t *link)
{
    shutdown(link->fd, SHUT_RDWR);
    pthread_join(link->thread, NULL);
    close(link->fd);
    pthread_mutex_destroy(&link->sending);
    free(link);
}

ach_status_t unix_list(const ach_place_t *place, double timeout, ach_device_info_t *devices,
                       size_t room, size_t *count)
{
    const ach_player_devlist_t *list;
    ach_message_t *answer;
    uint32_t i;
    int fd;
    ach_status_t status = dial(place, timeout, &fd);

    if (status != ACH_OK)
        return status;
    status = ask(fd, ACH_PLAYER_REQ_DEVLIST, NULL, &answer);
    close(fd);
    if (status != ACH_OK)
        return status;
    list = ach_message_body(answer);
    *count = list ? list->devices_count : 0;
    for (i = 0; i < *count && i < room; i++)
        devices[i] = (ach_device_info_t){.address = {.robot = list->devices[i].robot,
                                                     .interf = list->devices[i].interf,
                                                     .index = list->devices[i].index}};
    ach_message_unref(answer);
    return ACH_OK;
}
