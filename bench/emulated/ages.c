/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ages.c - how old messages are when they arrive
 *
 * ages put CHANNEL SIZE PERIOD_US SECONDS
 * ages get CHANNEL SECONDS
 * ages send ADDRESS PORT SIZE PERIOD_US SECONDS
 * ages receive PORT SIZE SECONDS
 *     put or send messages, over a channel or a plain TCP stream. The other side prints a line for
 *     each that arrives: the time and the message's age, in nanoseconds. All run on one machine,
 *     whose monotonic clock both sides use.
 */
#include <ach.h>
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000u
#define MESSAGE_MAX (1u << 20)

static unsigned char message[MESSAGE_MAX];

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static void wait_until(uint64_t at)
{
    struct timespec t = {.tv_sec = (time_t)(at / NS), .tv_nsec = (long)(at % NS)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

static int failed(const char *what, const char *why)
{
    fprintf(stderr, "ages: %s: %s\n", what, why);
    return 1;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

static size_t size_of(const char *text)
{
    uint64_t size = number(text);

    if (size >= sizeof(uint64_t) && size <= sizeof(message))
        return (size_t)size;
    fprintf(stderr, "ages: a size is from %zu to %u, not %s\n", sizeof(uint64_t), MESSAGE_MAX,
            text);
    exit(1);
}

static void print_age(void)
{
    uint64_t born, now = now_ns();

    memcpy(&born, message, sizeof(born));
    printf("%" PRIu64 " %" PRIu64 "\n", now, now - born);
}

static int put(const char *name, size_t size, uint64_t period, uint64_t ns)
{
    uint64_t at = now_ns(), end = at + ns;
    ach_channel_t chan;

    if (ach_open(&chan, name, NULL) != ACH_OK)
        return failed(name, ach_errstr());
    for (; at < end; at += period) {
        uint64_t now;

        wait_until(at);
        now = now_ns();
        memcpy(message, &now, sizeof(now));
        if (ach_put(&chan, message, size) != ACH_OK)
            return failed(name, ach_errstr());
    }
    ach_close(&chan);
    return 0;
}

static int get(const char *name, uint64_t ns)
{
    uint64_t end = now_ns() + ns;
    const struct timespec pause = {.tv_nsec = 100000000};
    ach_channel_t chan;
    size_t n;

    while (ach_open(&chan, name, NULL) != ACH_OK)
        if (now_ns() > end)
            return failed(name, ach_errstr());
    ach_flush(&chan);
    while (now_ns() < end) {
        enum ach_status r =
            ach_get(&chan, message, sizeof(message), &n, &pause, ACH_O_WAIT | ACH_O_RELTIME);

        if (r == ACH_OK || r == ACH_MISSED_FRAME)
            print_age();
        else if (r != ACH_TIMEOUT)
            return failed(name, ach_errstr());
    }
    ach_close(&chan);
    return 0;
}

static struct sockaddr_in address_of(const char *host, const char *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number(port))};

    inet_pton(AF_INET, host, &a.sin_addr);
    return a;
}

/* A message is born when its time has come, however late the stream takes it. */
static int send_all(const char *host, const char *port, size_t size, uint64_t period, uint64_t ns)
{
    struct sockaddr_in a = address_of(host, port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    uint64_t at, end;

    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
        return failed(host, strerror(errno));
    at = now_ns();
    for (end = at + ns; at < end && now_ns() < end; at += period) {
        size_t done = 0;

        wait_until(at);
        memcpy(message, &at, sizeof(at));
        while (done < size) {
            ssize_t n = send(fd, message + done, size - done, MSG_NOSIGNAL);

            if (n < 0)
                return failed(host, strerror(errno));
            done += (size_t)n;
        }
    }
    close(fd);
    return 0;
}

static int receive_all(const char *port, size_t size, uint64_t ns)
{
    struct sockaddr_in a = address_of("0.0.0.0", port);
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd;
    uint64_t end;

    if (listener < 0 || bind(listener, (struct sockaddr *)&a, sizeof(a)) != 0 ||
        listen(listener, 1) != 0 || (fd = accept(listener, NULL, NULL)) < 0)
        return failed(port, strerror(errno));
    for (end = now_ns() + ns; now_ns() < end;) {
        ssize_t n = recv(fd, message, size, MSG_WAITALL);

        if (n < 0)
            return failed(port, strerror(errno));
        if ((size_t)n < size)
            break;
        print_age();
    }
    close(fd);
    close(listener);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (argc == 6 && strcmp(what, "put") == 0)
        return put(argv[2], size_of(argv[3]), number(argv[4]) * 1000, number(argv[5]) * NS);
    if (argc == 4 && strcmp(what, "get") == 0)
        return get(argv[2], number(argv[3]) * NS);
    if (argc == 7 && strcmp(what, "send") == 0)
        return send_all(argv[2], argv[3], size_of(argv[4]), number(argv[5]) * 1000,
                        number(argv[6]) * NS);
    if (argc == 5 && strcmp(what, "receive") == 0)
        return receive_all(argv[2], size_of(argv[3]), number(argv[4]) * NS);
    return failed("usage", "ages put|get|send|receive ...");
}
