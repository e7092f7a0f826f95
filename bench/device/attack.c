/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach/interface/map.h>
#include <ach/interface/player.h>
#include <ach/interface/position2d.h>
#include <ach/message.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "ticks.h"

#define MOST 200u

struct attackers {
    enum attack kind;
    uint16_t port;
    int fds[MOST];
    unsigned count;
    bool stop;
    unsigned char bytes[1 << 16]; /* sent again and again */
    size_t size;
};

static void fill(struct attackers *a, uint16_t interf, uint8_t type, uint8_t subtype, uint32_t size)
{
    const ach_header_t h = {.address = {.interf = interf}, .type = type, .subtype = subtype};

    while (a->size + ACH_FRAME_HEADER + size <= sizeof(a->bytes)) {
        ach_frame_write(&h, size, a->bytes + a->size);
        a->size += ACH_FRAME_HEADER + size;
    }
}

static void join(struct attackers *a, unsigned n, uint16_t interf)
{
    while (a->count < n) {
        a->fds[a->count] = crowd_dial(a->port);
        if (interf)
            crowd_subscribe(a->fds[a->count], interf);
        a->count++;
    }
}

static void ask_for_maps(struct attackers *a)
{
    fill(a, ACH_MAP_CODE, ACH_MSG_REQ, ACH_MAP_REQ_GET_DATA, 28);
    join(a, 4, ACH_MAP_CODE);
}

/* A driver that does not know the commands. */
static void refused(struct attackers *a)
{
    fill(a, ACH_POSITION2D_CODE, ACH_MSG_CMD, ACH_POSITION2D_CMD_VEL, 28);
    join(a, 4, ACH_POSITION2D_CODE);
}

/* The header of a large message, and then what it says are its bytes, but never all. */
static void partial(struct attackers *a)
{
    const ach_header_t h = {
        .address = {.interf = ACH_POSITION2D_CODE}, .type = ACH_MSG_CMD, .subtype = 1};
    unsigned char header[ACH_FRAME_HEADER];
    unsigned i, k;

    join(a, MOST, 0);
    ach_frame_write(&h, 1 << 20, header);
    for (i = 0; i < a->count; i++) {
        send(a->fds[i], header, sizeof(header), MSG_NOSIGNAL | MSG_DONTWAIT);
        for (k = 0; k < 15; k++)
            send(a->fds[i], a->bytes, sizeof(a->bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

static void strangers(struct attackers *a)
{
    join(a, MOST, 0);
}

/* Come and go. */
static void replace_one(struct attackers *a, unsigned i)
{
    close(a->fds[i % a->count]);
    a->fds[i % a->count] = crowd_dial(a->port);
}

static const struct {
    void (*begin)(struct attackers *a);
    bool read; /* the answers */
    bool come; /* and go, instead of sending */
} attacks[] = {
    [MAPS_UNREAD] = {ask_for_maps, false, false}, [MAPS_READ] = {ask_for_maps, true, false},
    [REFUSED_COMMANDS] = {refused, false, false}, [PARTIAL_MESSAGES] = {partial, false, false},
    [STRANGERS] = {strangers, false, true},
};

static void *run(void *context)
{
    static char sink[1 << 16];
    struct attackers *a = context;
    unsigned i;

    while (!__atomic_load_n(&a->stop, __ATOMIC_ACQUIRE)) {
        for (i = 0; i < a->count && !attacks[a->kind].come; i++) {
            /* A part of a message may be sent: the server then ends the connection. */
            if (a->size && send(a->fds[i], a->bytes, a->size, MSG_NOSIGNAL | MSG_DONTWAIT) % 68 > 0)
                replace_one(a, i);
            while (attacks[a->kind].read && recv(a->fds[i], sink, sizeof(sink), MSG_DONTWAIT) > 0)
                ;
        }
        for (i = 0; i < 8 && attacks[a->kind].come; i++)
            replace_one(a, (unsigned)rand());
        usleep(1000);
    }
    return NULL;
}

static void round_trip(int fd)
{
    unsigned char bytes[65536];
    ach_header_t h;
    uint32_t size;

    crowd_ask(fd, ACH_PLAYER_REQ_DEVLIST, NULL, 0);
    if (recv(fd, bytes, ACH_FRAME_HEADER, MSG_WAITALL) != (ssize_t)ACH_FRAME_HEADER ||
        ach_frame_read(bytes, &h, &size) != ACH_OK || size > sizeof(bytes) ||
        (size && recv(fd, bytes, size, MSG_WAITALL) != (ssize_t)size))
        attempt_fail("no answer");
}

void attack_run(const struct plan *plan, uint16_t port, struct outcome *once)
{
    struct attackers *a = calloc(1, sizeof(*a));
    uint64_t end;
    int fd = crowd_dial(port);
    pthread_t thread;

    MUST(a != NULL);
    a->kind = plan->attack;
    a->port = port;
    attacks[a->kind].begin(a);
    MUST(pthread_create(&thread, NULL, run, a) == 0);
    end = clock_ns() + (uint64_t)(plan->seconds * 1e9);
    while (clock_ns() < end) {
        uint64_t start = clock_ns();

        round_trip(fd);
        samples_add(&once->ns, (double)(clock_ns() - start) / 1e3);
        usleep(1000);
    }
    __atomic_store_n(&a->stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    while (a->count)
        close(a->fds[--a->count]);
    close(fd);
    free(a);
}
