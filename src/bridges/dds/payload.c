/* SPDX-License-Identifier: BSD-3-Clause */
#include "payload.h"

#include <ach/definition.h>
#include <endian.h>
#include <string.h>

#define ENCAPSULATION 4u /* bytes: identifier and options, 2 each, big-endian */
#define CDR_LE 1u
#define PADDING_MAX 7u

/* Encapsulations of RTPS 2.5 and XTypes 1.3, table 60, by identifier. */
static const char *encapsulation_name(unsigned id)
{
    static const char *const names[] = {
        "CDR_BE",  "CDR_LE",  "PL_CDR_BE", "PL_CDR_LE", "",           "",
        "CDR2_BE", "CDR2_LE", "D_CDR2_BE", "D_CDR2_LE", "PL_CDR2_BE", "PL_CDR2_LE",
    };

    return id < sizeof(names) / sizeof(names[0]) && *names[id] ? names[id] : "unknown";
}

static size_t prefix_size(const ach_type_t *type)
{
    return ENCAPSULATION + (type ? 0 : sizeof(uint32_t));
}

size_t achdds_payload_room(size_t size)
{
    return prefix_size(NULL) + size + 3;
}

uint8_t *achdds_payload_message(const ach_type_t *type, uint8_t *payload)
{
    return payload + prefix_size(type);
}

enum ach_status achdds_payload_seal(const ach_type_t *type, uint8_t *payload, size_t *size)
{
    uint32_t count = htole32((uint32_t)*size);
    size_t end, used = *size;
    uint8_t padding;

    if (used > ACHDDS_MESSAGE_MAX)
        return ach_errstr_set(ACH_CORRUPT, "a message of %zu bytes, at most %u are allowed", used,
                              ACHDDS_MESSAGE_MAX);
    if (type) {
        enum ach_status status = ach_cdr_check(type, payload + ENCAPSULATION, used, &used);

        if (status != ACH_OK)
            return status;
    } else {
        memcpy(payload + ENCAPSULATION, &count, sizeof(count));
    }
    end = prefix_size(type) + used;
    padding = (uint8_t)(-end & 3);
    memset(payload + end, 0, padding);
    memcpy(payload, (uint8_t[]){0, CDR_LE, 0, padding}, ENCAPSULATION);
    *size = end + padding;
    return ACH_OK;
}

static enum ach_status open_bytes(const uint8_t *body, size_t n, size_t *size)
{
    uint32_t count;

    if (n < sizeof(count))
        return ach_errstr_set(ACH_CORRUPT, "the sample ends before its count");
    memcpy(&count, body, sizeof(count));
    *size = le32toh(count);
    n -= sizeof(count);
    if (*size > n || n - *size > PADDING_MAX)
        return ach_errstr_set(ACH_CORRUPT, "a sample of %zu bytes with a count of %zu", n, *size);
    return ACH_OK;
}

enum ach_status achdds_payload_open(const ach_type_t *type, const uint8_t *payload, size_t n,
                                    const uint8_t **message, size_t *size)
{
    unsigned id;

    if (n < ENCAPSULATION)
        return ach_errstr_set(ACH_CORRUPT, "a sample of %zu bytes has no encapsulation", n);
    id = (unsigned)payload[0] << 8 | payload[1];
    if (id != CDR_LE)
        return ach_errstr_set(ACH_ENOTSUP, "encapsulation 0x%04x (%s), expected 0x0001 (CDR_LE)",
                              id, encapsulation_name(id));
    *message = payload + prefix_size(type);
    payload += ENCAPSULATION;
    n -= ENCAPSULATION;
    return type ? ach_cdr_check(type, payload, n, size) : open_bytes(payload, n, size);
}
