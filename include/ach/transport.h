/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transport.h - for who carries messages between robots and applications
 *
 * Everybody who receives messages has a queue. A transport has one for each of
 * its clients: it subscribes the queue to devices, carries what comes out of it,
 * and hands the client's commands and requests to the robot together with the
 * queue, where the answers will come.
 *
 * At the other end, a link is an application's connection to one device of a
 * robot elsewhere: it carries the same messages the other way.
 *
 * Who may call what at the same time
 *     ach_queue_push and ach_queue_rule: any thread. ach_queue_pop: one thread at
 *     a time. ach_robot_subscribe, _unsubscribe and _deliver: any thread, but for
 *     one queue one at a time.
 *
 * Callbacks (wake, done) run in any thread, with no lock of the robot's that
 * ach_queue_* or ach_message_* would need. They must not block, and must not call ach_robot_*.
 */
#ifndef ACH_TRANSPORT_H
#define ACH_TRANSPORT_H

#include <ach/robot.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Of this header. A plug-in made for another one is refused. */
#define ACH_TRANSPORT_VERSION 2u

/* What a queue holds if nothing else is said. */
#define ACH_QUEUE_MESSAGES 1024u
#define ACH_QUEUE_BYTES (64u << 20)

typedef struct ach_queue ach_queue_t;
typedef struct ach_budget ach_budget_t;

/* What a replace rule does with a message that fits it. */
enum {
    ACH_RULE_ACCEPT = 0,  /* queue it */
    ACH_RULE_REPLACE = 1, /* queue it in place of an older one of the same device, type, subtype */
    ACH_RULE_IGNORE = 2   /* drop it */
};

/* Which messages, and what to do with them. -1 in the first four: any. */
typedef struct ach_rule {
    int32_t interf;
    int32_t index;
    int32_t type;
    int32_t subtype;
    int32_t replace;
} ach_rule_t;

/**
 * ach_queue_create - a queue
 * @messages: how many it holds; 0: ACH_QUEUE_MESSAGES
 * @bytes: how many bytes of bodies it holds; 0: ACH_QUEUE_BYTES
 * @wake: called when there is something in it and was not before, and for each
 *        request or answer; NULL: nobody
 * @context: given to @wake
 * @queue: set to the queue
 *
 * Beyond its limits data and commands are dropped and counted. Requests are refused
 * beyond 16 * ACH_QUEUE_MESSAGES of them, or ACH_QUEUE_BYTES; answers are always taken.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
ach_status_t ach_queue_create(unsigned messages, size_t bytes, void (*wake)(void *context),
                              void *context, ach_queue_t **queue);

/**
 * ach_budget_create - bytes that all clients of a transport may make a robot hold
 * @bytes: how many
 * @budget: set to the budget
 *
 * Counts the messages in the queues that ach_queue_limit gave it, each once, from then until
 * they are freed, and requests and commands of these queues' clients. A message that was
 * counted by one budget is not counted by another.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.1
 */
ach_status_t ach_budget_create(size_t bytes, ach_budget_t **budget);

/**
 * ach_budget_destroy - let go of a budget
 * @budget: the budget; NULL does nothing
 *
 * Queues and messages that it counts may still use it.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_budget_destroy(ach_budget_t *budget);

/**
 * ach_budget_add - count other bytes that a transport holds
 * @budget: the budget; NULL does nothing
 * @bytes: how many; taken also if they are more than what is left
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_budget_add(ach_budget_t *budget, size_t bytes);

/**
 * ach_budget_sub - bytes of ach_budget_add are freed
 * @budget: the budget; NULL does nothing
 * @bytes: how many
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_budget_sub(ach_budget_t *budget, size_t bytes);

/**
 * ach_budget_count - count a message until it is freed
 * @budget: the budget; NULL does nothing
 * @message: the message; nothing happens if it is counted already
 *
 * For messages that a transport holds outside of queues.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_budget_count(ach_budget_t *budget, const ach_message_t *message);

/**
 * ach_budget_left - bytes that are not used
 * @budget: the budget; NULL: without end
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the number.
 *
 * Since: 3.1
 */
size_t ach_budget_left(const ach_budget_t *budget);

/**
 * ach_queue_limit - limit the bytes that the client of a queue makes a robot hold
 * @queue: the queue, which nobody else knows yet
 * @bytes: of messages in the queue and of requests whose answers come there
 * @budget: shared with other queues. A queue holds no more than what is left of it
 *
 * Data beyond that is dropped and counted; requests and commands are refused; the answer of a
 * driver is replaced by a NACK. Messages that a transport pushes itself, and which are neither data
 * nor commands, are always taken.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_queue_limit(ach_queue_t *queue, size_t bytes, ach_budget_t *budget);

/* What a queue holds. */
typedef struct ach_queue_held {
    size_t size;      /* sizeof(ach_queue_usage_t), set by the caller */
    size_t bytes;     /* of its messages */
    size_t answers;   /* of those, bytes of messages that are neither data nor commands */
    size_t requests;  /* bytes of requests whose answers will come to it */
    uint64_t refused; /* answers that were replaced by a NACK, see ach_queue_limit */
} ach_queue_usage_t;

/**
 * ach_queue_usage - what a queue holds
 * @queue: the queue
 * @usage: set, as far as its size says
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_queue_usage(const ach_queue_t *queue, ach_queue_usage_t *usage);

/**
 * ach_queue_close - let go of a queue
 * @queue: the queue; NULL does nothing
 *
 * Empties it. @wake is not called after that has returned. It must not be
 * subscribed any more; requests under way may still know it, and their answers are
 * dropped.
 *
 * Allocates: no. Blocks: no longer than @wake does.
 *
 * Since: 3.0
 */
void ach_queue_close(ach_queue_t *queue);

/**
 * ach_queue_rule - add a replace rule
 * @queue: the queue
 * @rule: for all messages that come later; the first rule that fits wins
 *
 * Without a rule, messages are accepted.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: not a rule; ACH_OVERFLOW: too many rules.
 *
 * Since: 3.0
 */
ach_status_t ach_queue_rule(ach_queue_t *queue, const ach_rule_t *rule);

/**
 * ach_queue_push - put a message in
 * @queue: the queue
 * @message: the message; the queue takes a reference of its own
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_OVERFLOW: dropped and counted, or a request that is refused;
 * ACH_CLOSED.
 *
 * Since: 3.0
 */
ach_status_t ach_queue_push(ach_queue_t *queue, const ach_message_t *message);

/**
 * ach_queue_pop - take the oldest message out
 * @queue: the queue
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the message, which is the caller's to release; NULL: there is none.
 *
 * Since: 3.0
 */
ach_message_t *ach_queue_pop(ach_queue_t *queue);

/**
 * ach_queue_length - how many messages are in it
 * @queue: the queue
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the number.
 *
 * Since: 3.0
 */
size_t ach_queue_length(const ach_queue_t *queue);

/**
 * ach_queue_replies - how many of its messages are neither data nor commands
 * @queue: the queue
 *
 * For who holds data back until it is asked for, and lets answers pass.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the number.
 *
 * Since: 3.0
 */
size_t ach_queue_replies(const ach_queue_t *queue);

/**
 * ach_queue_lost - how many messages were dropped since last asked
 * @queue: the queue
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the number.
 *
 * Since: 3.0
 */
uint64_t ach_queue_lost(ach_queue_t *queue);

/**
 * ach_robot_find - whether there is such a device
 * @robot: the robot
 * @address: host and robot of 0 mean this one
 * @info: set to what is known of it; NULL: not wanted
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_find(const ach_robot_t *robot, const ach_address_t *address,
                            ach_device_info_t *info);

/* A route is no longer than this. */
#define ACH_ROUTE_MAX 2000u

/**
 * ach_route - which devices of which robots led to what this thread does
 *
 * Set while a driver's setup runs. A transport's connect tells the other side.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: words, the first device first; empty: none.
 *
 * Since: 3.0
 */
const char *ach_route(void);

/**
 * ach_route_set - say which devices led to what this thread does
 * @route: what ach_route returned at the other side; it must last; NULL: none
 *
 * Around ach_robot_subscribe, which refuses a subscription that comes back to a
 * driver on its own route: it would wait for itself.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.0
 */
void ach_route_set(const char *route);

/* How a subscription ended: ACH_OK, or what the driver's setup said, with a sentence. */
typedef void ach_subscribed_t(void *context, const ach_address_t *address, ach_status_t status,
                              const char *why);

/**
 * ach_robot_subscribe - have a device's data put into a queue
 * @robot: the robot
 * @address: the device
 * @queue: the queue
 * @done: called once, when the driver is set up or has failed; maybe before this
 *        function returns; the first data comes after it
 * @context: given to @done
 *
 * A queue that is subscribed twice gets messages once, and must be unsubscribed twice.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK: @done is, or will be, called. Otherwise it is not: ACH_ENOENT: no
 * such device; ACH_EINVAL: it closes a circle of robots, see ach_route;
 * ACH_FAILED_SYSCALL.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_subscribe(ach_robot_t *robot, const ach_address_t *address,
                                 ach_queue_t *queue, ach_subscribed_t *done, void *context);

/**
 * ach_robot_unsubscribe - end a subscription
 * @robot: the robot
 * @address: the device
 * @queue: the queue
 *
 * No data comes after that. A subscription under way is withdrawn, and its @done is
 * called with ACH_CANCELED before this returns.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: it is not subscribed.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_unsubscribe(ach_robot_t *robot, const ach_address_t *address,
                                   ach_queue_t *queue);

/**
 * ach_robot_listen - have a device's data put into a queue, without setting its driver up
 * @robot: the robot
 * @address: the device
 * @queue: the queue, which is not subscribed to that device
 *
 * For clients that may read data and nothing else, see ach_robot_rights. Data comes while the
 * driver runs for somebody else.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: no such device; ACH_FAILED_SYSCALL.
 *
 * Since: 3.1
 */
ach_status_t ach_robot_listen(ach_robot_t *robot, const ach_address_t *address, ach_queue_t *queue);

/**
 * ach_robot_unlisten - end that
 * @robot: the robot
 * @address: the device
 * @queue: the queue
 *
 * As often as ach_robot_listen was called. No data comes after that.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: it does not listen.
 *
 * Since: 3.1
 */
ach_status_t ach_robot_unlisten(ach_robot_t *robot, const ach_address_t *address,
                                ach_queue_t *queue);

/**
 * ach_robot_deliver - hand a command or request to a device
 * @robot: the robot
 * @header: what it is; for which device
 * @bytes: its body, as it travels
 * @size: its length
 * @answers: where the answer of a request is to come; NULL: nobody wants it
 *
 * The bytes are checked first. Properties and capabilities are answered here; all
 * else by the driver, or with a NACK if it does not. A device that is not set
 * up takes requests for properties only.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK: handed over, or answered; ACH_ENOENT: no such device;
 * ACH_CORRUPT: the bytes are wrong; ACH_CLOSED: it is not set up; ACH_OVERFLOW: its
 * queue is full, ACH_QUEUE_BYTES of requests for @answers are not answered yet, or the limit of
 * @answers is reached. Then nothing is put into @answers.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_deliver(ach_robot_t *robot, const ach_header_t *header, const void *bytes,
                               size_t size, ach_queue_t *answers);

/*
 * Who takes a device's data at its source: in the thread that publishes, for one
 * message after the other, before subscribers get it. Must not block, nor call ach_robot_*.
 */
typedef struct ach_sink {
    void *context;

    /* Data as a struct of that type, which is the publisher's. */
    void (*body)(void *context, const ach_header_t *header, const ach_type_t *type,
                 const void *body);

    /* Data that is encoded already, or has no body. */
    void (*bytes)(void *context, const ach_header_t *header, const void *bytes, size_t size);
} ach_sink_t;

/**
 * ach_robot_sink - take a device's data at its source
 * @robot: the robot
 * @address: the device
 * @sink: who takes it, copied; NULL: nobody any more
 *
 * Is no subscription: it sets no driver up. A device has one sink at most. With
 * NULL, it is not running any more when this returns.
 *
 * Allocates: no. Blocks: while the sink does its work.
 *
 * Returns: ACH_OK; ACH_ENOENT: no such device; ACH_EEXIST: it has one.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_sink(ach_robot_t *robot, const ach_address_t *address,
                            const ach_sink_t *sink);

/* An application's connection to one device of a robot elsewhere. */
typedef struct ach_link ach_link_t;

/* What a transport is made of. */
typedef struct ach_transport_class {
    uint32_t version; /* ACH_TRANSPORT_VERSION */
    const char *name; /* as in "tcp" */

    /* Serve a robot that was started, by options of a config section. NULL: links only. */
    ach_status_t (*serve)(ach_robot_t *robot, ach_section_t *options, void **server);
    void (*end)(void *server); /* No client is served after it has returned. */

    /*
     * Connect to a device and subscribe to it; blocks up to the timeout in seconds. Its data and
     * its answers are pushed into the queue, from any thread; once the connection is lost, a SYNCH message
     * with subtype 0 comes last. NULL: serves only.
     */
    ach_status_t (*connect)(const ach_place_t *place, ach_queue_t *queue, double timeout,
                            ach_link_t **link);
    ach_status_t (*send)(ach_link_t *link, const ach_message_t *message); /* a command or request */

    /*
     * Wait until the server has taken all that was sent; blocks up to so many seconds. ACH_TIMEOUT
     * or ACH_CLOSED: the server may not have got some of it. Called by the thread that sends. NULL:
     * whatever send has returned ACH_OK for reaches the server, also if disconnect follows.
     */
    ach_status_t (*flush)(ach_link_t *link, double seconds);

    /* Does not wait: who wants to know that all was sent calls flush first. */
    void (*disconnect)(ach_link_t *link);

    /* List what a robot elsewhere has, as ach_robot_devices; *count says how many. */
    ach_status_t (*list)(const ach_place_t *place, double timeout, ach_device_info_t *devices,
                         size_t room, size_t *count);

    /*
     * What the server lets the application do with the device, of ACH_RIGHT_* in access.h. NULL:
     * everything.
     */
    unsigned (*rights)(const ach_link_t *link);
} ach_transport_class_t;

/* What a plug-in with transports exports. It may have drivers as well. */
typedef struct ach_transport_plugin {
    uint32_t version; /* ACH_TRANSPORT_VERSION */
    uint32_t count;
    const ach_transport_class_t *const *transports;
} ach_transport_plugin_t;

/* A plug-in with these transports: ACH_TRANSPORT_PLUGIN(&one, &another) */
#define ACH_TRANSPORT_PLUGIN(...)                                                                  \
    static const ach_transport_class_t *const ach_plugin_transports[] = {__VA_ARGS__};             \
    __attribute__((                                                                                \
        visibility("default"))) extern const ach_transport_plugin_t ach_transport_plugin;          \
    const ach_transport_plugin_t ach_transport_plugin = {                                          \
        ACH_TRANSPORT_VERSION, sizeof(ach_plugin_transports) / sizeof(ach_plugin_transports[0]),   \
        ach_plugin_transports};

/**
 * ach_transport_add - know a transport
 * @transport: its table, which must last
 *
 * For this whole process.
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EEXIST: one of that name is known; ACH_BAD_HEADER: made for
 * another version of transport.h.
 *
 * Since: 3.0
 */
ach_status_t ach_transport_add(const ach_transport_class_t *transport);

/**
 * ach_transport_find - a transport by its name
 * @name: the name
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: its table; NULL: none is known.
 *
 * Since: 3.0
 */
const ach_transport_class_t *ach_transport_find(const char *name);

/**
 * ach_transport_next - one transport after the other
 * @previous: what this function returned last; NULL: begin
 *
 * In the order in which they were made known.
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: its table; NULL: there are no more.
 *
 * Since: 3.0
 */
const ach_transport_class_t *ach_transport_next(const ach_transport_class_t *previous);

/**
 * ach_transport_add_plugin - know the transports of a plug-in
 * @path: as for ach_robot_add_plugin, which does that as well
 *
 * For applications, which have no robot.
 *
 * Threads: any. Allocates: yes. Blocks: while it is loaded.
 *
 * Returns: ACH_OK; ACH_ENOENT; ACH_BAD_HEADER: it has no transports, or of another
 * version; ACH_EEXIST. ach_errstr says more.
 *
 * Since: 3.0
 */
ach_status_t ach_transport_add_plugin(const char *path);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
