/* SPDX-License-Identifier: BSD-3-Clause */
#include "socket.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>

static BIO_METHOD *socket_method;

static int socket_fd(BIO *bio)
{
    return (int)(intptr_t)BIO_get_data(bio);
}

static int socket_outcome(BIO *bio, ssize_t n, int retry)
{
    BIO_clear_retry_flags(bio);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
    return (int)n;
}

static int socket_read(BIO *bio, char *to, int size)
{
    ssize_t n = recv(socket_fd(bio), to, (size_t)size, MSG_DONTWAIT);

    if (n == 0)
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return socket_outcome(bio, n, BIO_FLAGS_READ);
}

static int socket_write(BIO *bio, const char *from, int size)
{
    ssize_t n = send(socket_fd(bio), from, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);

    return socket_outcome(bio, n, BIO_FLAGS_WRITE);
}

static long socket_ctrl(BIO *bio, int command, long number, void *pointer)
{
    (void)number;
    (void)pointer;
    if (command == BIO_CTRL_EOF)
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    return command == BIO_CTRL_FLUSH;
}

static void socket_make_method(void)
{
    BIO_METHOD *m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");

    if (!m)
        return;
    BIO_meth_set_read(m, socket_read);
    BIO_meth_set_write(m, socket_write);
    BIO_meth_set_ctrl(m, socket_ctrl);
    socket_method = m;
}

BIO *tls_socket_bio(int fd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    BIO *bio;

    pthread_once(&once, socket_make_method);
    bio = socket_method ? BIO_new(socket_method) : NULL;
    if (bio) {
        BIO_set_data(bio, (void *)(intptr_t)fd);
        BIO_set_init(bio, 1);
    }
    return bio;
}
