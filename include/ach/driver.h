/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.h - for authors of drivers
 *
 * A driver produces and consumes messages. It is a table of functions and a
 * state of its own; the table is what a plug-in exports:
 *
 *     static const ach_driver_class_t urg = {
 *         .version = ACH_DRIVER_VERSION, .name = "urg_laser", .create = create, ...
 *     };
 *     ACH_DRIVER_PLUGIN(&urg)
 *
 * The life of a driver
 *     create       the robot is built from its config file: read the options, declare
 *                  the provided and required devices. Do not open the hardware yet.
 *     setup        the first client has subscribed: open the hardware.
 *     main         run until ach_driver_wait returns false. If NULL, only process runs.
 *     process      called for each message, from within ach_driver_wait.
 *     shutdown     the last client has unsubscribed: close the hardware. A later
 *                  subscription begins with setup again.
 *     destroy      the robot is destroyed.
 *
 * The end of a driver
 *     Once a driver is to stop, commands and requests to it are refused. Those that were
 *     accepted before are passed to process before ach_driver_wait returns false, for at most
 *     two seconds; commands left after that are dropped, and logged. When a robot ends, a
 *     driver stops before the drivers of the devices that it requires, so that commands sent
 *     by its shutdown arrive.
 *
 * Threads
 *     create and destroy run in the thread that builds the robot, one driver
 *     after the other. setup, main, process and shutdown run in the driver's own
 *     thread, never two at once: a driver needs no locks for its state. All of them
 *     may block; that delays only callers that wait for this driver. The functions
 *     below are for the driver's own thread, unless their manual says otherwise.
 *
 * Inline drivers
 *     The process of a driver with the flag ACH_DRIVER_INLINE runs in the thread that
 *     delivers the message, before the delivery returns. If process already runs in
 *     another thread, that thread handles the message next. It still never runs twice at
 *     once, nor at the same time as setup and shutdown, which run in the driver's thread.
 *     Such a process must not block: it may call publish, forward, reply, relay, command
 *     and send, but not wait, request and advance. Such a driver has no main.
 *
 * Ownership
 *     A message that is passed to process belongs to the caller; use ach_message_ref
 *     to keep it. Structs that are published are copied.
 */
#ifndef ACH_DRIVER_H
#define ACH_DRIVER_H

#include <stdarg.h>

#include <ach/config.h>
#include <ach/message.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Version of this header. A plug-in built for another version is refused. */
#define ACH_DRIVER_VERSION 1u

/* One driver in one robot. */
typedef struct ach_driver ach_driver_t;

/*
 * A flag: the driver's devices represent other devices. Requests for capabilities and
 * properties that the driver itself does not have are passed to process.
 */
#define ACH_DRIVER_TRANSPARENT 1u

/*
 * A flag: process is called in the thread that delivers; see Inline drivers above. For computed
 * devices, without hardware: a message takes effect before its delivery returns.
 */
#define ACH_DRIVER_INLINE 2u

/* A driver: its name and functions. */
typedef struct ach_driver_class {
    uint32_t version; /* ACH_DRIVER_VERSION */
    uint32_t flags;   /* 0, or ACH_DRIVER_TRANSPARENT, ACH_DRIVER_INLINE or both */
    const char *name; /* as the config file calls it */

    /*
     * Read the options. *state is passed to all other functions. Not ACH_OK: the robot is not
     * built, and ach_errstr says why.
     */
    ach_status_t (*create)(ach_driver_t *driver, ach_section_t *options, void **state);

    /* May be NULL, like all functions below. Called only if create returned ACH_OK. */
    void (*destroy)(ach_driver_t *driver, void *state);

    /* Not ACH_OK: the subscription is refused. The next subscription calls setup again. */
    ach_status_t (*setup)(ach_driver_t *driver, void *state);
    void (*shutdown)(ach_driver_t *driver, void *state);

    /*
     * A message to this driver: a command or request to a device that it provides, or data of
     * one that it requires. ACH_OK: it was handled; a request may be answered later, if
     * the message is kept. ACH_ENOTSUP: unknown; a request is answered with a NACK. Other
     * statuses: as ACH_ENOTSUP, and logged.
     */
    ach_status_t (*process)(ach_driver_t *driver, void *state, const ach_message_t *message);

    /* Return when ach_driver_wait returns false. An earlier return is a hardware fault: logged. */
    void (*main)(ach_driver_t *driver, void *state);
} ach_driver_class_t;

/* What a plug-in exports: the drivers that it has. */
typedef struct ach_plugin {
    uint32_t version; /* ACH_DRIVER_VERSION */
    uint32_t count;
    const ach_driver_class_t *const *drivers;
} ach_plugin_t;

/* A plug-in with these drivers: ACH_DRIVER_PLUGIN(&one, &another) */
#define ACH_DRIVER_PLUGIN(...)                                                                     \
    static const ach_driver_class_t *const ach_plugin_drivers[] = {__VA_ARGS__};                   \
    __attribute__((visibility("default"))) const ach_plugin_t ach_plugin = {                       \
        ACH_DRIVER_VERSION, sizeof(ach_plugin_drivers) / sizeof(ach_plugin_drivers[0]),            \
        ach_plugin_drivers};

/*
 * A library for drivers with another API exports ach_plugin_adopt. It is called for each plug-in
 * that is linked with the library and has no ach_plugin, with what dlopen has returned. It returns
 * the plug-in's drivers, which must last as long as the process; NULL, with ach_errstr: it cannot.
 */
typedef const ach_plugin_t *ach_plugin_adopt_t(void *library, const char *path);

/**
 * ach_driver_provide - claim a device of the option "provides"
 * @driver: the driver
 * @interf: the interface's code
 * @key: the driver's key for the device; NULL: any
 * @address: set to the device's address
 *
 * Only in create. Claims the first device that matches and is not claimed yet.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: there is none; ACH_EEXIST: another driver has that
 * address.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_provide(ach_driver_t *driver, uint16_t interf, const char *key,
                                ach_address_t *address);

/**
 * ach_driver_provide_next - claim the next device of the option "provides"
 * @driver: the driver
 * @key: set to its key, empty if it has none; ACH_KEY_MAX bytes; NULL: not wanted
 * @address: set to the device's address
 *
 * For drivers that provide any interface. Only in create.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: as ach_driver_provide.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_provide_next(ach_driver_t *driver, char *key, ach_address_t *address);

/**
 * ach_driver_require - claim a device of the option "requires"
 * @driver: the driver
 * @interf: the interface's code; 0: any
 * @key: the driver's key for the device; NULL: any
 * @address: set to the device's address
 *
 * Only in create. The driver is subscribed to the device before setup and until
 * shutdown. The device may be on another host.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: there is none.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_require(ach_driver_t *driver, uint16_t interf, const char *key,
                                ach_address_t *address);

/**
 * ach_driver_handles - declare that a device handles a message
 * @driver: the driver
 * @address: the device
 * @type: ACH_MSG_CMD or ACH_MSG_REQ
 * @subtype: the message
 *
 * Only in create. Requests for this capability of the device are then answered with an ACK.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: the driver does not provide the device.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_handles(ach_driver_t *driver, const ach_address_t *address, uint8_t type,
                                uint8_t subtype);

/**
 * ach_driver_publish - publish data of a device
 * @driver: the driver
 * @address: a device that it provides
 * @subtype: the message
 * @body: its struct; NULL: no body
 *
 * Sends it to all subscribers, with the current time of the robot's clock.
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: the driver does not provide the device; as
 * ach_message_create.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_publish(ach_driver_t *driver, const ach_address_t *address, uint8_t subtype,
                                const void *body);

/**
 * ach_driver_publish_at - as ach_driver_publish, with the time of the measurement
 * @driver: the driver
 * @address: a device that it provides
 * @subtype: the message
 * @body: its struct; NULL: no body
 * @timestamp: seconds on the robot's clock
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: as ach_driver_publish.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_publish_at(ach_driver_t *driver, const ach_address_t *address,
                                   uint8_t subtype, const void *body, double timestamp);

/**
 * ach_driver_forward - pass a message on as data of a device
 * @driver: the driver
 * @address: a device that it provides
 * @message: its body, subtype and time are kept
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: as ach_driver_publish.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_forward(ach_driver_t *driver, const ach_address_t *address,
                                const ach_message_t *message);

/**
 * ach_driver_reply - answer a request
 * @driver: the driver
 * @request: the request
 * @type: ACH_MSG_ACK or ACH_MSG_NACK
 * @body: the answer: the struct of that request; NULL: no body
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EEXIST: it is answered already; ACH_EINVAL: not a request; as
 * ach_message_create.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_reply(ach_driver_t *driver, const ach_message_t *request, uint8_t type,
                              const void *body);

/**
 * ach_driver_relay - answer a request with the answer of another device
 * @driver: the driver
 * @request: the request
 * @answer: an ACK or NACK; its body is passed on
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: as ach_driver_reply.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_relay(ach_driver_t *driver, const ach_message_t *request,
                              const ach_message_t *answer);

/**
 * ach_driver_command - send a command to a required device
 * @driver: the driver
 * @address: a device that it requires
 * @subtype: the message
 * @body: its struct; NULL: no body
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: the driver does not require it; ACH_CLOSED: the
 * device is not set up, or its connection is lost; ACH_OVERFLOW: its queue is full; as
 * ach_message_create.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_command(ach_driver_t *driver, const ach_address_t *address, uint8_t subtype,
                                const void *body);

/**
 * ach_driver_send - forward a command or request to a required device
 * @driver: the driver
 * @address: a device that it requires
 * @message: a command or request; its body, subtype and sequence are kept
 *
 * The answer to a request is passed to process, as ACK or NACK from that device with
 * the request's sequence.
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: as ach_driver_command.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_send(ach_driver_t *driver, const ach_address_t *address,
                             const ach_message_t *message);

/**
 * ach_driver_request - send a request to a required device, and wait for the answer
 * @driver: the driver
 * @address: a device that it requires
 * @subtype: the message
 * @body: its struct; NULL: no body
 * @timeout: seconds to wait at most
 * @answer: set to the ACK or NACK, which the caller releases; NULL: not wanted
 *
 * Other messages stay in the queue meanwhile.
 *
 * Allocates: yes. Blocks: until there is an answer, the timeout has passed, or the
 * driver is to stop.
 *
 * Returns: ACH_OK: an ACK came; ACH_ENOTSUP: a NACK came; ACH_TIMEOUT;
 * ACH_CANCELED: the driver is to stop; as ach_driver_command.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_request(ach_driver_t *driver, const ach_address_t *address, uint8_t subtype,
                                const void *body, double timeout, ach_message_t **answer);

/**
 * ach_driver_wait - process messages, for some time
 * @driver: the driver
 * @seconds: how long on the robot's clock; 0: only queued messages; negative: until
 *           the driver is to stop
 *
 * The core of main. Each message is passed to process.
 *
 * Allocates: yes. Blocks: for that time.
 *
 * Returns: true: continue; false: the driver is to stop, so return from main.
 *
 * Since: 3.0
 */
bool ach_driver_wait(ach_driver_t *driver, double seconds);

/**
 * ach_driver_wait_until - process messages until a point in time
 * @driver: the driver
 * @time: seconds on the robot's clock
 *
 * For work at a steady rate.
 *
 * Allocates: yes. Blocks: until then.
 *
 * Returns: as ach_driver_wait.
 *
 * Since: 3.0
 */
bool ach_driver_wait_until(ach_driver_t *driver, double time);

/**
 * ach_driver_wait_next - process messages that are queued, or sleep until there is one
 * @driver: the driver
 * @seconds: how long to sleep at most, on the robot's clock; 0: do not sleep; negative: for ever
 *
 * For drivers that do some work after each message. Also returns after ach_driver_wake, and when
 * a client has subscribed or unsubscribed (see ach_driver_subscriptions), and may return without
 * a reason.
 *
 * Allocates: yes. Blocks: for that time at most.
 *
 * Returns: as ach_driver_wait.
 *
 * Since: 3.1
 */
bool ach_driver_wait_next(ach_driver_t *driver, double seconds);

/**
 * ach_driver_wake - make ach_driver_wait_next return
 * @driver: the driver
 *
 * For drivers with threads of their own. The next call returns if none is under way.
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_driver_wake(ach_driver_t *driver);

/**
 * ach_driver_subscriptions - how many subscriptions a device has
 * @driver: the driver
 * @address: a device that it provides
 *
 * For drivers that turn on only the parts of the hardware that are used. In a process of its own,
 * the driver sees one subscription to each of its devices.
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: the number, with those that wait for setup; 0 if the driver does not provide the device.
 *
 * Since: 3.1
 */
unsigned ach_driver_subscriptions(const ach_driver_t *driver, const ach_address_t *address);

/**
 * ach_driver_fd - a descriptor that is readable while ach_driver_wait has something to do
 * @driver: the driver
 *
 * To be polled together with the hardware's descriptors. It is readable while there are
 * messages, and when the driver is to stop.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the descriptor, which belongs to the driver and lasts as long.
 *
 * Since: 3.0
 */
int ach_driver_fd(const ach_driver_t *driver);

/**
 * ach_driver_robot_number - the number of the driver's robot
 * @driver: the driver
 *
 * The driver's own devices and those of its robot have 0 in their addresses instead.
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: the number, which is also the port of the robot's server.
 *
 * Since: 3.1
 */
uint32_t ach_driver_robot_number(const ach_driver_t *driver);

/**
 * ach_driver_time - what time it is on the robot's clock
 * @driver: the driver
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: seconds since 1970, or since the simulation began.
 *
 * Since: 3.0
 */
double ach_driver_time(const ach_driver_t *driver);

/**
 * ach_driver_advance - move the robot's simulated clock
 * @driver: a driver that controls the time: a simulation, or the replay of a log
 * @time: seconds; the clock never goes back
 *
 * The clock moves only when all other drivers have finished their work at the present
 * time and wait, so that every run is the same. Messages to this driver are processed
 * meanwhile. A driver that is busy for ten seconds, perhaps with its hardware, is
 * ignored until it calls ach_driver_wait again.
 *
 * Allocates: yes. Blocks: until all other drivers wait.
 *
 * Returns: ACH_OK; ACH_CANCELED: the driver is to stop; ACH_ENOTSUP: the robot's clock
 * is not simulated.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_advance(ach_driver_t *driver, double time);

/**
 * ach_driver_property_double - define a property that clients can read and set
 * @driver: the driver
 * @name: the name of the property, and of its option in the config file
 * @value: its default; the config file overrides it
 *
 * Only in create.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EEXIST: there is such a property; ACH_EINVAL: the option is
 * of another type.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_property_double(ach_driver_t *driver, const char *name, double value);
ach_status_t ach_driver_property_int(ach_driver_t *driver, const char *name, int32_t value);
ach_status_t ach_driver_property_bool(ach_driver_t *driver, const char *name, bool value);
ach_status_t ach_driver_property_string(ach_driver_t *driver, const char *name, const char *value);

/**
 * ach_driver_get_double - a property's value now
 * @driver: the driver
 * @name: a property of that type
 * @value: room for a copy of the string
 * @size: its bytes, with the final NUL; a longer string is truncated
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: the value; 0, false or an empty string if there is no such property.
 *
 * Since: 3.0
 */
double ach_driver_get_double(const ach_driver_t *driver, const char *name);
int32_t ach_driver_get_int(const ach_driver_t *driver, const char *name);
bool ach_driver_get_bool(const ach_driver_t *driver, const char *name);
void ach_driver_get_string(const ach_driver_t *driver, const char *name, char *value, size_t size);

/* The severity of a log line. */
enum ach_log { ACH_LOG_ERROR, ACH_LOG_WARNING, ACH_LOG_INFO, ACH_LOG_DEBUG };

/**
 * ach_driver_log - write a line to the robot's log
 * @driver: the driver
 * @level: the severity, such as ACH_LOG_ERROR
 * @format: as for printf
 *
 * For each driver and @format at most 20 lines are written in 10 seconds. The others are
 * counted, and the count is written later.
 *
 * Threads: any. Allocates: no. Blocks: no longer than the log does.
 *
 * Since: 3.0
 */
void ach_driver_log(const ach_driver_t *driver, enum ach_log level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
