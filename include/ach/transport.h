/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transport.h - for authors of transports between robots and applications
 *
 * Every receiver of messages has a queue. A transport has a queue for each client: it
 * subscribes the queue to devices, and sends the messages in it to the client. It
 * delivers the client's commands and requests to the robot together with the queue,
 * into which the answers are pushed.
 *
 * At the application's end, a link is a connection to one device of a remote robot:
 * it carries the same messages in the other direction.
 *
 * Thread safety
 *     ach_queue_push and ach_queue_rule: any thread. ach_queue_pop: one thread at
 *     a time. ach_robot_subscribe, _unsubscribe and _deliver: any thread, but one at
 *     a time for each queue.
 *
 * Callbacks (wake, done) run in any thread. They may call ach_queue_* and ach_message_*. They
 * must not block, and must not call ach_robot_*.
 */
#ifndef ACH_TRANSPORT_H
#define ACH_TRANSPORT_H

#include <ach/robot.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Version of this header. A plug-in built for another version is refused. */
#define ACH_TRANSPORT_VERSION 2u

/* The default limits of a queue. */
#define ACH_QUEUE_MESSAGES 1024u
#define ACH_QUEUE_BYTES (64u << 20)

typedef struct ach_queue ach_queue_t;
typedef struct ach_budget ach_budget_t;

/* What a replace rule does with a message that matches it. */
enum {
    ACH_RULE_ACCEPT = 0,  /* queue it */
    ACH_RULE_REPLACE = 1, /* queue it in place of an older one of the same device, type, subtype */
    ACH_RULE_IGNORE = 2   /* drop it */
};

/* A replace rule: which messages, and what to do with them. -1 in the first four: any. */
typedef struct ach_rule {
    int32_t interf;
    int32_t index;
    int32_t type;
    int32_t subtype;
    int32_t replace;
} ach_rule_t;

/**
 * ach_queue_create - create a queue
 * @messages: the most messages that it holds; 0: ACH_QUEUE_MESSAGES
 * @bytes: the most bytes of bodies that it holds; 0: ACH_QUEUE_BYTES
 * @wake: called when a message is pushed into the empty queue, for each request or answer, and
 *        for the first message that is dropped since ach_queue_lost; NULL: none
 * @context: passed to @wake
 * @queue: set to the queue
 *
 * Beyond its limits data and commands are dropped and counted. Requests are refused
 * beyond 16 * ACH_QUEUE_MESSAGES of them, or ACH_QUEUE_BYTES; answers are always accepted.
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
 * ach_budget_create - limit the bytes that a robot holds for all clients of a transport
 * @bytes: the limit
 * @budget: set to the budget
 *
 * ach_queue_limit assigns queues to the budget. It counts the messages in these queues, and the
 * requests and commands of their clients: each message once, until it is freed. A message that
 * is counted by one budget is not counted by another.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.1
 */
ach_status_t ach_budget_create(size_t bytes, ach_budget_t **budget);

/**
 * ach_budget_destroy - release a budget
 * @budget: the budget; NULL does nothing
 *
 * It is freed when the queues and messages that it counts do not use it any more.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_budget_destroy(ach_budget_t *budget);

/**
 * ach_budget_add - count other bytes that a transport holds
 * @budget: the budget; NULL does nothing
 * @bytes: how many; counted even if they exceed what is left
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_budget_add(ach_budget_t *budget, size_t bytes);

/**
 * ach_budget_sub - uncount bytes of ach_budget_add
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
 * @message: the message; ignored if it is counted already
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
 * @budget: the budget; NULL: no limit
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the number.
 *
 * Since: 3.1
 */
size_t ach_budget_left(const ach_budget_t *budget);

/**
 * ach_queue_limit - limit the bytes that a robot holds for the client of a queue
 * @queue: the queue, before any other thread uses it
 * @bytes: the most bytes of messages in the queue and of requests that are answered there
 * @budget: shared with other queues. A queue holds no more than what is left of it
 *
 * Beyond the limit data is dropped and counted; requests and commands are refused; the answer of a
 * driver is replaced by a NACK. Messages that a transport pushes itself, and which are neither data
 * nor commands, are always accepted.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_queue_limit(ach_queue_t *queue, size_t bytes, ach_budget_t *budget);

/* Size of the reason why a command was not handled. */
#define ACH_UNHANDLED_WHY 128u

/* What a queue holds, and what became of the commands of its owner. */
typedef struct ach_queue_held {
    size_t size;      /* sizeof(ach_queue_usage_t), set by the caller */
    size_t bytes;     /* of its messages */
    size_t answers;   /* of those, bytes of messages that are neither data nor commands */
    size_t requests;  /* bytes of requests that will be answered there */
    uint64_t refused; /* answers that were replaced by a NACK, see ach_queue_limit */

    /*
     * Commands that ach_robot_deliver accepted with this queue as @answers, and that no driver
     * handled, and those of ach_queue_unhandled; the number wraps. And why that is so for the
     * last of them.
     */
    uint32_t unhandled;
    char unhandled_why[ACH_UNHANDLED_WHY];
} ach_queue_usage_t;

/**
 * ach_queue_usage - what a queue holds
 * @queue: the queue
 * @usage: set, up to the size in its first field
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_queue_usage(const ach_queue_t *queue, ach_queue_usage_t *usage);

/**
 * ach_queue_unhandled - count a command that a transport accepted, and that is not delivered
 * @queue: the queue of the client that sent it
 * @why: the reason, of at most ACH_UNHANDLED_WHY - 1 bytes; a longer one is cut
 *
 * The client is told with the answer to its next flush. For commands that ach_robot_deliver
 * refuses, too, unless the transport returns its error to the client.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_queue_unhandled(ach_queue_t *queue, const char *why);

/**
 * ach_queue_close - close a queue
 * @queue: the queue; NULL does nothing
 *
 * Drops all messages in it. The function wake is not called after this has returned.
 * The queue must not be subscribed any more. Answers to pending requests are dropped.
 *
 * Allocates: no. Blocks: while wake runs.
 *
 * Since: 3.0
 */
void ach_queue_close(ach_queue_t *queue);

/**
 * ach_queue_rule - add a replace rule
 * @queue: the queue
 * @rule: the rule, for all later messages; the first rule that matches wins
 *
 * A message that matches no rule is accepted.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: not a rule; ACH_OVERFLOW: too many rules.
 *
 * Since: 3.0
 */
ach_status_t ach_queue_rule(ach_queue_t *queue, const ach_rule_t *rule);

/**
 * ach_queue_push - add a message to a queue
 * @queue: the queue
 * @message: the message; the queue takes a reference of its own
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_OVERFLOW: dropped and counted, or refused if it is a request;
 * ACH_CLOSED.
 *
 * Since: 3.0
 */
ach_status_t ach_queue_push(ach_queue_t *queue, const ach_message_t *message);

/**
 * ach_queue_pop - remove the oldest message from a queue
 * @queue: the queue
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the message, which the caller releases with ach_message_unref; NULL: there is
 * none.
 *
 * Since: 3.0
 */
ach_message_t *ach_queue_pop(ach_queue_t *queue);

/**
 * ach_queue_length - how many messages are in a queue
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
 * ach_queue_replies - how many messages in a queue are neither data nor commands
 * @queue: the queue
 *
 * For a transport that holds data back until the client polls, but sends answers at once.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the number.
 *
 * Since: 3.0
 */
size_t ach_queue_replies(const ach_queue_t *queue);

/**
 * ach_queue_lost - how many messages were dropped since the last call
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
 * ach_robot_find - find a device
 * @robot: the robot
 * @address: the device; 0 as host and robot means this one
 * @info: set to its description; NULL: not wanted
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_find(const ach_robot_t *robot, const ach_address_t *address,
                            ach_device_info_t *info);

/* The longest route, in characters. */
#define ACH_ROUTE_MAX 2000u

/**
 * ach_route - the chain of devices whose setup led to the setup in this thread
 *
 * A driver's setup may cause the setup of other drivers, also in other robots. The route is set
 * while a driver's setup runs. A transport's connect sends it to the server.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the devices as words, the first device first; empty: none.
 *
 * Since: 3.0
 */
const char *ach_route(void);

/**
 * ach_route_set - set the route of this thread
 * @route: the route that the client sent; it must last until it is reset; NULL: none
 *
 * A server sets it before ach_robot_subscribe and resets it afterwards. A subscription to a
 * driver that is already on the route is refused: it would wait for itself.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.0
 */
void ach_route_set(const char *route);

/* The result of a subscription: ACH_OK, or the status of the driver's setup, and why. */
typedef void ach_subscribed_t(void *context, const ach_address_t *address, ach_status_t status,
                              const char *why);

/**
 * ach_robot_subscribe - subscribe a queue to the data of a device
 * @robot: the robot
 * @address: the device
 * @queue: the queue
 * @done: called once, when the driver is set up or has failed; maybe before this
 *        function returns. The first data comes after it
 * @context: passed to @done
 *
 * A queue that is subscribed twice gets messages once, and must be unsubscribed twice.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK: @done is, or will be, called. Otherwise it is not called: ACH_ENOENT: no
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
 * No data comes after that. If the subscription is still pending, it is canceled, and its
 * function done is called with ACH_CANCELED before this returns.
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
 * ach_robot_listen - receive a device's data in a queue, without setting up its driver
 * @robot: the robot
 * @address: the device
 * @queue: the queue, which is not subscribed to that device
 *
 * For clients that may only read data, see ach_robot_rights. Data comes only while the
 * driver runs for another client.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOENT: no such device; ACH_FAILED_SYSCALL.
 *
 * Since: 3.1
 */
ach_status_t ach_robot_listen(ach_robot_t *robot, const ach_address_t *address, ach_queue_t *queue);

/**
 * ach_robot_unlisten - stop receiving data after ach_robot_listen
 * @robot: the robot
 * @address: the device
 * @queue: the queue
 *
 * To be called once for each ach_robot_listen. No data comes after the last call.
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
 * ach_robot_deliver - deliver a command or request to a device
 * @robot: the robot
 * @header: its header, with the device's address
 * @bytes: its encoded body
 * @size: the length of the body
 * @answers: the queue for the answer to a request, which also counts commands that are accepted
 * but not handled (see ach_queue_usage); NULL: not wanted
 *
 * The bytes are checked first. The robot itself answers requests for properties and
 * capabilities, and the request ACH_REQ_FLUSH, as soon as the driver has handled all messages
 * before it. The driver answers all others; if it does not, they are answered with a
 * NACK. A device that is not set up accepts only requests that the robot answers.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK: delivered, or answered; ACH_ENOENT: no such device;
 * ACH_CORRUPT: the bytes are wrong; ACH_CLOSED: it is not set up; ACH_OVERFLOW: its
 * queue is full, ACH_QUEUE_BYTES of requests for @answers are not answered yet, or the limit of
 * @answers is reached. After a failure nothing is put into @answers.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_deliver(ach_robot_t *robot, const ach_header_t *header, const void *bytes,
                               size_t size, ach_queue_t *answers);

/*
 * A sink receives a device's data in the thread that publishes it, one message at a
 * time, before subscribers get it. It must not block, nor call ach_robot_*.
 */
typedef struct ach_sink {
    void *context;

    /* Data as a struct of that type, which belongs to the publisher. */
    void (*body)(void *context, const ach_header_t *header, const ach_type_t *type,
                 const void *body);

    /* Data that is encoded already, or has no body. */
    void (*bytes)(void *context, const ach_header_t *header, const void *bytes, size_t size);
} ach_sink_t;

/**
 * ach_robot_sink - set or remove the sink of a device
 * @robot: the robot
 * @address: the device
 * @sink: the sink, which is copied; NULL: remove it
 *
 * A sink is not a subscription: it does not set up the driver. A device has at most one
 * sink. A sink that was removed is not running any more when this returns.
 *
 * Allocates: no. Blocks: while the sink runs.
 *
 * Returns: ACH_OK; ACH_ENOENT: no such device; ACH_EEXIST: the device has a sink already.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_sink(ach_robot_t *robot, const ach_address_t *address,
                            const ach_sink_t *sink);

/* An application's connection to one device of a remote robot. */
typedef struct ach_link ach_link_t;

/* A transport: its name and functions. */
typedef struct ach_transport_class {
    uint32_t version; /* ACH_TRANSPORT_VERSION */
    const char *name; /* such as "tcp" */

    /* Serve a robot that was started, with options of a config section. NULL: links only. */
    ach_status_t (*serve)(ach_robot_t *robot, ach_section_t *options, void **server);
    void (*end)(void *server); /* No client is served after it has returned. */

    /*
     * Connect to a device and subscribe to it; blocks up to the timeout in seconds. Its data and
     * its answers are pushed into the queue, from any thread; once the connection is lost, a SYNCH
     * message with subtype 0 is pushed last. NULL: the transport only serves.
     */
    ach_status_t (*connect)(const ach_place_t *place, ach_queue_t *queue, double timeout,
                            ach_link_t **link);
    ach_status_t (*send)(ach_link_t *link, const ach_message_t *message); /* a command or request */

    /*
     * Wait until the driver has handled all commands that were sent; blocks up to the given
     * seconds. If the server cannot tell, wait until it has received them. ACH_TIMEOUT or
     * ACH_CLOSED: some may not be handled. ACH_ENOTSUP: some were not, which was not yet reported.
     * Called by the thread that sends. NULL: every message for which send returned ACH_OK reaches
     * the server, even if disconnect follows.
     */
    ach_status_t (*flush)(ach_link_t *link, double seconds);

    /* Does not wait: call flush first to know that all was received. */
    void (*disconnect)(ach_link_t *link);

    /* List the devices of a remote robot, as ach_robot_devices; *count: how many there are. */
    ach_status_t (*list)(const ach_place_t *place, double timeout, ach_device_info_t *devices,
                         size_t room, size_t *count);

    /*
     * The application's rights to the device on that server: a set of ACH_RIGHT_*, see access.h.
     * NULL: all rights.
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
 * ach_transport_add - register a transport
 * @transport: its table, which must last as long as the process
 *
 * It is registered for the whole process.
 *
 * Threads: any. Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EEXIST: a transport of that name is registered; ACH_BAD_HEADER: built
 * for another version of transport.h.
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
 * Returns: its table; NULL: none is registered.
 *
 * Since: 3.0
 */
const ach_transport_class_t *ach_transport_find(const char *name);

/**
 * ach_transport_next - iterate over the transports
 * @previous: what this function returned last; NULL: begin
 *
 * In the order in which they were registered.
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: its table; NULL: there are no more.
 *
 * Since: 3.0
 */
const ach_transport_class_t *ach_transport_next(const ach_transport_class_t *previous);

/**
 * ach_transport_add_plugin - register the transports of a plug-in
 * @path: as for ach_robot_add_plugin, which registers transports as well
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
