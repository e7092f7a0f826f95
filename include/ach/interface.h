/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interface.h - interfaces of devices: their messages, and how bodies are encoded
 *
 * An interface is a numbered set of messages; `laser` is number 6. Each message
 * has a type (data, command, request), a subtype that names it within the
 * interface, and a body: a C struct here, XDR bytes everywhere else. The structs
 * are in <ach/interface/NAME.h>, generated from definition files by ach-interfaces(1),
 * with a table for each struct. All functions below work from those tables, so
 * an interface that a plug-in adds is encoded, printed and read like any other.
 *
 *     ach_laser_data_t scan = {.ranges_count = n, .ranges = ranges};
 *     ach_encode(&ach_laser_data_type, &scan, buffer, sizeof(buffer), &size);
 *
 * In memory a variable array is a count and a pointer. A string is an array of
 * char whose count includes its final NUL. On the wire a count occurs twice: in the
 * place of its field, and in front of the elements.
 *
 * Thread safety
 *     All functions may be called from any thread: tables are constant, and the
 *     register of interfaces only grows.
 *
 * Decoding does not trust the bytes: every count is compared with its limit, with
 * its second copy and with the bytes that are left before anything is written. The
 * bytes may change meanwhile, as in memory shared with others; the result is
 * then an error or a mixture of old and new values, never a memory error.
 *
 * Functions return ACH_EINVAL for a body that cannot be encoded or a text that
 * cannot be read, ACH_CORRUPT for bytes that are not such a body, and
 * ACH_OVERFLOW when the room is too small; ach_errstr gives the details.
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

/* The deepest nesting of arrays of structs, and of structs. */
#define ACH_TYPE_DEPTH_MAX 8u
#define ACH_TYPE_LEVEL_MAX 16u

/* The type of a message; the numbers are those of the wire. */
enum ach_message_type {
    ACH_MSG_DATA = 1,  /* published by a device */
    ACH_MSG_CMD = 2,   /* to a device, without an answer */
    ACH_MSG_REQ = 3,   /* to a device, with an answer */
    ACH_MSG_ACK = 4,   /* the answer: done */
    ACH_MSG_SYNCH = 5, /* from the server: the end of polled data, or a count of lost data */
    ACH_MSG_NACK = 6   /* the answer: refused, or not understood */
};

/* The kind of a field, or of the elements of its array. */
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
    ACH_KIND_STRUCT,
    ACH_KIND_BOOL /* one byte: 0 or 1 */
};

enum ach_array {
    ACH_ARRAY_NONE = 0,     /* one value */
    ACH_ARRAY_FIXED = 1,    /* `limit` values */
    ACH_ARRAY_VARIABLE = 2, /* a pointer to values; another field has their count */
    ACH_ARRAY_COUNT = 3     /* one uint32: the count of a variable array */
};

struct ach_type;

/* A field of a struct, for printing and parsing. */
typedef struct ach_field {
    const char *name;            /* "": the struct has no other field, and is printed and read as
                                    the value of this one */
    const char *text;            /* what it means, with its unit; "" if the name says it */
    const struct ach_type *type; /* for ACH_KIND_STRUCT, else NULL */
    uint8_t kind;                /* enum ach_kind */
    uint8_t array;               /* enum ach_array */
    uint32_t offset;             /* of the value, of the first value, or of the pointer */
    uint32_t count_offset;       /* of a variable array's count */
    uint32_t limit;              /* values at most; 1 for one value */
} ach_field_t;

/* A step of encoding: adjacent scalars of one kind, or an array. */
typedef struct ach_step {
    const struct ach_type *type; /* of an array of structs, else NULL */
    uint8_t kind;                /* enum ach_kind, of the scalars */
    uint8_t array;               /* enum ach_array; ACH_ARRAY_NONE for adjacent scalars */
    uint16_t per;                /* scalars in each element of an array */
    uint32_t offset;             /* of the first scalar, or of the pointer */
    uint32_t count_offset;       /* of a variable array's count */
    uint32_t limit;              /* number of adjacent scalars, or most elements */
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
    const ach_type_t *body; /* NULL: no body. A request and its reply have the same type */
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
    uint32_t version; /* ACH_TABLE_VERSION where the table was compiled */
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
 * @name: its name, such as "laser"
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
 * @code: its number, such as 6 for laser
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the interface, or NULL when there is none of that number.
 *
 * Since: 3.0
 */
const ach_interface_t *ach_interface_by_code(unsigned code);

/**
 * ach_interface_at - iterate over all interfaces
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
 * ach_interface_add - register an interface in this process
 * @interface: its table, which must stay as long as the process lives. The
 *     code that holds it must not be unloaded.
 *
 * Plug-ins call this before they use their interface. Adding the same table
 * again does nothing.
 *
 * Allocates: yes. Blocks: while another thread is in this function.
 *
 * Returns: ACH_OK; ACH_EEXIST: another interface has this name or number;
 * ACH_EINVAL: the table is invalid, or of another version; ACH_FAILED_SYSCALL: no
 * memory.
 *
 * Since: 3.0
 */
enum ach_status ach_interface_add(const ach_interface_t *interface);

/**
 * ach_interface_message - a message of an interface by its numbers
 * @interface: NULL stands for an interface that this process does not know
 * @type: its type; ACH_MSG_ACK and ACH_MSG_NACK mean the request
 * @subtype: its number within the interface
 *
 * Requests for properties and capabilities belong to every interface, even to an
 * unknown one.
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
 * @name: its name, in upper or lower case
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
 * Returns: ACH_OK; ACH_EINVAL: a count is over its limit, a count is not 0 but the
 * array is NULL, or the whole is larger than ACH_BODY_MAX.
 *
 * Since: 3.0
 */
enum ach_status ach_encoded_size(const ach_type_t *type, const void *body, size_t *size);

/**
 * ach_encode - encode a body
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
 * @bytes: the encoded body
 * @n: how many bytes
 * @size: set to the memory of the struct with everything its pointers will point to
 *
 * Counts are compared with their limits and with the bytes that are left. Only
 * ach_decode compares the two copies of a count.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_CORRUPT: not such a body; ACH_ENOENT: @n is 0, as in a request
 * that asks for the struct and has no body itself.
 *
 * Since: 3.0
 */
enum ach_status ach_decoded_size(const ach_type_t *type, const void *bytes, size_t n, size_t *size);

/**
 * ach_decode - decode a body
 * @type: the struct's table, as ach_laser_data_type
 * @bytes: the encoded body
 * @n: how many bytes
 * @out: aligned for any type, as malloc does. The struct comes first and
 *     everything that it points to behind it, in one block. Strings have a NUL
 *     behind their last character even if none was received; an empty string points
 *     to a NUL, an empty array of other kinds is NULL.
 * @room: bytes at @out, as ach_decoded_size says
 *
 * Integers of fewer than 32 bits take the low bits of the 32 bits on the wire.
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
 * ach_decode_new - decode a body into new memory
 * @type: the struct's table, as ach_laser_data_type
 * @bytes: the encoded body
 * @n: how many bytes
 * @body: set to the struct, to be freed with one free()
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: as ach_decoded_size, or ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
enum ach_status ach_decode_new(const ach_type_t *type, const void *bytes, size_t n, void **body);

/**
 * ach_body_copy - copy a body, with all it points to, into one new block of memory
 * @type: the struct's table, as ach_laser_data_type
 * @body: the struct
 * @copy: set to the copy, to be freed with one free()
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL as ach_encoded_size; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.0
 */
enum ach_status ach_body_copy(const ach_type_t *type, const void *body, void **copy);

/**
 * ach_body_equal - do two bodies have the same contents?
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
 * ach_body_print - print a body for people: a line for each field
 * @type: the struct's table, as ach_laser_data_type
 * @body: the struct
 * @indent: spaces in front of each line
 * @to: where to write
 *
 * Long arrays are shortened. Counts are not printed: the arrays show them.
 *
 * Allocates: as the stream does. Blocks: as the stream does.
 *
 * Since: 3.0
 */
void ach_body_print(const ach_type_t *type, const void *body, unsigned indent, FILE *to);

/**
 * ach_body_json - write a body as one line of JSON, without a newline
 * @type: the struct's table, as ach_laser_data_type
 * @body: the struct
 * @to: where to write
 *
 * Writes every element of every array, with enough digits to read back the exact
 * value. Counts are left out. NaN is null, an infinity is 1e999. A string whose
 * count is 0, without even a NUL, is null. Bytes of a string that are not UTF-8
 * become U+FFFD.
 *
 * Allocates: as the stream does. Blocks: as the stream does.
 *
 * Since: 3.0
 */
void ach_body_json(const ach_type_t *type, const void *body, FILE *to);

/**
 * ach_body_from_json - read a body from JSON
 * @type: the struct's table, as ach_laser_data_type
 * @text: an object; fields that it leaves out are zero or empty
 * @body: set to the struct, to be freed with one free()
 *
 * A number that does not fit its field is refused. 1e999 is an infinity, null is NaN.
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
 * @words: NAME=VALUE; a later word overrides an earlier one. An array is `ranges=1,2,3`, one
 *     element `poses[2].px=1`, a string everything behind the equals sign. A
 *     struct or an array may also be JSON. Numbers are finite.
 * @count: how many words
 * @body: set to the struct, to be freed with one free()
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
