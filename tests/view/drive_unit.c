/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watchdog of driven devices, with an arm that fails as a test wants: its functions replace those
 * of the library.
 */
#include <ach/device.h>
#include <ach/interfaces.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "check.h"
#include "drive.h"

#define PAGE "page"
#define OTHER "other page"
#define LIMIT 20000u /* ms */

#define EVENTUALLY(cond)                                                                           \
    do {                                                                                           \
        const uint64_t until_ = check_now_ns() + check_time(LIMIT) * 1000000u;                     \
        bool holds_;                                                                               \
        while (!(holds_ = (cond)) && check_now_ns() < until_)                                      \
            check_sleep_ms(20);                                                                    \
        check_that(holds_, __FILE__, __LINE__, #cond);                                             \
    } while (0)

struct ach_device {
    ach_address_t address;
};

static struct ach_device fake = {.address = {.interf = ACH_ACTARRAY_CODE}};

/* Under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct {
    ach_status_t open, stop, flush; /* what these return */
    int stubborn;                   /* the joint whose stop fails; -1: all */
    bool lost;                      /* until it is opened again */
    bool opens, moves;              /* may be called now; otherwise they wait */
    bool waits;                     /* one of them */
    unsigned opened, stops, motions, flushes;
    float speed[8]; /* that was sent last */
} arm;

static void arm_reset(void)
{
    pthread_mutex_lock(&lock);
    memset(&arm, 0, sizeof(arm));
    arm.opens = arm.moves = true;
    arm.stubborn = -1;
    pthread_mutex_unlock(&lock);
}

static void arm_wait(const bool *may)
{
    arm.waits = !*may;
    while (!*may)
        pthread_cond_wait(&changed, &lock);
    arm.waits = false;
}

static void arm_let(bool *what)
{
    pthread_mutex_lock(&lock);
    *what = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static ach_status_t arm_says(ach_status_t status)
{
    return status == ACH_OK ? ACH_OK : ach_errstr_set(status, "the arm says no");
}

ach_status_t ach_device_open(const char *address, const ach_device_attr_t *attr, ach_device_t **d)
{
    ach_status_t status;

    (void)address, (void)attr;
    pthread_mutex_lock(&lock);
    arm_wait(&arm.opens);
    status = arm.open;
    arm.opened += status == ACH_OK;
    arm.lost &= status != ACH_OK;
    pthread_mutex_unlock(&lock);
    *d = &fake;
    return arm_says(status);
}

ach_status_t ach_device_close(ach_device_t *d)
{
    CHECK(!d || d == &fake);
    return ACH_OK;
}

const ach_address_t *ach_device_address(const ach_device_t *d)
{
    return &d->address;
}

ach_status_t ach_device_get(ach_device_t *d, int subtype, double timeout, int options,
                            ach_message_t **m)
{
    (void)d, (void)subtype, (void)timeout, (void)options, (void)m;
    return ACH_TIMEOUT;
}

ach_status_t ach_device_flush(ach_device_t *d, double seconds)
{
    ach_status_t status;

    (void)d, (void)seconds;
    pthread_mutex_lock(&lock);
    arm.flushes++;
    status = arm.lost ? ACH_CLOSED : arm.flush;
    pthread_mutex_unlock(&lock);
    return arm_says(status);
}

ach_status_t ach_device_command(ach_device_t *d, uint8_t subtype, const void *body)
{
    const ach_actarray_speed_cmd_t *c = body;
    const bool stop = !(c->speed < 0 || c->speed > 0);
    ach_status_t status;

    (void)d;
    CHECK(subtype == ACH_ACTARRAY_CMD_SPEED && c->joint >= 0 && c->joint < 8);
    pthread_mutex_lock(&lock);
    if (!stop)
        arm_wait(&arm.moves);
    status = stop && (arm.stubborn < 0 || arm.stubborn == c->joint) ? arm.stop : ACH_OK;
    status = arm.lost ? ACH_CLOSED : status;
    arm.stops += stop;
    arm.motions += !stop;
    if (status == ACH_OK)
        arm.speed[c->joint] = c->speed;
    pthread_mutex_unlock(&lock);
    return arm_says(status);
}

static unsigned arm_count(const unsigned *what)
{
    unsigned n;

    pthread_mutex_lock(&lock);
    n = *what;
    pthread_mutex_unlock(&lock);
    return n;
}

static bool arm_waits(void)
{
    bool waits;

    pthread_mutex_lock(&lock);
    waits = arm.waits;
    pthread_mutex_unlock(&lock);
    return waits;
}

static float arm_speed(int joint)
{
    float speed;

    pthread_mutex_lock(&lock);
    speed = arm.speed[joint];
    pthread_mutex_unlock(&lock);
    return speed;
}

static void arm_set(ach_status_t *what, ach_status_t status)
{
    pthread_mutex_lock(&lock);
    *what = status;
    pthread_mutex_unlock(&lock);
}

static struct drive *begin(void)
{
    struct drive *d;

    arm_reset();
    d = drive_new("actarray:0", "6665:actarray:0", eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    REQUIRE(d);
    return d;
}

static void end(struct drive *d)
{
    const int news = d->news;

    drive_finish(d);
    drive_free(d);
    close(news);
}

static const char *turn(struct drive *d, const char *page, int joint)
{
    const struct actuator_command c = {.kind = ACTUATOR_SPEED, .x = 0.5, .joint = joint};

    return drive_command(d, page, &c, true);
}

static bool tells(struct drive *d, enum drive_moving moving, const char *reason)
{
    bool told;

    pthread_mutex_lock(&d->lock);
    told = d->moving == moving && strstr(d->reason, reason);
    pthread_mutex_unlock(&d->lock);
    return told;
}

/* A busy machine may be too slow for one command. */
static bool turns(struct drive *d, int joint)
{
    turn(d, PAGE, joint);
    return arm_speed(joint) > 0;
}

/* It does not stand, or it is not known, until a stop was handled. */
static void check_failing(ach_status_t *what, const unsigned *tries)
{
    struct drive *d = begin();
    unsigned n;

    EVENTUALLY(turns(d, 1));
    arm_set(what, ACH_TIMEOUT);
    EVENTUALLY(tells(d, DRIVE_NOT_KNOWN, "cannot be stopped, trying again: the arm says no"));
    n = arm_count(tries);
    EVENTUALLY(arm_count(tries) >= n + 3);
    CHECK(tells(d, DRIVE_NOT_KNOWN, "cannot be stopped"));
    arm_set(what, ACH_OK);
    EVENTUALLY(tells(d, DRIVE_STILL, "no command for 200 ms"));
    CHECK(!(arm_speed(1) > 0));
    end(d);
}

/* The watchdog of a joint does not wait for another one. */
static void check_stubborn_joint(void)
{
    struct drive *d = begin();

    arm.stubborn = 1;
    EVENTUALLY(turns(d, 1));
    arm_set(&arm.stop, ACH_OVERFLOW);
    EVENTUALLY(tells(d, DRIVE_NOT_KNOWN, "cannot be stopped"));
    EVENTUALLY(turns(d, 2));
    EVENTUALLY(!(arm_speed(2) > 0));
    EVENTUALLY(tells(d, DRIVE_NOT_KNOWN, "cannot be stopped") && arm_speed(1) > 0);
    arm_set(&arm.stop, ACH_OK);
    EVENTUALLY(tells(d, DRIVE_STILL, ""));
    end(d);
}

/* A stop wins over a command that is just being sent, and over the one behind it. */
static void check_stop_wins(void)
{
    struct drive *d = begin();

    arm.moves = false;
    EVENTUALLY((turn(d, PAGE, 1), arm_waits()));
    CHECK(!turn(d, PAGE, 1) && drive_stop(d, OTHER));
    CHECK(strcmp(turn(d, PAGE, 1), CLAIM_STOPPED) == 0);
    arm_let(&arm.moves);
    EVENTUALLY(tells(d, DRIVE_STILL, CLAIM_STOPPED));
    CHECK(!(arm_speed(1) > 0) && arm_count(&arm.motions) == 1);
    drive_release(d, PAGE);
    EVENTUALLY(turns(d, 1));
    end(d);
}

/* What waited until the device was open is not begun. */
static void check_slow_open(void)
{
    struct drive *d = begin();

    arm.opens = false;
    CHECK(!turn(d, PAGE, 1));
    EVENTUALLY(arm_waits());
    check_sleep_ms(DRIVE_SILENCE / 1000000);
    arm_let(&arm.opens);
    EVENTUALLY(tells(d, DRIVE_NOT_KNOWN, "the device was too slow"));
    CHECK(!arm_count(&arm.motions));
    end(d);
}

/* After the server has ended, the first thing that it gets is a stop. */
static void check_lost(void)
{
    struct drive *d = begin();

    EVENTUALLY(turns(d, 1));
    pthread_mutex_lock(&lock);
    arm.lost = true;
    arm.open = ACH_FAILED_SYSCALL;
    pthread_mutex_unlock(&lock);
    EVENTUALLY((turn(d, PAGE, 1), tells(d, DRIVE_NOT_KNOWN, "cannot be stopped")));
    arm_set(&arm.open, ACH_OK);
    EVENTUALLY(tells(d, DRIVE_STILL, ""));
    CHECK(!(arm_speed(1) > 0) && arm_count(&arm.opened) == 2);
    drive_release(d, PAGE);

    pthread_mutex_lock(&lock);
    arm.lost = true; /* at rest: the next press opens it again */
    pthread_mutex_unlock(&lock);
    EVENTUALLY(turns(d, 1) && arm_count(&arm.opened) == 3);
    end(d);
}

/* The program ends, whatever the arm does. Its own moves are stopped as long as that may work. */
static void check_end(void)
{
    struct drive *d = begin();

    EVENTUALLY(turns(d, 1));
    end(d);
    CHECK(!(arm_speed(1) > 0));

    d = begin();
    EVENTUALLY(turns(d, 1));
    arm_set(&arm.stop, ACH_OVERFLOW);
    end(d);
    CHECK(arm_count(&arm.stops) > 3);
}

int main(void)
{
    check_failing(&arm.stop, &arm.stops);
    check_failing(&arm.flush, &arm.flushes);
    check_stubborn_joint();
    check_stop_wins();
    check_slow_open();
    check_lost();
    check_end();
    return check_result();
}
