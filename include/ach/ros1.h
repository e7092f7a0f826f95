/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ros1.h - messages and definitions of ROS 1
 *
 * The definitions of ROS 1 and ROS 2 are nearly the same language, and ach/definition.h reads both.
 * These functions write a definition for either of them, and messages as ROS 1 sends them:
 *
 *     ach_definition_new("geometry_msgs/msg/Twist", text, strlen(text), &def);
 *     ach_cdr_decode_new(ach_definition_type(def), bytes, size, &body);
 *     ach_ros1_encode(def, body, buffer, sizeof(buffer), &size);
 *
 * ROS 1 has no padding, and strings without a NUL. Its std_msgs/Header begins with `uint32 seq`. If
 * the definition has a std_msgs/Header without it, as those of ROS 2, seq is written as 0 and is
 * skipped when reading. An empty message has no bytes.
 *
 * Neither texts nor bytes are trusted, as in ach/definition.h. Functions may be called from any
 * thread.
 */
#ifndef ACH_ROS1_H
#define ACH_ROS1_H

#include <ach/definition.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Bytes of an MD5 sum as text, with its NUL. */
#define ACH_ROS1_MD5 33

/**
 * ach_definition_text - write a definition for ROS 1 or ROS 2
 * @definition: the definition
 * @ros: 1 or 2
 * @name: out: the name of the message: "geometry_msgs/Twist" for ROS 1,
 *        "geometry_msgs/msg/Twist" for ROS 2; free it
 * @text: out: the definition, followed by those that it uses; free it
 *
 * For ROS 1, bounds of strings and sequences and default values are left out, times are `time` and
 * `duration`, and std_msgs/Header begins with `uint32 seq`. For ROS 2, times are those of
 * builtin_interfaces, and std_msgs/Header has no `seq`. Comments are not kept.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL: @ros is neither 1 nor 2, or the name of the message has no package;
 * ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.1
 */
enum ach_status ach_definition_text(const ach_definition_t *definition, int ros, char **name,
                                    char **text);

/**
 * ach_ros1_md5 - the MD5 sum by which ROS 1 compares definitions
 * @definition: the definition
 * @md5: room for ACH_ROS1_MD5 bytes; out: 32 hexadecimal digits, as `rosmsg md5` prints them
 *
 * It depends on types, names, order and constants of the definition as ach_definition_text writes it
 * for ROS 1, and not on comments. Programs of ROS 1 exchange messages only if their sums are equal.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.1
 */
enum ach_status ach_ros1_md5(const ach_definition_t *definition, char *md5);

/**
 * ach_ros1_encoded_size - how many bytes a message of ROS 1 will take
 * @definition: the definition of the message
 * @body: the struct
 * @size: out: the bytes
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: as ach_cdr_encoded_size.
 *
 * Since: 3.1
 */
enum ach_status ach_ros1_encoded_size(const ach_definition_t *definition, const void *body,
                                      size_t *size);

/**
 * ach_ros1_encode - encode a message of ROS 1
 * @definition: the definition of the message
 * @body: the struct
 * @buffer: where to write
 * @room: its size in bytes
 * @size: out: the bytes written
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: as ach_cdr_encode.
 *
 * Since: 3.1
 */
enum ach_status ach_ros1_encode(const ach_definition_t *definition, const void *body, void *buffer,
                                size_t room, size_t *size);

/**
 * ach_ros1_decode_new - decode a message of ROS 1 into new memory
 * @definition: the definition of the message
 * @bytes: the message
 * @n: how many bytes
 * @body: out: the struct of ach_definition_type, to be freed with one free()
 *
 * A sequence of more empty messages than bytes follow it is refused.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_CORRUPT: not such a message; ACH_FAILED_SYSCALL: no memory.
 *
 * Since: 3.1
 */
enum ach_status ach_ros1_decode_new(const ach_definition_t *definition, const void *bytes, size_t n,
                                    void **body);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
