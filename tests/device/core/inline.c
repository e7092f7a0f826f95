/* SPDX-License-Identifier: BSD-3-Clause */
/* inline.c - drivers whose process runs in the thread that delivers */
#include <ach/interface/opaque.h>
#include <pthread.h>

#include "probe.h"
#include "rig.h"

/* The first byte of a message to the driver. */
enum { ECHO, PUBLISH, PASS, SLOW, ASK };

#define SEEN_MAX 16u

/* The state of each driver, indexed by its option `number`. */
static struct unit {
    _Atomic unsigned inside, messages, data, answers, shutdowns;
    bool twice;    /* process ran concurrently with itself or with shutdown */
    pthread_t who; /* the thread that called process last */
    unsigned n_seen;
    uint8_t seen[SEEN_MAX]; /* types of messages, in order of arrival */
    ach_address_t own, need;
    bool needs;
    bool early; /* setup makes the required device publish; data is handled slowly */
} units[4];

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct unit *u = &units[ach_section_int(options, "number", 0) % 4];

    *u = (struct unit){0};
    *state = u;
    u->early = ach_section_int(options, "early", 0);
    u->needs = ach_driver_require(driver, 0, NULL, &u->need) == ACH_OK;
    return ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &u->own);
}

static void shut_down(ach_driver_t *driver, void *state)
{
    struct unit *u = state;

    (void)driver;
    u->twice |= u->inside != 0;
    u->shutdowns++;
}

static ach_opaque_data_t say(uint8_t *what)
{
    return (ach_opaque_data_t){.data_count = 1, .data = what};
}

static ach_status_t send_on(ach_driver_t *driver, const struct unit *u, uint8_t type, uint8_t what)
{
    ach_opaque_data_t body = say(&what);
    ach_header_t h = {.address = u->need,
                      .type = type,
                      .subtype = type == ACH_MSG_CMD ? ACH_OPAQUE_CMD_DATA : ACH_OPAQUE_REQ_DATA};
    ach_message_t *m;
    ach_status_t status = ach_message_create(&h, &body, &m);

    if (status == ACH_OK)
        status = ach_driver_send(driver, &u->need, m);
    ach_message_unref(m);
    return status;
}

static ach_status_t set_up(ach_driver_t *driver, void *state)
{
    const struct unit *u = state;

    return u->early ? send_on(driver, u, ACH_MSG_CMD, PUBLISH) : ACH_OK;
}

static ach_status_t act(ach_driver_t *driver, struct unit *u, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    const ach_opaque_data_t *body = ach_message_body(m);

    switch (body && body->data_count ? body->data[0] : ECHO) {
    case ECHO:
        return h->type == ACH_MSG_REQ ? ach_driver_reply(driver, m, ACH_MSG_ACK, body) : ACH_OK;
    case PUBLISH:
        return ach_driver_publish(driver, &u->own, ACH_OPAQUE_DATA_STATE, body);
    case PASS:
        return send_on(driver, u, ACH_MSG_CMD, PUBLISH);
    case SLOW:
        check_sleep_ms(20);
        return ACH_OK;
    case ASK:
        return send_on(driver, u, ACH_MSG_REQ, PROBE_ECHO);
    default:
        return ACH_ENOTSUP;
    }
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    struct unit *u = state;
    uint8_t type = ach_message_header(m)->type;
    ach_status_t status = ACH_OK;

    if (u->inside++)
        u->twice = true;
    u->who = pthread_self();
    if (u->n_seen < SEEN_MAX)
        u->seen[u->n_seen++] = type;
    if (type == ACH_MSG_CMD || type == ACH_MSG_REQ) {
        u->messages++;
        status = act(driver, u, m);
    } else if (type == ACH_MSG_DATA) {
        if (u->early)
            check_sleep_ms(20);
        u->data++;
    } else {
        u->answers++;
    }
    u->inside--;
    return status;
}

static const ach_driver_class_t reckoned = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_INLINE,
    .name = "reckoned",
    .create = create,
    .setup = set_up,
    .shutdown = shut_down,
    .process = process,
};

static struct rig *start(const char *config)
{
    struct rig *rig = rig_create(false);

    probe_reset();
    rig_add(rig, &probe_class);
    rig_add(rig, &reckoned);
    REQUIRE_OK(rig_load(rig, config));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    return rig;
}

static void command(struct ear *ear, uint8_t what)
{
    ach_opaque_data_t body = say(&what);

    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &body));
}

/* The message is processed and its results are queued when the delivery returns. */
static void test_at_once(void)
{
    struct rig *rig = start("driver (name \"reckoned\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    uint8_t echo = ECHO;
    ach_opaque_data_t body = say(&echo);

    command(ear, PUBLISH);
    CHECK(units[0].messages == 1 && pthread_equal(units[0].who, pthread_self()));
    CHECK(ach_queue_length(ear_queue(ear)) == 1);
    ear_ask(ear, ACH_OPAQUE_REQ_DATA, &body);
    CHECK(ach_queue_length(ear_queue(ear)) == 2);
    ach_message_unref(ear_data(ear, ACH_OPAQUE_DATA_STATE));
    ach_message_unref(ear_want(ear, ACH_MSG_ACK, ACH_OPAQUE_REQ_DATA));
    CHECK(!ear_acked(ear, ACH_OPAQUE_REQ_DATA, &(ach_opaque_data_t){1, (uint8_t[]){99}}));
    ear_close(ear);
    EVENTUALLY(units[0].shutdowns == 1);
    ear = ear_open(rig, "opaque:0");
    command(ear, PUBLISH);
    CHECK(ach_queue_length(ear_queue(ear)) == 1);
    ear_close(ear);
    rig_end(rig);
}

/* Data that arrived during setup is handled before a subscriber can send its first command. */
static void test_setup(void)
{
    struct rig *rig = start("driver (name \"reckoned\" number 1 provides [\"opaque:1\"])\n"
                            "driver (name \"reckoned\" number 2 provides [\"opaque:2\"]\n"
                            "        requires [\"opaque:1\"] early 1)");
    struct ear *ear = ear_open(rig, "opaque:2");

    CHECK(units[2].data == 1);
    command(ear, ECHO);
    CHECK(units[2].messages == 1 && pthread_equal(units[2].who, pthread_self()));
    ear_close(ear);
    rig_end(rig);
}

/* Data caused by the driver's own command is processed after it, before the delivery returns. */
static void test_round(void)
{
    struct rig *rig = start("driver (name \"reckoned\" number 1 provides [\"opaque:1\"])\n"
                            "driver (name \"reckoned\" number 2 provides [\"opaque:2\"]\n"
                            "        requires [\"opaque:1\"])");
    struct ear *ear = ear_open(rig, "opaque:2");

    command(ear, PASS);
    CHECK(units[1].messages == 1 && units[2].data == 1 && !units[2].twice);
    CHECK(units[2].seen[0] == ACH_MSG_CMD && units[2].seen[1] == ACH_MSG_DATA);
    ear_close(ear);
    rig_end(rig);
}

/* Data of a driver with a thread is processed in that thread. */
static void test_threaded(void)
{
    struct rig *rig = start("driver (name \"probe\" provides [\"opaque:0\"])\n"
                            "driver (name \"reckoned\" number 1 provides [\"opaque:1\"]\n"
                            "        requires [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:1"), *source = ear_open(rig, "opaque:0");

    command(source, PROBE_COUNT);
    EVENTUALLY(units[1].data == 100);
    CHECK(!pthread_equal(units[1].who, pthread_self()));
    command(ear, ASK);
    EVENTUALLY(units[1].answers == 1);
    CHECK(!units[1].twice);
    ear_close(source);
    ear_close(ear);
    rig_end(rig);
}

struct crowd {
    struct rig *rig;
    const char *address;
    uint8_t what;
    unsigned times, taken;
};

static void *deliver(void *arg)
{
    struct crowd *c = arg;
    struct ear *ear = ear_open(c->rig, c->address);
    ach_opaque_data_t body = say(&c->what);
    unsigned i;

    for (i = 0; i < c->times; i++) /* other threads may fill the queue */
        c->taken += ear_command(ear, ACH_OPAQUE_CMD_DATA, &body) == ACH_OK;
    ear_close(ear);
    return NULL;
}

/* Two drivers deliver to each other from several threads: process never overlaps, no deadlock. */
static void test_crowd(void)
{
    struct rig *rig = start("driver (name \"reckoned\" number 1 provides [\"opaque:1\"])\n"
                            "driver (name \"reckoned\" number 2 provides [\"opaque:2\"]\n"
                            "        requires [\"opaque:1\"])");
    unsigned i, n = (unsigned)check_scale(20000);
    struct crowd crowd[] = {{rig, "opaque:1", PUBLISH, n, 0},
                            {rig, "opaque:2", PASS, n, 0},
                            {rig, "opaque:1", ECHO, n, 0},
                            {rig, "opaque:2", ECHO, n, 0}};
    struct ear *ear = ear_open(rig, "opaque:2");
    pthread_t threads[4];

    for (i = 0; i < 4; i++)
        REQUIRE(!pthread_create(&threads[i], NULL, deliver, &crowd[i]));
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK(!units[1].twice && !units[2].twice);
    CHECK(units[2].messages == crowd[1].taken + crowd[3].taken);
    CHECK(units[1].messages >= crowd[0].taken + crowd[2].taken);
    CHECK(units[1].messages <= crowd[0].taken + crowd[2].taken + crowd[1].taken);
    CHECK(units[2].data > 0);
    ear_close(ear);
    rig_end(rig);
}

static void *command_slowly(void *rig)
{
    uint8_t slow = SLOW;
    ach_opaque_data_t body = say(&slow);
    ach_header_t h = {.address = {.interf = ACH_OPAQUE_CODE},
                      .type = ACH_MSG_CMD,
                      .subtype = ACH_OPAQUE_CMD_DATA};
    unsigned char bytes[64];
    size_t size;

    REQUIRE_OK(ach_encode(&ach_opaque_data_type, &body, bytes, sizeof(bytes), &size));
    CHECK_OK(ach_robot_deliver(rig_robot(rig), &h, bytes, size, NULL));
    return NULL;
}

/* The last subscriber leaves while process runs in another thread: shutdown comes after it. */
static void test_leave(void)
{
    struct rig *rig = start("driver (name \"reckoned\" provides [\"opaque:0\"])");
    pthread_t thread;
    unsigned i;

    for (i = 1; i <= 5; i++) {
        struct ear *ear = ear_open(rig, "opaque:0");

        REQUIRE(!pthread_create(&thread, NULL, command_slowly, rig));
        EVENTUALLY(units[0].messages == i);
        ear_close(ear);
        EVENTUALLY(units[0].shutdowns == i);
        CHECK(!units[0].twice);
        pthread_join(thread, NULL);
    }
    rig_end(rig);
}

static void run(ach_driver_t *driver, void *state)
{
    (void)driver;
    (void)state;
}

static void test_refused(void)
{
    ach_driver_class_t both = reckoned, unknown = reckoned;
    struct rig *rig = rig_create(false);

    both.main = run;
    unknown.flags = 4;
    CHECK_STATUS(ach_robot_add_class(rig_robot(rig), &both), ACH_BAD_HEADER);
    CHECK(strstr(ach_errstr(), "inline and must not have a main function"));
    CHECK_STATUS(ach_robot_add_class(rig_robot(rig), &unknown), ACH_BAD_HEADER);
    rig_end(rig);
}

int main(void)
{
    test_at_once();
    test_setup();
    test_round();
    test_threaded();
    test_crowd();
    test_leave();
    test_refused();
    return check_result();
}
