/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message.h - addresses of devices, and the messages between them
 *
 * A message is a header and a body. It does not change after it was created, so
 * threads can share it. It is reference-counted, and the last ach_message_unref
 * frees it. Its body is kept encoded, and is decoded to a struct of its interface
 * at the first ach_message_body.
 *
 * Thread safety
 *     All functions may be called from any thread: messages do not change.
 */
#ifndef ACH_MESSAGE_H
#define ACH_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ach/interface.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The robot of an address that names none; with TCP, the port. */
#define ACH_ROBOT_DEFAULT 6665u

#define ACH_KEY_MAX 64u      /* of an address, with its NUL */
#define ACH_HOST_MAX 256u    /* a host's name, with its NUL */
#define ACH_ADDRESS_MAX 400u /* an address as text, with its NUL */

/* Where a device is. */
typedef struct ach_address {
    uint32_t host;   /* IPv4 address, as in the protocol; 0: this process */
    uint32_t robot;  /* which robot there; 0: the process's own */
    uint16_t interf; /* the interface's code */
    uint16_t index;  /* number among the devices of that interface */
} ach_address_t;

/* An address as people write it: key:host:robot:interface:index. */
typedef struct ach_place {
    char key[ACH_KEY_MAX];   /* the driver's key for the device; empty: none */
    char host[ACH_HOST_MAX]; /* name or number; empty: this process, or this machine */
    uint32_t robot;          /* 0: not given */
    uint16_t interf;
    uint16_t index;
} ach_place_t;

/**
 * ach_place_parse - read an address
 * @text: as "laser:0", "6665:laser:0", "robot.local:6665:laser:0" or
 *        "front:::laser:0"; parts are assigned from the right
 * @place: set to the parts of the address
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: not an address; ach_errstr says why.
 *
 * Since: 3.0
 */
ach_status_t ach_place_parse(const char *text, ach_place_t *place);

/**
 * ach_address_equal - whether two addresses are the same
 * @a: one
 * @b: the other
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: true or false.
 *
 * Since: 3.0
 */
bool ach_address_equal(const ach_address_t *a, const ach_address_t *b);

/**
 * ach_address_text - write an address
 * @address: the address
 * @text: room for ACH_ADDRESS_MAX bytes
 *
 * As "laser:0" within the process, else with robot and host.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: @text.
 *
 * Since: 3.0
 */
char *ach_address_text(const ach_address_t *address, char *text);

/* The header of a message. */
typedef struct ach_header {
    ach_address_t address; /* the device that sends or receives it */
    uint8_t type;          /* ACH_MSG_DATA and so on */
    uint8_t subtype;       /* which message of the interface */
    uint32_t sequence;     /* chosen by the sender of a request, copied to the answer */
    double timestamp;      /* seconds since 1970, or since the simulation began */
} ach_header_t;

/* Bytes of an encoded header, on TCP and in channels. The body follows. */
#define ACH_FRAME_HEADER 40u

/**
 * ach_frame_write - encode a header
 * @header: the header
 * @size: the length of the body
 * @bytes: room for ACH_FRAME_HEADER bytes
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Since: 3.0
 */
void ach_frame_write(const ach_header_t *header, uint32_t size, void *bytes);

/**
 * ach_frame_read - decode a header
 * @bytes: ACH_FRAME_HEADER bytes
 * @header: set to the header
 * @size: set to the length of the body that follows
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: ACH_OK; ACH_CORRUPT: an invalid type, subtype, interface or index, or a
 * body longer than ACH_BODY_MAX.
 *
 * Since: 3.0
 */
ach_status_t ach_frame_read(const void *bytes, ach_header_t *header, uint32_t *size);

typedef struct ach_message ach_message_t;

/**
 * ach_message_create - create a message from a struct
 * @header: its header, which determines the struct
 * @body: the struct of that message; NULL: no body
 * @message: set to the message; the caller releases it with ach_message_unref
 *
 * The struct is encoded; the caller keeps it.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: no such message, or a count above its limit;
 * ACH_OVERFLOW: longer than ACH_BODY_MAX; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
ach_status_t ach_message_create(const ach_header_t *header, const void *body,
                                ach_message_t **message);

/**
 * ach_message_wrap - create a message from an encoded body
 * @header: its header
 * @bytes: the encoded body; copied
 * @size: how many
 * @message: set to the message; the caller releases it with ach_message_unref
 *
 * The bytes are not checked: see ach_message_check.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_OVERFLOW: longer than ACH_BODY_MAX; ACH_FAILED_SYSCALL:
 * no memory.
 *
 * Since: 3.0
 */
ach_status_t ach_message_wrap(const ach_header_t *header, const void *bytes, size_t size,
                              ach_message_t **message);

/**
 * ach_message_again - create a message with the same body and another header
 * @message: the message
 * @header: the new header
 * @again: set to the new message; the caller releases it with ach_message_unref
 *
 * The body is shared, not copied.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
ach_status_t ach_message_again(const ach_message_t *message, const ach_header_t *header,
                               ach_message_t **again);

/**
 * ach_message_check - whether the body is valid for the header
 * @message: the message
 *
 * The body is decoded, and the struct is kept, as with ach_message_body.
 *
 * Allocates: at the first call. Blocks: no.
 *
 * Returns: ACH_OK, also for an empty body; ACH_ENOENT: no interface has such a
 * message; ACH_CORRUPT: the bytes are not such a body; ach_errstr says why.
 *
 * Since: 3.0
 */
ach_status_t ach_message_check(const ach_message_t *message);

/**
 * ach_message_header - the header of a message
 * @message: the message
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: the header, which lives as long as the message.
 *
 * Since: 3.0
 */
const ach_header_t *ach_message_header(const ach_message_t *message);

/**
 * ach_message_bytes - the encoded body
 * @message: the message
 * @size: set to its length
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: the bytes, which live as long as the message.
 *
 * Since: 3.0
 */
const void *ach_message_bytes(const ach_message_t *message, size_t *size);

/**
 * ach_message_body - the body as a struct
 * @message: the message
 *
 * It is decoded at the first call, and kept with the message.
 *
 * Allocates: at the first call. Blocks: no.
 *
 * Returns: the struct of that message, which lives as long as the message; NULL
 * if the body is empty or not valid for the header, or if there is no memory.
 *
 * Since: 3.0
 */
const void *ach_message_body(const ach_message_t *message);

/**
 * ach_message_is - whether a message has this device, type and subtype
 * @message: the message
 * @address: the device; NULL: any
 * @type: the type
 * @subtype: the subtype
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: true or false.
 *
 * Since: 3.0
 */
bool ach_message_is(const ach_message_t *message, const ach_address_t *address, uint8_t type,
                    uint8_t subtype);

/**
 * ach_message_ref - take a reference to a message
 * @message: the message
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: @message.
 *
 * Since: 3.0
 */
ach_message_t *ach_message_ref(const ach_message_t *message);

/**
 * ach_message_unref - release a reference to a message
 * @message: the message; NULL does nothing
 *
 * The last release frees the message. A request that is not answered by then is
 * answered with a NACK, so that no client waits for a driver that forgot it.
 *
 * Allocates: for that NACK only. Blocks: no.
 *
 * Since: 3.0
 */
void ach_message_unref(ach_message_t *message);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
