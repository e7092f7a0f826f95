/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rawtype.h - a type of Cyclone DDS whose samples are payloads as they are on the wire
 *
 * The library converts between payloads and structs that idlc made, and has no types made at run
 * time. This type has a name and no key, and its samples are bytes, so that a program can forward
 * messages whose types it learns from channels.
 *
 * Threads of the library make samples of what arrives. They do not check its content.
 */
#ifndef ACHDDS_RAWTYPE_H
#define ACHDDS_RAWTYPE_H

#include <dds/ddsi/ddsi_serdata.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct achdds_sample {
    struct ddsi_serdata c;
    size_t arrived; /* bytes of the payload */
    uint32_t size;  /* bytes kept: fewer if the payload is too large; a multiple of 4 to be sent */
    uint8_t payload[];
};

/* A type for one topic. NULL: no memory. */
struct ddsi_sertype *achdds_rawtype_new(const char *name, size_t payload_max,
                                        atomic_ullong *arrivals);

/* A sample with room for a payload. Release it with ddsi_serdata_unref. NULL: no memory. */
struct achdds_sample *achdds_sample_new(const struct ddsi_sertype *type, size_t room);

#endif
