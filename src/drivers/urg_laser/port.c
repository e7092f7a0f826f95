/* SPDX-License-Identifier: BSD-3-Clause */
#include "port.h"
#include "../../util/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Longest time to send a command, s. */
#define SEND_LIMIT 0.5

static speed_t speed_code(unsigned speed)
{
    static const struct {
        unsigned speed;
        speed_t code;
    } all[] = {{19200, B19200},   {38400, B38400},   {57600, B57600},  {115200, B115200},
               {230400, B230400}, {460800, B460800}, {500000, B500000}};
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].speed == speed)
            return all[i].code;
    return B0;
}

/* Discard bytes that were received at another speed. */
static void port_forget(struct drv_urg_port *p)
{
    memset(&p->reader, 0, sizeof(p->reader));
    p->at = p->end = 0;
}

bool drv_urg_port_speed(struct drv_urg_port *p, unsigned speed)
{
    speed_t code = speed_code(speed);
    struct termios t;

    if (code == B0) {
        errno = EINVAL;
        return false;
    }
    if (tcgetattr(p->fd, &t) != 0)
        return false;
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    t.c_cc[VMIN] = 0;
    t.c_cc[VTIME] = 0;
    if (cfsetispeed(&t, code) != 0 || cfsetospeed(&t, code) != 0 ||
        tcsetattr(p->fd, TCSANOW, &t) != 0)
        return false;
    tcflush(p->fd, TCIOFLUSH);
    port_forget(p);
    return true;
}

bool drv_urg_port_open(struct drv_urg_port *p, const char *path, unsigned speed)
{
    int error;

    p->fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (p->fd < 0)
        return false;
    if (drv_urg_port_speed(p, speed))
        return true;
    error = errno;
    drv_urg_port_close(p);
    errno = error;
    return false;
}

void drv_urg_port_close(struct drv_urg_port *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
    port_forget(p);
}

static bool wait_for(struct pollfd *fds, nfds_t n, double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};

    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    return ppoll(fds, n, &t, NULL) > 0;
}

/* False: the serial device has disappeared. */
static bool port_fill(struct drv_urg_port *p)
{
    ssize_t n = read(p->fd, p->bytes, sizeof(p->bytes));

    p->at = 0;
    p->end = n > 0 ? (size_t)n : 0;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool take_block(struct drv_urg_port *p, struct drv_scip_text *block)
{
    block->size = 0;
    p->at += drv_scip_read(&p->reader, p->bytes + p->at, p->end - p->at, block);
    return block->size > 0;
}

enum drv_urg_got drv_urg_port_next(struct drv_urg_port *p, double seconds, int other,
                                   struct drv_scip_text *block)
{
    double until = monotonic_seconds() + seconds, left;

    while (!take_block(p, block)) {
        struct pollfd fds[] = {{.fd = p->fd, .events = POLLIN}, {.fd = other, .events = POLLIN}};

        left = until - monotonic_seconds();
        if (!wait_for(fds, 2, left > 0 ? left : 0)) {
            if (left <= 0)
                return DRV_URG_NOTHING;
            continue;
        }
        if (fds[0].revents && !port_fill(p))
            return DRV_URG_LOST;
        if (!fds[0].revents)
            return DRV_URG_NOTHING;
        if (left <= 0 && p->at == p->end)
            return DRV_URG_NOTHING;
    }
    return DRV_URG_BLOCK;
}

bool drv_urg_port_send(struct drv_urg_port *p, const char *command)
{
    char line[64];
    size_t size = (size_t)snprintf(line, sizeof(line), "%s\n", command), done = 0;
    double until = monotonic_seconds() + SEND_LIMIT;

    while (done < size) {
        struct pollfd fd = {.fd = p->fd, .events = POLLOUT};
        ssize_t n = write(p->fd, line + done, size - done);

        if (n > 0)
            done += (size_t)n;
        else if ((n < 0 && errno != EAGAIN && errno != EINTR) || monotonic_seconds() > until)
            return false;
        else
            wait_for(&fd, 1, 0.05);
    }
    return true;
}

enum drv_urg_got drv_urg_port_ask(struct drv_urg_port *p, const char *command, double seconds,
                                  struct drv_scip_answer *answer)
{
    double until = monotonic_seconds() + seconds, left;
    struct drv_scip_text block;
    enum drv_urg_got got;

    if (!drv_urg_port_send(p, command))
        return DRV_URG_LOST;
    while ((left = until - monotonic_seconds()) > 0) {
        got = drv_urg_port_next(p, left, -1, &block);
        if (got != DRV_URG_BLOCK)
            return got;
        if (drv_scip_answer(block, answer) && answer->command.size == strlen(command) &&
            memcmp(answer->command.at, command, answer->command.size) == 0)
            return DRV_URG_BLOCK;
    }
    return DRV_URG_NOTHING;
}
