/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core.h - robots, devices and drivers inside
 *
 * Locks, outermost first
 *     robot->lock      phases of drivers, pending and active subscriptions
 *     device->lock     a device's subscribers and sink, for publishers
 *     robot->time_lock a simulated clock and the drivers that wait for it
 *     driver->values   its properties
 *     driver->inlined  whether its process callback runs, if it is inline
 *     access.lock      the guard; held while it checks the channels' files
 *     locks of queues
 *
 * None of them is held while a driver's functions run.
 *
 * The tables of classes, drivers and devices grow while the robot is built, by
 * one thread, and do not change after ach_robot_start: they need no lock.
 */
#ifndef DEV_CORE_H
#define DEV_CORE_H

#include <ach/access.h>
#include <ach/transport.h>
#include <pthread.h>

#include "log.h"
#include "wakeup.h"

struct dev_device {
    struct dev_device *next;
    ach_address_t address;
    ach_driver_t *driver;
    bool remote;
    pthread_mutex_t lock;
    struct dev_sub *subs; /* active; they receive data */
    unsigned n_subs;
    ach_sink_t sink; /* body is NULL: no sink */
    struct dev_handled *handled;
    unsigned n_handled;
    bool inlined; /* an ACH_DRIVER_INLINE driver requires it */
};

/* One queue's subscription to one device. */
struct dev_sub {
    struct dev_sub *next;
    ach_queue_t *queue;
    unsigned count; /* number of subscriptions of this queue */
};

/* A subscription that waits for its driver's setup. */
struct dev_pending {
    struct dev_pending *next;
    struct dev_device *device;
    struct dev_sub *sub; /* added to the device after setup */
    ach_subscribed_t *done;
    void *context;
    char *route; /* devices that led to it, see route.c; NULL: none */
};

/* A message that a device handles, by ach_driver_handles. */
struct dev_handled {
    uint8_t type, subtype;
};

enum dev_phase {
    DEV_IDLE,     /* no subscription */
    DEV_STARTING, /* setup is under way */
    DEV_RUNNING,  /* set up */
    DEV_STOPPING, /* main has returned; shutdown is under way */
    DEV_BROKEN    /* setup failed, or main returned without a stop; retried later */
};

/* A device that a driver requires. */
struct dev_need {
    struct dev_need *next;
    struct dev_device *device; /* set by dev_needs_resolve, after all drivers are created */
    ach_place_t place;
    ach_address_t address;
    bool subscribed;
};

struct ach_driver {
    ach_driver_t *next;
    ach_robot_t *robot;
    const ach_driver_class_t *class;
    ach_driver_class_t *own_class; /* ours to free, or NULL */
    ach_section_t *options;        /* NULL: created by the robot, not by the config file */
    void *state;
    bool created;
    bool alwayson;

    uint64_t provided; /* bit i: address i of the option is in use */
    uint64_t required;
    struct dev_need *needs;
    enum { DEV_NOT_YET, DEV_ON_PATH, DEV_NO_CIRCLE } followed;

    void *(*life)(void *driver); /* entry of the thread */
    pthread_t thread;
    bool threaded;
    enum dev_phase phase;
    unsigned subscriptions;
    struct dev_pending *pending;
    char *route;   /* devices that led to its setup, and its own; see route.c */
    bool stop;     /* leave main */
    bool quit;     /* end the thread */
    bool answered; /* the subscription to a required device has a result */
    ach_status_t answer;
    char why[384];

    ach_queue_t *keeper; /* alwayson: a queue that stays subscribed to the driver */
    bool kept;           /* the keeper's subscription has a result */
    ach_status_t kept_status;
    char kept_why[384];

    ach_queue_t *queue;
    int eventfd;

    /* On a simulated clock; under time_lock. */
    double wake_at;
    bool asleep;  /* until wake_at, or until a message arrives */
    bool follows; /* the driver that moves the clock waits for this one */

    /* ACH_DRIVER_INLINE: only one thread at a time calls process. */
    pthread_mutex_t inlined;
    pthread_cond_t left;
    bool open; /* set up: process may be called */
    bool busy; /* a thread calls process */

    pthread_mutex_t values;
    struct dev_property *properties;
};

struct dev_class {
    struct dev_class *next;
    const ach_driver_class_t *class;
};

struct ach_robot {
    ach_robot_attr_t attr;
    struct dev_log log;
    char id[17]; /* random; identifies the robot in routes */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* phases, and answers to subscriptions */
    struct dev_class *classes;
    ach_driver_t *drivers;
    struct dev_device *devices;
    size_t n_devices;
    ach_config_t *config; /* ours to destroy */
    pthread_mutex_t time_lock;
    double time;
    pthread_cond_t rested; /* a driver may have become idle; with time_lock */
    unsigned settling;     /* threads that wait for it */
    ach_driver_t *outlet;  /* in a driver's process: the end to the server; else NULL */
    ach_driver_t *mover;   /* moves the clock as soon as all others are asleep */

    struct {
        pthread_mutex_t lock; /* held while the guard is called */
        ach_guard_t guard;    /* rights is NULL: no guard */
        bool has_mode, has_group;
        mode_t mode;
        gid_t group;
    } access;
};

/* The device at an address. Host 0 and robot 0: this robot. */
struct dev_device *dev_device_find(const ach_robot_t *robot, const ach_address_t *address);
ach_status_t dev_device_add(ach_robot_t *robot, ach_driver_t *driver, const ach_address_t *address,
                            bool remote);
void dev_device_destroy(struct dev_device *d);

/* The first device that a driver provides; NULL: none. */
struct dev_device *dev_device_of(const ach_driver_t *driver);

/* Publish to the sink and all subscribers: a struct, or an encoded message. */
ach_status_t dev_device_publish(struct dev_device *d, const ach_header_t *h, const void *body);
void dev_device_pass(struct dev_device *d, const ach_message_t *m);

/* Create it before the subscriber is notified of success; NULL: no memory. */
struct dev_sub *dev_sub_create(ach_queue_t *queue);
void dev_sub_destroy(struct dev_sub *s);

/* Under the robot's lock. The device owns @s afterwards. */
void dev_sub_add(struct dev_device *d, struct dev_sub *s);
bool dev_sub_remove(struct dev_device *d, ach_queue_t *queue);

ach_status_t dev_driver_create(ach_robot_t *robot, const ach_driver_class_t *class,
                               ach_section_t *options, ach_driver_t **driver);
void dev_driver_destroy(ach_driver_t *d);

/* Wake the driver's thread; from any thread. */
static inline void dev_driver_wake(const ach_driver_t *d)
{
    dev_wakeup_signal(d->eventfd);
}

/* Start the driver's thread unless it runs. Under the robot's lock. */
ach_status_t dev_driver_begin(ach_driver_t *d);

/* Ask main to return. Under the robot's lock. */
void dev_driver_stop(ach_driver_t *d);

/* Stop and join the thread, if any. Not under the robot's lock. */
void dev_driver_quit(ach_driver_t *d);

/* Complete all pending subscriptions with this status. Under the robot's lock. */
void dev_pending_settle(ach_driver_t *d, ach_status_t status, const char *why);

/* Whether the only pending subscription is the keeper's. Under the robot's lock. */
bool dev_pending_only_keeper(const ach_driver_t *d);

/* Subscribe to all required devices, and wait for them. In the driver's thread. */
ach_status_t dev_needs_subscribe(ach_driver_t *d);
void dev_needs_unsubscribe(ach_driver_t *d);

/* Find the devices that drivers require, and refuse circular requirements. */
ach_status_t dev_needs_resolve(ach_robot_t *robot);

/* Give the robot an ID. */
void dev_route_identify(ach_robot_t *robot);

/* Replace *route by the devices in @before and this device. */
ach_status_t dev_route_add(const struct dev_device *d, const char *before, char **route);

/* ACH_EINVAL: the device's driver is on this thread's route, so a subscription would deadlock. */
ach_status_t dev_route_check(const struct dev_device *d);

/* Translate sections such as position:0 ( driver "p2os" ) to sections driver. */
ach_status_t dev_older_translate(ach_section_t *root);

/* The section access of a config file. ACH_EINVAL: it is wrong; see ach_config_errors. */
ach_status_t dev_rights_read(ach_robot_t *robot, ach_section_t *root);

/* The interface whose name is most like this one; NULL: none is. */
const char *dev_interface_nearest(const char *name);

const ach_driver_class_t *dev_class_find(const ach_robot_t *robot, const char *name);
void dev_classes_destroy(ach_robot_t *robot);

/* Deliver a checked message to the device's driver, or answer it here. See ach_robot_deliver. */
ach_status_t dev_robot_hand_over(struct dev_device *d, const ach_message_t *m);

/* True: it was a request for a property, and has been answered. */
bool dev_property_request(struct dev_device *d, const ach_message_t *m);
void dev_properties_destroy(ach_driver_t *d);

/* Class of a driver of that name in its own process; NULL: no memory. The caller frees it. */
ach_driver_class_t *dev_process_class(const char *name);

/* A device of another server; dev_remote_set says which one. */
extern const ach_driver_class_t dev_remote;
void dev_remote_set(void *state, const ach_place_t *place, const ach_address_t *address);

ach_address_t dev_need_address(const ach_robot_t *robot, const ach_place_t *p);

/* Call process for the messages that are in the queue now. False: the driver is to stop. */
bool dev_driver_process(ach_driver_t *d);

/* Call process for one message, and release the message. */
void dev_driver_take(ach_driver_t *d, ach_message_t *m);

/*
 * Answer a flush in place of a driver that does not run, and whose queue has no command before it.
 * A NACK if it passed its commands on: it is not known what became of them. The stand-in of a
 * driver in a process knows.
 */
ach_status_t dev_driver_answer_flush(const ach_driver_t *d, const ach_message_t *m);

/* Whether process is called in the thread that delivers. */
static inline bool dev_driver_inline(const ach_driver_t *d)
{
    return d->class->flags & ACH_DRIVER_INLINE;
}

/*
 * Call process of an inline driver for all messages in its queue, in this thread. If another
 * thread does that already, it will handle them. Not under any lock.
 */
void dev_inline_attend(ach_driver_t *d);

/* dev_inline_attend for all inline drivers that require the device. */
void dev_inline_attend_all(const struct dev_device *d);

/* Allow and forbid calls of process. After dev_inline_close no call is running. */
void dev_inline_open(ach_driver_t *d);
void dev_inline_close(ach_driver_t *d);

/* Whether the queue is empty and process is not running. */
bool dev_inline_idle(const ach_driver_t *d);

/* Set whether the driver that moves the clock has to wait for this driver. */
void dev_driver_follow(ach_driver_t *d, bool follow);

/* On a simulated clock: mark the driver asleep until that time or a message, and awake. */
void dev_driver_fall_asleep(ach_driver_t *d, double until);
void dev_driver_wake_up(ach_driver_t *d);

/* Wake the threads that wait for idle drivers (ach_robot_settle). Under time_lock. */
void dev_robot_rested(ach_robot_t *r);

#endif
