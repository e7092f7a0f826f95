/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

#include <ach/access.h>
#include <ach/interface/common.h>
#include <string.h>

uint32_t tcp_wire_number(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

void tcp_wire_put(unsigned char *to, uint32_t number)
{
    to[0] = (unsigned char)(number >> 24);
    to[1] = (unsigned char)(number >> 16);
    to[2] = (unsigned char)(number >> 8);
    to[3] = (unsigned char)number;
}

/* The count, twice, then the characters, padded with zeros to a multiple of four. */
size_t tcp_wire_string(const char *text, unsigned char *bytes, size_t room)
{
    size_t n = strlen(text) + 1, padded = (n + 3) / 4 * 4;

    if (room < 8 + padded)
        return 0;
    tcp_wire_put(bytes, (uint32_t)n);
    tcp_wire_put(bytes + 4, (uint32_t)n);
    memset(bytes + 8 + n, 0, padded - n);
    memcpy(bytes + 8, text, n);
    return 8 + padded;
}

bool tcp_wire_text(const unsigned char *bytes, size_t size, char *text, size_t room)
{
    size_t i, n;

    if (size < 8 || tcp_wire_number(bytes) != tcp_wire_number(bytes + 4))
        return false;
    n = tcp_wire_number(bytes);
    if (n > size - 8)
        return false;
    for (i = 0; i < n && i + 1 < room && bytes[8 + i]; i++)
        text[i] = bytes[8 + i] >= ' ' && bytes[8 + i] < 127 ? (char)bytes[8 + i] : '?';
    text[i] = '\0';
    return true;
}

/* Those who may send commands may ask what became of them. */
unsigned tcp_wire_right(const ach_header_t *h)
{
    return h->type == ACH_MSG_REQ && h->subtype != ACH_REQ_FLUSH ? ACH_RIGHT_REQUEST
                                                                 : ACH_RIGHT_COMMAND;
}
