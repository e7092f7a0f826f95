/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core.h - robots, devices and drivers inside
 *
 * Locks, outermost first
 *     robot->lock      phases of drivers, who waits for them, who is subscribed
 *     device->lock     a device's subscribers, for who publishes
 *     robot->time_lock a simulated clock and who waits for it
 *     driver->values   its properties
 *     driver->inlined  whether its process runs, if it has no main
 *     access.lock      the guard; held while it looks at the channels' files
 *     the queues' own
 *
 * None of them is held while a driver's functions run.
 *
 * The tables of classes, drivers and devices grow while the robot is built, by
 * one thread, and stand still after ach_robot_start: they need no lock.
 */
#ifndef ACHI_CORE_H
#define ACHI_CORE_H

#include <ach/access.h>
#include <ach/transport.h>
#include <pthread.h>

#include "bell.h"
#include "log.h"

struct achi_device {
    struct achi_device *next;
    ach_address_t address;
    ach_driver_t *driver;
    bool remote;
    pthread_mutex_t lock;
    struct achi_sub *subs; /* that get data */
    unsigned n_subs;
    ach_sink_t sink; /* body is NULL: there is none */
    struct achi_handled *handled;
    unsigned n_handled;
    bool inlined; /* a driver without a main requires it */
};

/* One queue's subscription to one device. */
struct achi_sub {
    struct achi_sub *next;
    ach_queue_t *queue;
    unsigned count; /* subscribed so often */
};

/* A subscription that waits for its driver's setup. */
struct achi_pending {
    struct achi_pending *next;
    struct achi_device *device;
    struct achi_sub *sub; /* what it becomes */
    ach_subscribed_t *done;
    void *context;
    char *route; /* what led to it; NULL: nothing */
};

/* A message that a device says it understands. */
struct achi_handled {
    uint8_t type, subtype;
};

enum achi_phase {
    ACHI_IDLE,     /* nobody is subscribed */
    ACHI_STARTING, /* setup is under way */
    ACHI_RUNNING,  /* set up */
    ACHI_STOPPING, /* main is to end, or shutdown is under way */
    ACHI_BROKEN    /* main ended by itself; setup is tried again after a while */
};

/* A device that a driver requires. */
struct achi_need {
    struct achi_need *next;
    struct achi_device *device; /* found when all drivers are made */
    ach_place_t place;
    ach_address_t address;
    bool subscribed;
};

struct ach_driver {
    ach_driver_t *next;
    ach_robot_t *robot;
    const ach_driver_class_t *class;
    ach_driver_class_t *own_class; /* ours to free, or NULL */
    ach_section_t *options;        /* NULL: made by the robot itself */
    void *state;
    bool created;
    bool alwayson;

    uint64_t provided; /* which of the option's addresses are taken, a bit each */
    uint64_t required;
    struct achi_need *needs;
    enum { ACHI_NOT_YET, ACHI_ON_PATH, ACHI_NO_CIRCLE } followed;

    pthread_t thread;
    bool threaded;
    enum achi_phase phase;
    unsigned subscriptions;
    struct achi_pending *pending;
    char *route;   /* what led to its setup, and itself */
    bool stop;     /* leave main */
    bool quit;     /* end the thread */
    bool answered; /* to the thread's own subscription */
    ach_status_t answer;
    char why[384];

    ach_queue_t *keeper; /* always on: its subscriber */
    bool kept;           /* which has been answered */
    ach_status_t kept_status;
    char kept_why[384];

    ach_queue_t *queue;
    int eventfd;

    /* On a simulated clock; under time_lock. */
    double wake_at;
    bool asleep;  /* until then, or until a message comes */
    bool follows; /* the clock: who moves it waits for this driver */

    /* ACH_DRIVER_INLINE: who may call process. */
    pthread_mutex_t inlined;
    pthread_cond_t left;
    bool open; /* it is set up */
    bool busy; /* somebody does */

    pthread_mutex_t values;
    struct achi_property *properties;
};

struct achi_class {
    struct achi_class *next;
    const ach_driver_class_t *class;
};

struct ach_robot {
    ach_robot_attr_t attr;
    struct achi_log log;
    char id[17]; /* in routes: nobody else's */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* phases, and answers to subscriptions */
    struct achi_class *classes;
    ach_driver_t *drivers;
    struct achi_device *devices;
    size_t n_devices;
    ach_config_t *config; /* ours to destroy */
    pthread_mutex_t time_lock;
    double time;
    pthread_cond_t rested; /* somebody has done his work; with time_lock */
    unsigned settling;     /* who waits for that */
    ach_driver_t *outlet;  /* to the process that we are a part of, or NULL */
    ach_driver_t *mover;   /* who moves the clock, and waits until others are asleep */

    struct {
        pthread_mutex_t lock; /* held while the guard works */
        ach_guard_t guard;    /* rights is NULL: there is none */
        bool has_mode, has_group;
        mode_t mode;
        gid_t group;
    } access;
};

/* The device at an address; 0 for host and robot mean here. */
struct achi_device *achi_device_find(const ach_robot_t *robot, const ach_address_t *address);
ach_status_t achi_device_add(ach_robot_t *robot, ach_driver_t *driver, const ach_address_t *address,
                             bool remote);
void achi_device_destroy(struct achi_device *d);

/* The first device that a driver provides; NULL: none. */
struct achi_device *achi_device_of(const ach_driver_t *driver);

/* To all who take it: a struct, or what is encoded already. */
ach_status_t achi_device_publish(struct achi_device *d, const ach_header_t *h, const void *body);
void achi_device_pass(struct achi_device *d, const ach_message_t *m);

/* Made before anybody is told that he is subscribed; NULL: no memory. */
struct achi_sub *achi_sub_create(ach_queue_t *queue);
void achi_sub_destroy(struct achi_sub *s);

/* Under the robot's lock. It is taken over. */
void achi_sub_add(struct achi_device *d, struct achi_sub *s);
bool achi_sub_remove(struct achi_device *d, ach_queue_t *queue);

ach_status_t achi_driver_create(ach_robot_t *robot, const ach_driver_class_t *class,
                                ach_section_t *options, ach_driver_t **driver);
void achi_driver_destroy(ach_driver_t *d);

/* Make the driver's thread look; from any thread. */
void achi_driver_wake(ach_driver_t *d);

/* The driver's thread, once it is needed. Under the robot's lock. */
ach_status_t achi_driver_begin(ach_driver_t *d);

/* Let main end. Under the robot's lock. */
void achi_driver_stop(ach_driver_t *d);

/* End the thread, if there is one. Not under the robot's lock. */
void achi_driver_quit(ach_driver_t *d);

/* Answer those who wait for the setup. Under the robot's lock. */
void achi_pending_settle(ach_driver_t *d, ach_status_t status, const char *why);

/* Nobody waits for the setup but who keeps the driver on. Under the robot's lock. */
bool achi_pending_only_keeper(const ach_driver_t *d);

/* Subscribe to all that is required, and wait. In the driver's thread. */
ach_status_t achi_needs_subscribe(ach_driver_t *d);
void achi_needs_unsubscribe(ach_driver_t *d);

/* Find what drivers require, and refuse circles. */
ach_status_t achi_needs_resolve(ach_robot_t *robot);

/* Give the robot an ID. */
void achi_route_identify(ach_robot_t *robot);

/* *route, which is replaced: those before, and this device. */
ach_status_t achi_route_add(const struct achi_device *d, const char *before, char **route);

/* Refuse a subscription that this thread's route already went through. */
ach_status_t achi_route_check(const struct achi_device *d);

/* The section access of a config file. ACH_EINVAL: it is wrong, which the config remembers. */
ach_status_t achi_rights_read(ach_robot_t *robot, ach_section_t *root);

/* The interface whose name is most like this one; NULL: none is. */
const char *achi_interface_nearest(const char *name);

const ach_driver_class_t *achi_class_find(const ach_robot_t *robot, const char *name);
void achi_classes_destroy(ach_robot_t *robot);

/* To the driver behind a device, or answered here. As ach_robot_deliver, for a checked message. */
ach_status_t achi_robot_hand_over(struct achi_device *d, const ach_message_t *m);

/* Whether the request was one for properties, and has been answered. */
bool achi_property_request(struct achi_device *d, const ach_message_t *m);
void achi_properties_destroy(ach_driver_t *d);

/* For a driver of that name in a process of its own; NULL: no memory. The caller frees it. */
ach_driver_class_t *achi_process_class(const char *name);

/* A device of another server; its state is told which one. */
extern const ach_driver_class_t achi_remote;
void achi_remote_set(void *state, const ach_place_t *place, const ach_address_t *address);

ach_address_t achi_need_address(const ach_robot_t *robot, const ach_place_t *p);

/* Give what is in the driver's queue now to its process. False: it is to stop. */
bool achi_driver_process(ach_driver_t *d);

/* Give one message to its process, and let go of it. */
void achi_driver_take(ach_driver_t *d, ach_message_t *m);

/* Whether its process is called by who delivers. */
static inline bool achi_driver_inline(const ach_driver_t *d)
{
    return d->class->flags & ACH_DRIVER_INLINE;
}

/*
 * Give what is in the queue of a driver without a main to its process, here and now.
 * If somebody does that already, he goes on with it. Not under any lock.
 */
void achi_inline_attend(ach_driver_t *d);

/* As that, for all who require the device. */
void achi_inline_attend_all(const struct achi_device *d);

/* From now on, and no more: then it is not running any more. */
void achi_inline_open(ach_driver_t *d);
void achi_inline_close(ach_driver_t *d);

/* Whether nothing is under way. */
bool achi_inline_idle(const ach_driver_t *d);

/* Whether who moves the clock is to wait for this driver. */
void achi_driver_follow(ach_driver_t *d, bool follow);

/* Tell who waits until all have done their work. Under the clock's lock. */
void achi_robot_rested(ach_robot_t *r);

#endif
