/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * payload.h - the payload of a sample: 4 bytes of encapsulation, CDR, padding to a multiple of 4
 *
 * A message of a typed channel is CDR already, so only the first 4 bytes are added or removed. Any
 * other message becomes a sequence<octet>, the struct Bytes of bytes.idl. In this header a type of
 * NULL means Bytes.
 *
 * Neither messages nor payloads are trusted. XCDR version 1, little-endian, is the only encoding
 * that is accepted and written.
 */
#ifndef ACHDDS_PAYLOAD_H
#define ACHDDS_PAYLOAD_H

#include <ach/interface.h>
#include <stddef.h>
#include <stdint.h>

/* The largest message that is passed on. */
#define ACHDDS_MESSAGE_MAX ACH_BODY_MAX

/* The most bytes of a payload that has a message of this size, at most ACHDDS_MESSAGE_MAX. */
size_t achdds_payload_room(size_t size);

/* The place of the message in a payload. */
uint8_t *achdds_payload_message(const ach_type_t *type, uint8_t *payload);

/*
 * Complete a payload whose message is in its place. *size: in: of the message, out: of the payload.
 * ACH_CORRUPT: the message is not of this type.
 */
enum ach_status achdds_payload_seal(const ach_type_t *type, uint8_t *payload, size_t *size);

/*
 * Find the message in a payload of n bytes. Padding behind it does not count. ACH_ENOTSUP: another
 * encapsulation; ACH_CORRUPT: it holds no such message; ach_errstr has the reason.
 */
enum ach_status achdds_payload_open(const ach_type_t *type, const uint8_t *payload, size_t n,
                                    const uint8_t **message, size_t *size);

#endif
