/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * drive.c - a client of Player with sockets of its own: it drives the robot, and prints its pose
 *
 * usage: drive PORT
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLAYER 1
#define POSITION2D 4
#define DATA 1
#define CMD 2
#define REQ 3
#define NACK 6

static int server;

static void die(const char *why)
{
    fprintf(stderr, "drive: %s\n", why);
    exit(1);
}

static void receive(void *to, size_t n)
{
    if (recv(server, to, n, MSG_WAITALL) != (ssize_t)n)
        die("the server has closed the connection");
}

static uint32_t word(const unsigned char *from)
{
    uint32_t value;

    memcpy(&value, from, 4);
    return ntohl(value);
}

static double number(const unsigned char *from)
{
    uint64_t bits = (uint64_t)word(from) << 32 | word(from + 4);
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

static void put_number(uint32_t *to, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, 8);
    to[0] = htonl((uint32_t)(bits >> 32));
    to[1] = htonl((uint32_t)bits);
}

static void send_message(uint32_t interf, uint32_t type, uint32_t subtype, const uint32_t *body,
                         uint32_t words)
{
    uint32_t m[10 + 16] = {0, 0, htonl(interf), 0, htonl(type), htonl(subtype)};

    m[9] = htonl(4 * words);
    memcpy(m + 10, body, 4 * words);
    if (send(server, m, 40 + 4 * words, 0) != (ssize_t)(40 + 4 * words))
        die("cannot send");
}

/* Forward with 0.5 m/s: vx, vy, va, and the state of the motors. */
static void drive(void)
{
    uint32_t body[7] = {0};

    put_number(body, 0.5);
    body[6] = htonl(1);
    send_message(POSITION2D, CMD, 1, body, 7);
}

/* The next message. Returns the size of its body. */
static uint32_t next(unsigned char *header, unsigned char *body, uint32_t room)
{
    uint32_t size;

    receive(header, 40);
    size = word(header + 36);
    if (size > room)
        die("a message is too large");
    receive(body, size);
    return size;
}

static void print_poses(int n)
{
    unsigned char header[40], body[4096];

    while (n > 0) {
        uint32_t size = next(header, body, sizeof(body));

        if (word(header + 16) == NACK)
            die("refused");
        if (word(header + 8) != POSITION2D || word(header + 16) != DATA || size < 24)
            continue;
        printf("%.3f %.3f %.3f\n", number(body), number(body + 8), number(body + 16));
        n--;
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    const uint32_t subscribe[7] = {0, 0, htonl(POSITION2D), 0, htonl(1)};
    char banner[32];

    if (argc != 2)
        die("usage: drive PORT");
    to.sin_port = htons((uint16_t)atoi(argv[1]));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = socket(AF_INET, SOCK_STREAM, 0);
    if (server < 0 || connect(server, (struct sockaddr *)&to, sizeof(to)) != 0)
        die("no server");
    receive(banner, sizeof(banner));
    if (strncmp(banner, "Player v.", 9) != 0)
        die("not a server of Player");
    send_message(PLAYER, REQ, 3, subscribe, 7);
    drive();
    print_poses(3);
    close(server);
    return 0;
}
