/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * drive.h - a device that pages command, and the watchdog that stops it
 *
 * Each device has a thread, because opening it can wait for its server, and because the watchdog
 * must wait for nothing else. The thread opens the device, sends commands, and opens it again after
 * its server has ended. Each joint has a slot with a state:
 *
 *     UNKNOWN    nothing was sent, or the device is gone
 *     MOVES      a motion was sent. It must be repeated within DRIVE_SILENCE.
 *     GOES       a goal was sent
 *     STOPPING   a stop is to be sent
 *     SENT       a stop was sent, and the driver has not yet said that it has handled it
 *     STANDS     the driver has handled a stop
 *
 *     any        --command, before it is older than DRIVE_SILENCE-----> MOVES or GOES
 *     MOVES      --silence, release, the page leaves, a command fails-> STOPPING
 *     any        --stop-----------------------------------------------> STOPPING
 *     STOPPING   --send-----------------------------------------------> SENT
 *     SENT       --the driver has handled it--------------------------> STANDS
 *     SENT       --no answer, or it was not handled-------------------> STOPPING, after a pause
 *     STOPPING   --the device cannot be opened for DRIVE_GONE---------> UNKNOWN
 *
 * A state is set to MOVES or GOES before the command is sent, so that a stop at the same time wins.
 * claim.h says which page may command.
 */
#ifndef VIEW_DRIVE_H
#define VIEW_DRIVE_H

#include <pthread.h>
#include <stdint.h>

#include "actuator.h"
#include "claim.h"

#define DRIVE_SILENCE 200000000u /* ns */
#define DRIVE_GONE 60000000000u  /* ns */
#define DRIVE_END 3000000000u    /* ns: for stops when the program ends */
#define DRIVE_JOINTS 256u
#define DRIVE_REASON 240u

enum drive_state {
    DRIVE_UNKNOWN,
    DRIVE_MOVES,
    DRIVE_GOES,
    DRIVE_STOPPING,
    DRIVE_SENT,
    DRIVE_STANDS,
};

struct drive_slot {
    enum drive_state state;
    bool used;        /* something was sent to it that moves */
    uint64_t until;   /* MOVES: the watchdog's deadline */
    bool has_command; /* the newest one, to be sent until `fresh` */
    uint64_t fresh;
    struct actuator_command command;
};

/* What is told. */
enum drive_moving {
    DRIVE_NOT_KNOWN,
    DRIVE_STILL,
    DRIVE_MOVING,
};

struct drive {
    struct drive *next;
    char address[ACH_ADDRESS_MAX]; /* as the list of devices has it: one for each device */
    char place[ACH_ADDRESS_MAX];   /* the same with the robot, to open it */
    pthread_t thread;
    int news; /* an eventfd, written if `told` has changed */

    /* Below: under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct claim claim;
    struct drive_slot slots[DRIVE_JOINTS];
    unsigned n;                   /* slots that were used */
    bool whole;                   /* stop also joints that have no slot yet */
    bool end, ended;              /* the thread is to end when all stands, or has ended */
    uint64_t end_at;              /* then it ends in any case; 0: never */
    struct ach_device *device;    /* of the thread; NULL: not open */
    unsigned joints;              /* that an array has; 0: not known */
    uint64_t opened_at, open_at;  /* when it was opened; when to try next */
    uint64_t failed_at;           /* since when it cannot be opened; 0: it can */
    uint64_t stop_at, confirm_at; /* when to try next */
    uint64_t idle_at;             /* the thread ends then if it is not open */
    char why[DRIVE_REASON];       /* it was stopped, or the last command was not carried out */
    char trouble[DRIVE_REASON];   /* why it cannot be stopped; "": it can */

    enum drive_moving moving; /* told, with a reason */
    const void *owner;
    char reason[DRIVE_REASON];
    unsigned told; /* grows with each change */
    unsigned seen; /* of told, by the main thread */
};

/* NULL: no memory, or no thread. */
struct drive *drive_new(const char *address, const char *place, int news);

/* The thread has ended: free it, and make a new one. */
#define DRIVE_ENDED "the device was closed"

/*
 * A page commands it. NULL: it will be done soon; else why not, or DRIVE_ENDED. fresh: it has just
 * been sent.
 */
const char *drive_command(struct drive *d, const void *page, const struct actuator_command *c,
                          bool fresh);

/* A page stops it: all joints, also those that go to a goal. False: the thread has ended. */
bool drive_stop(struct drive *d, const void *page);

/* The user of the page has let go. It is stopped if the page has driven; a goal stays. */
void drive_release(struct drive *d, const void *page);

/* The page is hidden or closed. The same, for this reason. */
void drive_leave(struct drive *d, const void *page, const char *reason);

/* Nobody needs it any more: end when all stands. A new command takes this back. */
void drive_end(struct drive *d);

bool drive_ended(struct drive *d);

/* Stop all, for DRIVE_END at most, and end. Then free it. */
void drive_finish(struct drive *d);
void drive_free(struct drive *d); /* waits for the thread */

#endif
