/* SPDX-License-Identifier: BSD-3-Clause */
/* serial.h - messages as bytes: what CDR and the encoding of ROS 1 share */
#ifndef MSG_SERIAL_H
#define MSG_SERIAL_H

#include <ach/definition.h>

/* How an encoding differs from CDR. */
struct msg_serial_form {
    bool packed;              /* no padding, strings without NUL, nothing for an empty message */
    const ach_type_t *header; /* 4 bytes go before this struct; NULL: none */
};

/* As ach_cdr_encode; without a buffer, only compute the size. */
enum ach_status msg_serial_encode(struct msg_serial_form form, const ach_type_t *type,
                                  const void *body, void *buffer, size_t room, size_t *size);

/* The size that msg_serial_encode needs. */
enum ach_status msg_serial_size(struct msg_serial_form form, const ach_type_t *type,
                                const void *body, size_t *size);

/* As ach_cdr_check. */
enum ach_status msg_serial_check(struct msg_serial_form form, const ach_type_t *type,
                                 const void *bytes, size_t n, size_t *used);

/* As ach_cdr_decode_new. */
enum ach_status msg_serial_decode_new(struct msg_serial_form form, const ach_type_t *type,
                                      const void *bytes, size_t n, void **body);

#endif
