/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c - the client's side: connect, send, list, lose the server; and peers that are no server */
#include <ach/interface/player.h>
#include <ach/interface/position2d.h>
#include <ach/tcp.h>
#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/socket.h>

#include "check.h"
#include "drivers.h"

#define LIMIT ((double)check_time(60))

static const char file[] =
    "driver ( name \"ticker\" provides [\"position2d:0\"] rate 50 )\n"
    "driver ( name \"puppet\" provides [\"position2d:1\" \"laser:0\"] does \"echo\" )\n"
    "driver ( name \"vfh\" provides [\"position2d:5\"] )\n"
    "tcp ( port 0 )\n";

struct rig {
    ach_config_t *config;
    ach_robot_t *robot;
    void *server;
    uint16_t port;
};

static void quiet(void *context, enum ach_log level, const char *line)
{
    (void)context;
    (void)level;
    (void)line;
}

static void start(struct rig *r)
{
    ach_robot_attr_t attr = {.size = sizeof(attr), .log = quiet};

    REQUIRE_OK(ach_config_parse(file, strlen(file), "test", &r->config));
    REQUIRE_OK(ach_robot_create(&attr, &r->robot));
    add_drivers(r->robot);
    REQUIRE_OK(ach_robot_load_config(r->robot, r->config));
    REQUIRE_OK(ach_robot_start(r->robot));
    REQUIRE_OK(ach_transport_tcp.serve(
        r->robot, ach_section_next(ach_config_root(r->config), "tcp", NULL), &r->server));
    r->port = ach_tcp_port(r->server);
}

static void end(struct rig *r)
{
    if (r->server)
        ach_transport_tcp.end(r->server);
    ach_robot_destroy(r->robot);
    ach_config_destroy(r->config);
}

static ach_place_t place(uint16_t port, uint16_t index)
{
    return (ach_place_t){
        .host = "127.0.0.1", .robot = port, .interf = ACH_POSITION2D_CODE, .index = index};
}

static ach_message_t *next(ach_queue_t *q)
{
    uint64_t until = check_now_ns() + (uint64_t)(LIMIT * 1e9);
    ach_message_t *m;

    while (!(m = ach_queue_pop(q)) && check_now_ns() < until)
        check_sleep_ms(1);
    REQUIRE(m);
    return m;
}

/* Check the type of the next message, and return its subtype. */
static int next_is(ach_queue_t *q, uint8_t type)
{
    ach_message_t *m = next(q);
    int subtype = ach_message_header(m)->subtype;

    CHECK(ach_message_header(m)->type == type);
    ach_message_unref(m);
    return subtype;
}

static void data_and_loss(struct rig *r)
{
    const ach_place_t at = place(r->port, 0);
    ach_message_t *m = NULL;
    ach_queue_t *q;
    ach_link_t *link;
    int i;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    REQUIRE_OK(ach_transport_tcp.connect(&at, q, LIMIT, &link));
    for (i = 0; i < 10; i++) {
        m = next(q);
        CHECK(ach_message_header(m)->type == ACH_MSG_DATA);
        CHECK(ach_message_body(m) != NULL);
        ach_message_unref(m);
    }
    ach_transport_tcp.end(r->server);
    r->server = NULL;
    for (m = NULL; !m || ach_message_header(m)->type == ACH_MSG_DATA; m = next(q))
        ach_message_unref(m);
    CHECK(ach_message_is(m, NULL, ACH_MSG_SYNCH, 0));
    CHECK_STATUS(ach_transport_tcp.send(link, m), ACH_CLOSED);
    ach_message_unref(m);
    check_sleep_ms(50);
    CHECK(ach_queue_length(q) == 0);
    ach_transport_tcp.disconnect(link);
    ach_queue_close(q);
}

static void send_number(ach_link_t *link, uint8_t type, uint8_t subtype, uint32_t n,
                        const void *body)
{
    const ach_header_t h = {.address = {.interf = ACH_POSITION2D_CODE, .index = 99},
                            .type = type,
                            .subtype = subtype,
                            .sequence = n};
    ach_message_t *m;

    REQUIRE_OK(ach_message_create(&h, body, &m));
    CHECK_OK(ach_transport_tcp.send(link, m));
    ach_message_unref(m);
}

static void commands_and_requests(struct rig *r)
{
    const ach_position2d_cmd_vel_t velocity = {.vel = {.px = 0.5}, .state = 1};
    const ach_place_t at = place(r->port, 1);
    size_t size;
    ach_message_t *m;
    ach_queue_t *q;
    ach_link_t *link;
    uint32_t i;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    REQUIRE_OK(ach_transport_tcp.connect(&at, q, LIMIT, &link));
    send_number(link, ACH_MSG_CMD, ACH_POSITION2D_CMD_VEL, 0, &velocity);
    m = next(q);
    CHECK(ach_message_header(m)->type == ACH_MSG_DATA);
    CHECK(ach_message_header(m)->address.index == 1);
    CHECK(ach_message_bytes(m, &size) && size == 28);
    ach_message_unref(m);
    for (i = 0; i < 500; i++)
        send_number(link, ACH_MSG_REQ, ACH_POSITION2D_REQ_GET_GEOM, i, NULL);
    for (i = 0; i < 500; i++) {
        m = next(q);
        CHECK(ach_message_header(m)->type == ACH_MSG_ACK);
        CHECK(ach_message_header(m)->sequence == i);
        ach_message_unref(m);
    }
    ach_transport_tcp.disconnect(link);
    ach_queue_close(q);
}

static void list(const struct rig *r)
{
    const ach_place_t at = place(r->port, 0);
    ach_device_info_t found[4];
    size_t count = 0;

    CHECK_OK(ach_transport_tcp.list(&at, LIMIT, found, 4, &count));
    CHECK(count == 4);
    CHECK(strcmp(found[0].driver, "ticker") == 0 && found[0].address.interf == ACH_POSITION2D_CODE);
    CHECK(strcmp(found[1].driver, "puppet") == 0 && found[1].address.index == 1);
    CHECK(strcmp(found[3].driver, "vfh") == 0 && found[3].address.robot == r->port);
    CHECK_OK(ach_transport_tcp.list(&at, LIMIT, found, 1, &count));
    CHECK(count == 4);
    CHECK_OK(ach_transport_tcp.list(&at, LIMIT, NULL, 0, &count));
}

static void refused(const struct rig *r)
{
    ach_place_t at = place(r->port, 5);
    ach_queue_t *q;
    ach_link_t *link;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    CHECK_STATUS(ach_transport_tcp.connect(&at, q, LIMIT, &link), ACH_EACCES);
    CHECK(strstr(ach_errstr(), "nothing to avoid obstacles with") != NULL);
    at.index = 77;
    CHECK_STATUS(ach_transport_tcp.connect(&at, q, LIMIT, &link), ACH_EACCES);
    at.robot = 1; /* no server listens there */
    CHECK_STATUS(ach_transport_tcp.connect(&at, q, LIMIT, &link), ACH_FAILED_SYSCALL);
    strcpy(at.host, "no-such-host.invalid");
    CHECK(ach_transport_tcp.connect(&at, q, LIMIT, &link) != ACH_OK);
    CHECK(ach_queue_length(q) == 0);
    ach_queue_close(q);
}

/* A false server that sends these bytes to its client. */
struct impostor {
    int fd;
    const void *bytes;
    size_t size;
    bool stay;    /* do not disconnect before the client does */
    size_t later; /* number of bytes at the end that are sent after a post of told */
    sem_t told;
};

static uint16_t impostor_listen(struct impostor *s)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);

    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(bind(s->fd, (struct sockaddr *)&a, size) == 0 && listen(s->fd, 4) == 0);
    REQUIRE(getsockname(s->fd, (struct sockaddr *)&a, &size) == 0);
    return ntohs(a.sin_port);
}

static void *impostor_run(void *context)
{
    struct impostor *s = context;
    int fd = accept(s->fd, NULL, NULL);
    char sink[4096];
    size_t first = s->size - s->later;

    if (first)
        CHECK(send(fd, s->bytes, first, MSG_NOSIGNAL) == (ssize_t)first);
    if (s->later) {
        while (sem_wait(&s->told) != 0)
            ;
        CHECK(send(fd, (const char *)s->bytes + first, s->later, MSG_NOSIGNAL) ==
              (ssize_t)s->later);
    }
    while (s->stay && recv(fd, sink, sizeof(sink), 0) > 0)
        ;
    close(fd);
    close(s->fd);
    return NULL;
}

static ach_status_t meet(struct impostor *s, double timeout, ach_queue_t *q, ach_link_t **link,
                         pthread_t *thread)
{
    const ach_place_t at = place(impostor_listen(s), 0);

    REQUIRE(pthread_create(thread, NULL, impostor_run, s) == 0);
    return ach_transport_tcp.connect(&at, q, timeout, link);
}

static size_t add(unsigned char *to, uint8_t type, uint8_t interf, uint8_t subtype, uint32_t size,
                  const void *body)
{
    const ach_header_t h = {.address = {.interf = interf}, .type = type, .subtype = subtype};

    ach_frame_write(&h, size, to);
    if (body)
        memcpy(to + ACH_FRAME_HEADER, body, size);
    return ACH_FRAME_HEADER + (body ? size : 0);
}

/* A greeting, and the answers that a link needs to connect; @access is in the last one. */
static size_t agreeable(unsigned char *to, uint8_t access)
{
    unsigned char dev[28] = {[11] = ACH_POSITION2D_CODE, [19] = access};
    size_t n = 32;

    memset(to, 0, n);
    strcpy((char *)to, "Player v.9");
    n += add(to + n, ACH_MSG_ACK, ACH_PLAYER_CODE, ACH_PLAYER_REQ_DATAMODE, 0, "");
    n += add(to + n, ACH_MSG_NACK, ACH_PLAYER_CODE, 100, 0, "");
    return n + add(to + n, ACH_MSG_ACK, ACH_PLAYER_CODE, ACH_PLAYER_REQ_DEV, 28, dev);
}

static void not_servers(void)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool stay;
        ach_status_t status;
    } all[] = {
        {"", 0, false, ACH_CLOSED},
        {"", 0, true, ACH_TIMEOUT},
        {"Player v.3", 10, true, ACH_TIMEOUT},
        {"HTTP/1.0 400 Bad Request\r\nServer: none\r\n", 40, true, ACH_CORRUPT},
        {"Player v.3                                                                 garbage here",
         80, true, ACH_CORRUPT},
    };
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct impostor s = {.bytes = all[i].bytes, .size = all[i].size, .stay = all[i].stay};
        bool waits = all[i].status == ACH_TIMEOUT;
        ach_queue_t *q;
        ach_link_t *link;
        pthread_t thread;

        REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
        CHECK_STATUS(meet(&s, waits ? 0.2 : LIMIT, q, &link, &thread), all[i].status);
        pthread_join(thread, NULL);
        ach_queue_close(q);
    }
}

/* An ACK whose access mode is 3 (error) is a refusal. Sanitizers see whether the timeout fits. */
static void says_yes(void)
{
    unsigned char bytes[512];
    struct impostor s = {.bytes = bytes, .size = agreeable(bytes, 3), .stay = true};
    ach_queue_t *q;
    ach_link_t *link;
    pthread_t thread;

    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    CHECK_STATUS(meet(&s, INFINITY, q, &link, &thread), ACH_EACCES);
    pthread_join(thread, NULL);
    ach_queue_close(q);
}

static void ask(ach_link_t *link)
{
    const ach_header_t h = {
        .address = {.interf = ACH_POSITION2D_CODE}, .type = ACH_MSG_REQ, .subtype = 1};
    ach_message_t *m;

    REQUIRE_OK(ach_message_wrap(&h, NULL, 0, &m));
    CHECK_OK(ach_transport_tcp.send(link, m));
    ach_message_unref(m);
}

/* Data, maps that claim a huge size, without and with a request, and then garbage. */
static void goes_mad(void)
{
    unsigned char bytes[2048], map[40] = {[8] = 0xff, [12] = 0xff};
    struct impostor s = {.bytes = bytes, .size = agreeable(bytes, 1), .stay = true};
    ach_queue_t *q;
    ach_link_t *link;
    pthread_t thread;
    size_t first;

    REQUIRE(sem_init(&s.told, 0, 0) == 0);
    s.size += add(bytes + s.size, ACH_MSG_ACK, 42, 2, sizeof(map), map);
    s.size += add(bytes + s.size, ACH_MSG_DATA, ACH_POSITION2D_CODE, 1, 4, "abcd");
    first = s.size;
    s.size += add(bytes + s.size, ACH_MSG_ACK, 42, 2, sizeof(map), map);
    s.size += add(bytes + s.size, ACH_MSG_ACK, 42, 2, sizeof(map), map);
    s.size += add(bytes + s.size, ACH_MSG_REQ, ACH_POSITION2D_CODE, 1, 0, "");
    s.size += add(bytes + s.size, ACH_MSG_DATA, ACH_POSITION2D_CODE, 2, 0, "");
    memset(bytes + s.size, 0xee, 100);
    s.size += 100;
    s.later = s.size - first;
    REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
    REQUIRE_OK(meet(&s, LIMIT, q, &link, &thread));
    CHECK(next_is(q, ACH_MSG_DATA) == 1); /* an answer without a request is dropped */
    ask(link);
    sem_post(&s.told);
    CHECK(next_is(q, ACH_MSG_NACK) == 2); /* the request for the map is answered, once */
    CHECK(next_is(q, ACH_MSG_DATA) == 2); /* a request to a client is ignored */
    CHECK(next_is(q, ACH_MSG_SYNCH) == 0);
    ach_transport_tcp.disconnect(link);
    pthread_join(thread, NULL);
    sem_destroy(&s.told);
    ach_queue_close(q);
}

/* Connect and disconnect repeatedly, in several threads at once. */
static void *come_and_go(void *context)
{
    const struct rig *r = context;
    const ach_place_t at = place(r->port, 0);
    uint64_t i, n = check_scale(30);

    for (i = 0; i < n; i++) {
        ach_queue_t *q;
        ach_link_t *link;

        REQUIRE_OK(ach_queue_create(0, 0, NULL, NULL, &q));
        if (check_status(ach_transport_tcp.connect(&at, q, LIMIT, &link), ACH_OK, __FILE__,
                         __LINE__, "connect")) {
            if (i % 3 == 0)
                next_is(q, ACH_MSG_DATA);
            ach_transport_tcp.disconnect(link);
        }
        ach_queue_close(q);
    }
    return NULL;
}

static void many_links(struct rig *r)
{
    pthread_t threads[4];
    int i;

    for (i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, come_and_go, r) == 0);
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    struct rig r;

    start(&r);
    list(&r);
    commands_and_requests(&r);
    refused(&r);
    many_links(&r);
    not_servers();
    says_yes();
    goes_mad();
    data_and_loss(&r);
    end(&r);
    return check_result();
}
