/* SPDX-License-Identifier: BSD-3-Clause */
/* cdr.c - messages in CDR */
#include "serial.h"

static const struct msg_serial_form cdr;

enum ach_status ach_cdr_encode(const ach_type_t *type, const void *body, void *buffer, size_t room,
                               size_t *size)
{
    return msg_serial_encode(cdr, type, body, buffer, room, size);
}

enum ach_status ach_cdr_encoded_size(const ach_type_t *type, const void *body, size_t *size)
{
    return msg_serial_size(cdr, type, body, size);
}

enum ach_status ach_cdr_decode_new(const ach_type_t *type, const void *bytes, size_t n, void **body)
{
    return msg_serial_decode_new(cdr, type, bytes, n, body);
}

enum ach_status ach_cdr_check(const ach_type_t *type, const void *bytes, size_t n, size_t *used)
{
    return msg_serial_check(cdr, type, bytes, n, used);
}
