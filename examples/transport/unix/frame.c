/* SPDX-License-Identifier: BSD-3-Clause */
#include "frame.h"

#include <ach.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

bool frame_address(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address->sun_path))
        return false;
    memcpy(address->sun_path, path, strlen(path) + 1);
    return true;
}

static ach_status_t send_all(int fd, const char *bytes, size_t n, int flags)
{
    while (n) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL | flags);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return ach_errstr_set(ACH_CLOSED, "the connection is lost: %s", strerror(errno));
        bytes += sent;
        n -= (size_t)sent;
    }
    return ACH_OK;
}

ach_status_t frame_send(int fd, const ach_message_t *message)
{
    char header[ACH_FRAME_HEADER];
    size_t size;
    const void *body = ach_message_bytes(message, &size);
    ach_status_t status;

    ach_frame_write(ach_message_header(message), (uint32_t)size, header);
    status = send_all(fd, header, sizeof(header), size ? MSG_MORE : 0);
    return status == ACH_OK ? send_all(fd, body, size, 0) : status;
}

static ach_status_t receive_all(int fd, char *to, size_t n)
{
    while (n) {
        ssize_t got = recv(fd, to, n, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return ach_errstr_set(ACH_TIMEOUT, "the other side does not answer");
        if (got <= 0)
            return ach_errstr_set(ACH_CLOSED, "the connection is lost");
        to += got;
        n -= (size_t)got;
    }
    return ACH_OK;
}

ach_status_t frame_receive(int fd, size_t body_max, ach_message_t **message)
{
    char bytes[ACH_FRAME_HEADER], *body;
    ach_header_t h;
    uint32_t size;
    ach_status_t status = receive_all(fd, bytes, sizeof(bytes));

    if (status == ACH_OK)
        status = ach_frame_read(bytes, &h, &size);
    if (status == ACH_OK && size > body_max)
        status = ach_errstr_set(ACH_CORRUPT, "a message of %u bytes", size);
    if (status != ACH_OK)
        return status;
    body = malloc(size + 1);
    status = body ? receive_all(fd, body, size) : ACH_FAILED_SYSCALL;
    if (status == ACH_OK)
        status = ach_message_wrap(&h, body, size, message);
    free(body);
    return status;
}
