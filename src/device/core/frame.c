/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.c - headers as they travel: big-endian words */
#include <ach.h>
#include <ach/message.h>
#include <endian.h>
#include <string.h>

static unsigned char *put(unsigned char *at, uint32_t word)
{
    word = htobe32(word);
    memcpy(at, &word, sizeof(word));
    return at + sizeof(word);
}

static uint32_t frame_get(const unsigned char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof(word));
    return be32toh(word);
}

void ach_frame_write(const ach_header_t *header, uint32_t size, void *bytes)
{
    unsigned char *at = bytes;
    uint64_t time;

    memcpy(&time, &header->timestamp, sizeof(time));
    at = put(at, header->address.host);
    at = put(at, header->address.robot);
    at = put(at, header->address.interf);
    at = put(at, header->address.index);
    at = put(at, header->type);
    at = put(at, header->subtype);
    at = put(at, (uint32_t)(time >> 32));
    at = put(at, (uint32_t)time);
    at = put(at, header->sequence);
    put(at, size);
}

ach_status_t ach_frame_read(const void *bytes, ach_header_t *header, uint32_t *size)
{
    const unsigned char *b = bytes;
    uint32_t interf = frame_get(b + 8), index = frame_get(b + 12), type = frame_get(b + 16),
             subtype = frame_get(b + 20);
    uint64_t time = (uint64_t)frame_get(b + 24) << 32 | frame_get(b + 28);
    uint32_t length = frame_get(b + 36);

    if (type < ACH_MSG_DATA || type > ACH_MSG_NACK || subtype > UINT8_MAX || interf > UINT16_MAX ||
        index > UINT16_MAX || length > ACH_BODY_MAX)
        return ach_errstr_set(ACH_CORRUPT, "the header of a message is invalid");
    *header = (ach_header_t){.address = {.host = frame_get(b),
                                         .robot = frame_get(b + 4),
                                         .interf = (uint16_t)interf,
                                         .index = (uint16_t)index},
                             .type = (uint8_t)type,
                             .subtype = (uint8_t)subtype,
                             .sequence = frame_get(b + 32)};
    memcpy(&header->timestamp, &time, sizeof(time));
    *size = length;
    return ACH_OK;
}
