/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interface.h - interfaces of devices: their messages, and how bodies are encoded
 *
 * An interface is a numbered set of messages; `laser` is number 6. Each message
 * has a type (data, command, request), a subtype that names it within the
 * interface, and a body: a C struct here, XDR bytes everywhere else. The structs
 * are in <ach/interface/NAME.h>, made from definition files by ach-interfaces(1),
 * with a table for each struct. All functions below work from those tables, so
 * an interface that a plug-in adds is encoded, printed and read like any other.
 *
 *     ach_laser_data_t scan = {.ranges_count = n, .ranges = ranges};
 *     ach_encode(&ach_laser_data_type, &scan, buffer, sizeof(buffer), &size);
 *
 * In memory a variable array is a count and a pointer. A string is an array of
 * char whose count includes its final NUL. On the wire the count stands in its
 * place and again in front of the elements.
 *
 * Who may call what at the same time
 *     Everything, from any thread: tables are constant, and the register of
 *     interfaces only grows.
 *
 * Decoding distrusts the bytes: every count is compared with its limit, with
 * its twin and with the bytes that are left before anything is written. The
 * bytes may change meanwhile, as in memory shared with others; the result is
 * then a failure or a mixture, never damage.
 *
 * Functions return ACH_EINVAL for a body that cannot be encoded or a text that
 * cannot be read, ACH_CORRUPT for bytes that are not such a body, and
 * ACH_OVERFLOW when the room is too small; ach_errstr says the details.
 */
#ifndef ACH_INTERFACE_H
#define ACH_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ach.h>
#include <ach/status.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The layout of the tables below. A table of another version is refused. */
#define ACH_TABLE_VERSION 1u

/* The largest body: its bytes on the wire, and any count within it. */
#define ACH_BODY_MAX 33554432u

/* Arrays of structs within each other, and structs within each other: at most so many levels. */
#define ACH_TYPE_DEPTH_MAX 8u
#define ACH_TYPE_LEVEL_MAX 16u

/* What kind of message; numbers of the wire. */
enum ach_message_type {
    ACH_MSG_DATA = 1,  /* published by a device */
    ACH_MSG_CMD = 2,   /* to a device, without an answer */
    ACH_MSG_REQ = 3,   /* to a device, with an answer */
    ACH_MSG_ACK = 4,   /* the answer: done */
    ACH_MSG_SYNCH = 5, /* from the server to a client that polls */
    ACH_MSG_NACK = 6   /* the answer: refused, or not understood */
};

/* What a field, or an element of its array, is. */
enum ach_kind {
    ACH_KIND_INT8 = 1,
    ACH_KIND_UINT8,
    ACH_KIND_CHAR, /* only in arrays, which are then strings */
    ACH_KIND_INT16,
    ACH_KIND_UINT16,
    ACH_KIND_INT32,
    ACH_KIND_UINT32,
    ACH_KIND_INT64,
    ACH_KIND_UINT64,
    ACH_KIND_FLOAT,
    ACH_KIND_DOUBLE,
    ACH_KIND_STRUCT
};

enum ach_array {
    ACH_ARRAY_NONE = 0,     /* one value */
    ACH_ARRAY_FIXED = 1,    /* `limit` values */
    ACH_ARRAY_VARIABLE = 2, /* a pointer to as many values as the count says */
    ACH_ARRAY_COUNT = 3     /* one uint32: the count of a variable array */
};

struct ach_type;

/* A field of a struct, as people see it. */
typedef struct ach_field {
    const char *name;
    const char *text;            /* what it means, with its unit; "" if the name says it */
    const struct ach_type *type; /* of a struct, else NULL */
    uint8_t kind;                /* enum ach_kind */
    uint8_t array;               /* enum ach_array */
    uint32_t offset;             /* of the value, the first value, or the pointer */
    uint32_t count_offset;       /* of a variable array's count */
    uint32_t limit;              /* values at most; 1 for one value */
} ach_field_t;

/* A step of encoding: scalars of one kind that stand side by side, or an array. */
typedef struct ach_step {
    const struct ach_type *type; /* of an array of structs, else NULL */
    uint8_t kind;                /* enum ach_kind, of the scalars */
    uint8_t array;               /* enum ach_array; ACH_ARRAY_NONE for side by side */
    uint16_t per;                /* scalars in each element of an array */
    uint32_t offset;             /* of the first scalar, or of the pointer */
    uint32_t count_offset;       /* of a variable array's count */
    uint32_t limit;              /* scalars side by side, or elements at most */
} ach_step_t;

/* A struct. */
typedef struct ach_type {
    const char *name; /* "laser.data" */
    const char *text;
    const ach_field_t *fields;
    const ach_step_t *steps;
    uint32_t field_count;
    uint32_t step_count;
    uint32_t body_size; /* sizeof the C struct */
    uint32_t body_align;
    uint32_t wire_size; /* encoded, when all variable arrays are empty */
    uint8_t fixed;      /* it has no variable arrays, so that wire_size is exact */
    uint8_t depth;      /* levels of structs within variable arrays */
} ach_type_t;

/* A message of an interface. */
typedef struct ach_message_def {
    const char *name; /* "SCAN" */
    const char *text;
    const ach_type_t *body; /* NULL: always empty. A request and its reply have the same */
    uint8_t type;           /* enum ach_message_type */
    uint8_t subtype;
} ach_message_def_t;

#ifdef __cplusplus
extern "C++" {
namespace ach
{
// The type that describes a struct. Generated headers define it for each struct of a message, and
// device.hpp checks with it that a struct is the one of a message.
template <class T> struct BodyType;
} // namespace ach
}
#endif

/* An interface. */
typedef struct ach_interface {
    uint32_t size;    /* sizeof(ach_interface_t) where the table was compiled */
    uint32_t version; /* ACH_TABLE_VERSION there */
    const char *name; /* "laser" */
    const char *text;
    const ach_message_def_t *messages;
    const ach_type_t *const *types;
    uint32_t message_count;
    uint32_t type_count;
    uint16_t code;
} ach_interface_t;

/**
 * ach_interface_find - an interface by its name
 * @name: as "laser"
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the interface, or NULL when there is none of that name.
 *
 * Since: 3.0
 */
const ach_interface_t *ach_interface_find(const char *name);

/**
 * ach_interface_by_code - an interface by its number
 * @code: as 6 for laser
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the interface, or NULL when there is none of that number.
 *
 * Since: 3.0
 */
const ach_interface_t *ach_interface_by_code(unsigned code);

/**
 * ach_interface_at - all interfaces, one after the other
 * @index: from 0; the built-in ones come first, by number
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the interface, or NULL after the last.
 *
 * Since: 3.0
 */
const ach_interface_t *ach_interface_at(size_t index);

/**
 * ach_interface_add - make an interface known to this process
 * @interface: its table, which must stay as long as the process lives. The
 *     code that holds it must not be unloaded.
 *
 * Plug-ins call this before they use their interface. Adding the same table
 * again does nothing.
 *
 * Allocates: yes. Blocks: for other callers of this function.
 *
 * Returns: ACH_OK; ACH_EEXIST: another interface has this name or number;
 * ACH_EINVAL: not a sound table, or of another version; ACH_FAILED_SYSCALL: no
 * memory.
 *
 * Since: 3.0
 */
enum ach_status ach_interface_add(const ach_interface_t *interface);

/**
 * ach_interface_message - a message of an interface by its numbers
 * @interface: NULL stands for an interface that this process does not know
 * @type: a reply is looked up as its request
 * @subtype: its number within the interface
 *
 * Properties and the question for a capability belong to every interface, also
 * to an unknown one.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the message, or NULL when the interface has no such message.
 *
 * Since: 3.0
 */
const ach_message_def_t *ach_interface_message(const ach_interface_t *interface, unsigned type,
                                               unsigned subtype);

/**
 * ach_interface_message_named - a message of an interface by its name
 * @interface: as for ach_interface_message
 * @type: as for ach_interface_message
 * @name: letters of either case
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the message, or NULL when the interface has no such message.
 *
 * Since: 3.0
 */
const ach_message_def_t *ach_interface_message_named(const ach_interface_t *interface,
                                                     unsigned type, const char *name);

/**
 * ach_encoded_size - how many bytes a body will take
 * @type: the struct's table, as ach_laser_data_type
 * @body: the struct
 * @size: set to the bytes
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: a count is over its limit, a count has no array,
 * or the whole is larger than ACH_BODY_MAX.
 *
 * Since: 3.0
 */
enum ach_status ach_encoded_size(const ach_type_t *type, const void *body, size_t *size);

/**
 * ach_encode - write a body as bytes
 * @type: the struct's table, as ach_laser_data_type
 * @body: the struct
 * @buffer: where to write
 * @room: its size in bytes
 * @size: set to the bytes written
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL as ach_encoded_size; ACH_OVERFLOW: the room is too
 * small. The buffer's contents are undefined after a failure.
 *
 * Since: 3.0
 */
enum ach_status ach_encode(const ach_type_t *type, const void *body, void *buffer, size_t room,
                           size_t *size);

/**
 * ach_decoded_size - how much memory a body will take once decoded
 * @type: the struct's table, as ach_laser_data_type
 * @bytes: the body as it travels
 * @n: how many bytes
 * @size: set to the memory of the struct with everything its pointers will point to
 *
 * Counts are compared with their limits and with the bytes, not with their
 * twins, which ach_decode does.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_CORRUPT: not such a body; ACH_ENOENT: there are no bytes at
 * all, as in a request that asks for the struct and brings none.
 *
 * Since: 3.0
 */
enum ach_status ach_decoded_size(const ach_type_t *type, const void *bytes, size_t n, size_t *size);

/**
 * ach_decode - read a body from bytes
 * @type: the struct's table, as ach_laser_data_type
 * @bytes: the body as it travels
 * @n: how many bytes
 * @out: aligned for any type, as malloc does. The struct comes first and
 *     everything that it points to behind it, in one piece. Strings have a NUL
 *     behind their last character even if none came; an empty string points to
 *     one, an empty array of other things is NULL.
 * @room: bytes at @out, as ach_decoded_size says
 *
 * Integers of fewer than 32 bits take the low bits of what came.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: as ach_decoded_size, or ACH_OVERFLOW: the room is too small. The
 * contents of out are undefined after a failure.
 *
 * Since: 3.0
 */
enum ach_status ach_decode(const ach_type_t *type, const void *bytes, size_t n, void *out,
                           size_t room);

/**
 * ach_decode_new - read a body from bytes into new memory
 * @type: the struct's table, as ach_laser_data_type
 * @bytes: the body as it travels
 * @n: how many bytes
 * @body: set to the struct, for free() in one call
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: as ach_decoded_size, or ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
enum ach_status ach_decode_new(const ach_type_t *type, const void *bytes, size_t n, void **body);

/**
 * ach_body_copy - a body with all it points to, in one new piece of memory
 * @type: the struct's table, as ach_laser_data_type
 * @body: the struct
 * @copy: set to the copy, for free() in one call
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL as ach_encoded_size; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
enum ach_status ach_body_copy(const ach_type_t *type, const void *body, void **copy);

/**
 * ach_body_equal - have two bodies the same contents?
 * @type: the struct's table, as ach_laser_data_type
 * @a: one struct
 * @b: the other
 *
 * Values are compared bit by bit: a NaN equals itself, -0.0 is not 0.0.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: true or false.
 *
 * Since: 3.0
 */
bool ach_body_equal(const ach_type_t *type, const void *a, const void *b);

/**
 * ach_body_print - a body for people: a line for each field
 * @type: the struct's table, as ach_laser_data_type
 * @body: the struct
 * @indent: spaces in front of each line
 * @to: where to write
 *
 * Long arrays are shortened. Counts are left out, the arrays show them.
 *
 * Allocates: what the stream does. Blocks: as the stream does.
 *
 * Since: 3.0
 */
void ach_body_print(const ach_type_t *type, const void *body, unsigned indent, FILE *to);

/**
 * ach_body_json - a body as one line of JSON, without an end of line
 * @type: the struct's table, as ach_laser_data_type
 * @body: the struct
 * @to: where to write
 *
 * Every element of every array, with as many digits as reading back exactly
 * takes. Counts are left out. NaN is null, an infinity is 1e999. A string whose
 * count is 0, so that it has not even a NUL, is null. Bytes of a string that are
 * not UTF-8 become the characters of the same numbers.
 *
 * Allocates: what the stream does. Blocks: as the stream does.
 *
 * Since: 3.0
 */
void ach_body_json(const ach_type_t *type, const void *body, FILE *to);

/**
 * ach_body_from_json - read a body from JSON
 * @type: the struct's table, as ach_laser_data_type
 * @text: an object; fields that it leaves out are zero or empty
 * @body: set to the struct, for free() in one call
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: not such an object; ach_errstr says where and why;
 * ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
enum ach_status ach_body_from_json(const ach_type_t *type, const char *text, void **body);

/**
 * ach_body_from_words - read a body from words like `vel.px=0.5`
 * @type: the struct's table, as ach_laser_data_type
 * @words: NAME=VALUE, later ones over earlier ones. An array is `ranges=1,2,3`, one
 *     element `poses[2].px=1`, a string everything behind the equals sign. A
 *     struct or an array may also be JSON. Numbers are finite.
 * @count: how many words
 * @body: set to the struct, for free() in one call
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: as ach_body_from_json.
 *
 * Since: 3.0
 */
enum ach_status ach_body_from_words(const ach_type_t *type, const char *const *words, size_t count,
                                    void **body);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
