/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.h - for who writes a driver
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
 *     create       the robot is built from its config file: read the options, say
 *                  what is provided and required. No hardware yet.
 *     setup        somebody subscribed: open the hardware.
 *     main         run until ach_driver_wait says to stop. Left out: process only.
 *     process      once for each message, from within ach_driver_wait.
 *     shutdown     nobody is subscribed any more: close the hardware. A later
 *                  subscription begins with setup again.
 *     destroy      the robot ends.
 *
 * The end of a driver
 *     Once a driver is to stop, commands and requests to it are refused. Those that were
 *     accepted before are given to process before ach_driver_wait returns false, for two
 *     seconds at most; commands beyond that are lost, and logged. When a robot ends, a driver
 *     ends before the drivers of the devices that it requires, so that the commands of its
 *     shutdown arrive.
 *
 * Threads
 *     create and destroy run in the thread that builds the robot, one driver
 *     after the other. setup, main, process and shutdown run in the driver's own
 *     thread, never two at once: a driver needs no locks for its state. All of them
 *     may block; others are not held up, only who waits for this driver is. The functions
 *     below are for the driver's own thread, unless their manual says otherwise.
 *
 *     The process of a driver with the flag ACH_DRIVER_INLINE runs in the thread that
 *     delivers the message, before it has delivered; if it runs in another
 *     thread already, that one goes on with the message. Still never two at once, nor
 *     beside setup and shutdown, which have the driver's thread. Such a process must
 *     not block: publish, forward, reply, relay, command and send are for it, wait, request
 *     and advance are not. Such a driver has no main.
 *
 * Ownership
 *     A message that is given to process belongs to the caller; ach_message_ref
 *     keeps it longer. Structs that are published are copied.
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

/* Of this header. A plug-in made for another one is refused. */
#define ACH_DRIVER_VERSION 1u

/* One driver in one robot. */
typedef struct ach_driver ach_driver_t;

/*
 * A flag: the driver's devices stand for others. Requests for capabilities, and for
 * properties that the driver itself does not have, come to process as others do.
 */
#define ACH_DRIVER_TRANSPARENT 1u

/*
 * A flag: process is called in the thread that delivers; see Threads above. For devices
 * that are reckoned, not waited for: nothing is to happen later than it was asked for.
 */
#define ACH_DRIVER_INLINE 2u

/* What a driver is made of. */
typedef struct ach_driver_class {
    uint32_t version; /* ACH_DRIVER_VERSION */
    uint32_t flags;   /* 0, or ACH_DRIVER_TRANSPARENT, ACH_DRIVER_INLINE or both */
    const char *name; /* as the config file calls it */

    /* Read the options. *state is given to all others. Not ACH_OK: no robot, with ach_errstr. */
    ach_status_t (*create)(ach_driver_t *driver, ach_section_t *options, void **state);

    /* May be NULL, as all that follow. Called if create returned ACH_OK. */
    void (*destroy)(ach_driver_t *driver, void *state);

    /* Not ACH_OK: who subscribes is refused; it is tried again with the next subscription. */
    ach_status_t (*setup)(ach_driver_t *driver, void *state);
    void (*shutdown)(ach_driver_t *driver, void *state);

    /*
     * A message to this driver: a command or request to a device that it provides, or data of
     * one that it requires. ACH_OK: it was dealt with; a request may be answered later, if
     * the message is kept. ACH_ENOTSUP: not known; a request is answered with a NACK. Other
     * statuses: as that, and logged.
     */
    ach_status_t (*process)(ach_driver_t *driver, void *state, const ach_message_t *message);

    /* Return when ach_driver_wait says so; earlier is a fault of the hardware, and is logged. */
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

/**
 * ach_driver_provide - take a device from the option "provides"
 * @driver: the driver
 * @interf: the interface's code
 * @key: what this driver calls the device; NULL: any
 * @address: set to the device's address
 *
 * Only in create. Takes the first that fits and is not taken yet.
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
 * ach_driver_provide_next - take whatever device comes next in "provides"
 * @driver: the driver
 * @key: set to its key, empty if it has none; ACH_KEY_MAX bytes; NULL: not wanted
 * @address: set to the device's address
 *
 * For drivers that take any interface. Only in create.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: as ach_driver_provide.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_provide_next(ach_driver_t *driver, char *key, ach_address_t *address);

/**
 * ach_driver_require - take a device from the option "requires"
 * @driver: the driver
 * @interf: the interface's code; 0: any
 * @key: what this driver calls the device; NULL: any
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
 * ach_driver_handles - say that a device understands a message
 * @driver: the driver
 * @address: the device
 * @type: ACH_MSG_CMD or ACH_MSG_REQ
 * @subtype: the message
 *
 * Only in create. Answers who asks for the device's capabilities.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: the driver does not provide it.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_handles(ach_driver_t *driver, const ach_address_t *address, uint8_t type,
                                uint8_t subtype);

/**
 * ach_driver_publish - say what a device senses
 * @driver: the driver
 * @address: a device that it provides
 * @subtype: the message
 * @body: its struct; NULL: no body
 *
 * To all subscribers, with the time of the robot's clock.
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: the driver does not provide it; as
 * ach_message_create.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_publish(ach_driver_t *driver, const ach_address_t *address, uint8_t subtype,
                                const void *body);

/**
 * ach_driver_publish_at - as ach_driver_publish, with the time it was sensed
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
 * Returns: ACH_OK; ACH_EEXIST: it is answered already; ACH_EINVAL: no request; as
 * ach_message_create.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_reply(ach_driver_t *driver, const ach_message_t *request, uint8_t type,
                              const void *body);

/**
 * ach_driver_relay - answer a request with somebody else's answer
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
 * ach_driver_command - tell a required device what to do
 * @driver: the driver
 * @address: a device that it requires
 * @subtype: the message
 * @body: its struct; NULL: no body
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: the driver does not require it; ACH_CLOSED: the
 * device is away; ACH_OVERFLOW: its queue is full; as ach_message_create.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_command(ach_driver_t *driver, const ach_address_t *address, uint8_t subtype,
                                const void *body);

/**
 * ach_driver_send - pass a command or request on to a required device
 * @driver: the driver
 * @address: a device that it requires
 * @message: a command or request; its body, subtype and sequence are kept
 *
 * The answer of a request comes to process, as ACK or NACK from that device with
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
 * ach_driver_request - ask a required device, and wait for the answer
 * @driver: the driver
 * @address: a device that it requires
 * @subtype: the message
 * @body: its struct; NULL: no body
 * @timeout: seconds
 * @answer: set to the ACK or NACK, which is the caller's to release; NULL: not wanted
 *
 * Other messages wait meanwhile.
 *
 * Allocates: yes. Blocks: until there is an answer, the time is over, or the
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
 * @seconds: how long on the robot's clock; 0: only what is there; negative: until
 *           the driver is to stop
 *
 * The heart of main. Each message goes to process.
 *
 * Allocates: yes. Blocks: for that time.
 *
 * Returns: whether to go on. False: leave main.
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
 * ach_driver_fd - a descriptor that is readable while ach_driver_wait has something to do
 * @driver: the driver
 *
 * To poll beside the hardware's. Messages, or the order to stop.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the descriptor, which is the driver's for all its life.
 *
 * Since: 3.0
 */
int ach_driver_fd(const ach_driver_t *driver);

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
 * @driver: a driver that makes time: a simulation, or the replay of a log
 * @time: seconds; the clock never goes back
 *
 * Other drivers first finish what they do at the present time: the clock moves
 * when all of them wait, so that a run is the same each time. Messages to this
 * driver are processed meanwhile. A driver that is busy for ten seconds, with its
 * hardware perhaps, is waited for no more until it calls ach_driver_wait again.
 *
 * Allocates: yes. Blocks: until others wait.
 *
 * Returns: ACH_OK; ACH_CANCELED: the driver is to stop; ACH_ENOTSUP: the clock is
 * the wall's.
 *
 * Since: 3.0
 */
ach_status_t ach_driver_advance(ach_driver_t *driver, double time);

/**
 * ach_driver_property_double - have a property that clients can read and set
 * @driver: the driver
 * @name: the option's name in the config file, and the property's
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
 * @size: its bytes, with the final NUL; a longer string is cut
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

/* How much a line of the log matters. */
enum ach_log { ACH_LOG_ERROR, ACH_LOG_WARNING, ACH_LOG_INFO, ACH_LOG_DEBUG };

/**
 * ach_driver_log - write a line to the robot's log
 * @driver: the driver
 * @level: ACH_LOG_ERROR and so on
 * @format: as for printf
 *
 * At most 20 lines with one @format are written in 10 seconds for each driver. The others are counted, and the
 * count is written later.
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
