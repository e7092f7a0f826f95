/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * definition.h - definitions of messages in the language of ROS, and messages in CDR
 *
 * A definition is a text that lists the fields of a message, a line each:
 *
 *     Header header          # another definition
 *     float64[3] position    # an array of fixed size
 *     string[] names         # a sequence; string[<=8] has at most 8 elements
 *     uint8 STOPPED=0        # a constant, which is not part of the message
 *     float64 speed 1.5      # a default, which is checked but not used
 *
 * The definitions that it uses follow it, each behind a line of '=' and a line `MSG: package/Name`.
 * This is the schema encoding `ros2msg`; the definitions of ROS 1 are understood too. From the
 * text a table is made, as for the messages of devices, so the functions of interface.h print and
 * read such messages:
 *
 *     ach_definition_new("demo/msg/Point", text, strlen(text), &def);
 *     ach_cdr_decode_new(ach_definition_type(def), bytes, size, &body);
 *     ach_body_print(ach_definition_type(def), body, 0, stdout);
 *
 * CDR is the encoding `cdr`: little-endian, XCDR version 1, without the 4 bytes in front that tell
 * the byte order. Alignment counts from the first byte of the message.
 *
 * Neither texts nor bytes are trusted. Both may come from memory that other processes write: copy a
 * text before it is parsed; bytes that change during decoding give an error or a mixture of
 * old and new values, never a memory error.
 *
 * Functions return ACH_EINVAL for a text that is not a definition and for a body that cannot be
 * encoded, ACH_CORRUPT for bytes that are not such a message, ACH_OVERFLOW when the room is too
 * small; ach_errstr gives the details. They may be called from any thread.
 */
#ifndef ACH_DEFINITION_H
#define ACH_DEFINITION_H

#include <stddef.h>

#include <ach.h>
#include <ach/interface.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A parsed definition, with the definitions that it uses. */
typedef struct ach_definition ach_definition_t;

/**
 * ach_definition_new - parse a definition
 * @name: the name of the message, such as "geometry_msgs/msg/Twist"
 * @text: its definition, and those that it uses
 * @size: bytes of the text
 * @definition: out: to be freed with ach_definition_free
 *
 * builtin_interfaces/Time and Duration are known if the text does not define them.
 * A message without fields has one byte, as in ROS 2. Strings of wide characters are
 * refused.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: the text is not a definition, ach_errstr has the line;
 * ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.1
 */
enum ach_status ach_definition_new(const char *name, const char *text, size_t size,
                                   ach_definition_t **definition);

/**
 * ach_definition_type - the table of the message
 * @definition: the definition
 *
 * In memory a sequence is a count and a pointer, and a string is a sequence of char whose count
 * includes its final NUL. A sequence of strings is a sequence of structs with one
 * string without a name.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the table, valid until the definition is freed.
 *
 * Since: 3.1
 */
const ach_type_t *ach_definition_type(const ach_definition_t *definition);

/**
 * ach_definition_free - free a definition
 * @definition: the definition, or NULL
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_definition_free(ach_definition_t *definition);

/**
 * ach_definition_write - the definition of a struct that has a table
 * @type: the table, such as ach_laser_data_type
 * @name: out: the name of the message, such as "ach/msg/LaserData"; free it
 * @text: out: its definition, followed by those that it uses; free it
 *
 * So the messages of devices have definitions too. The table that ach_definition_new makes of the
 * text encodes to the same bytes in CDR as @type, and has the same names.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: a struct has no fields, or there are too many structs;
 * ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.1
 */
enum ach_status ach_definition_write(const ach_type_t *type, char **name, char **text);

/**
 * ach_cdr_encoded_size - how many bytes a message will take
 * @type: the table of the message
 * @body: the struct
 * @size: out: the bytes
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: a count is over its limit, a count is not 0 but the
 * array is NULL, a boolean is neither 0 nor 1, or the whole is larger than ACH_BODY_MAX.
 *
 * Since: 3.1
 */
enum ach_status ach_cdr_encoded_size(const ach_type_t *type, const void *body, size_t *size);

/**
 * ach_cdr_encode - encode a message
 * @type: the table of the message
 * @body: the struct
 * @buffer: where to write; may be a reservation in a channel
 * @room: its size in bytes
 * @size: out: the bytes written
 *
 * Padding is written as zeros.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL as ach_cdr_encoded_size; ACH_OVERFLOW: the room is too
 * small. The buffer's contents are undefined after a failure.
 *
 * Since: 3.1
 */
enum ach_status ach_cdr_encode(const ach_type_t *type, const void *body, void *buffer, size_t room,
                               size_t *size);

/**
 * ach_cdr_check - are these bytes such a message?
 * @type: the table of the message
 * @bytes: the message
 * @n: how many bytes
 * @used: out: the bytes of the message without padding behind it; up to 7 bytes of padding are
 *        allowed
 *
 * For programs that pass messages on. It accepts what ach_cdr_decode_new accepts.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_CORRUPT: not such a message.
 *
 * Since: 3.1
 */
enum ach_status ach_cdr_check(const ach_type_t *type, const void *bytes, size_t n, size_t *used);

/**
 * ach_cdr_decode_new - decode a message into new memory
 * @type: the table of the message
 * @bytes: the message
 * @n: how many bytes
 * @body: out: the struct, to be freed with one free()
 *
 * Up to 7 bytes behind the message are ignored: some programs pad messages.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_CORRUPT: not such a message; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.1
 */
enum ach_status ach_cdr_decode_new(const ach_type_t *type, const void *bytes, size_t n,
                                   void **body);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
