/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * property.h - what must hold for any bytes
 *
 * Each function takes bytes from a fuzzer, or from a random generator, and
 * aborts when something does not hold. Channels are made in ACH_DIR.
 */
#ifndef PROPERTY_H
#define PROPERTY_H

#include <ach.h>
#include <ach/interface.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The bytes are a channel's file, or what to change in a sound one. Opening and
 * using it gives documented statuses and stays within its memory.
 */
void property_file(const uint8_t *data, size_t size);

/* The bytes are calls on a small channel, which does what a simple model says. */
void property_calls(const uint8_t *data, size_t size);

/* The bytes are a configuration file: it is refused with reasons, or read and printed alike. */
void property_config(const uint8_t *data, size_t size);

/* The bytes are a world file: a plan is refused with reasons, or can be carried out. */
void property_plan(const uint8_t *data, size_t size);

/* The bytes are a line of a log of devices: refused, or a message that is written alike. */
void property_log(const uint8_t *data, size_t size);

/*
 * The first two bytes choose a message of some interface, the rest is its body.
 * Decoding it stays within its memory, and what it gives is encoded and decoded
 * to the same.
 */
void property_body(const uint8_t *data, size_t size);

/*
 * The bytes are the definition of a message, and after a NUL a message. It is refused, or decoded,
 * printed, and encoded to the same.
 */
void property_definition(const uint8_t *data, size_t size);

/*
 * The bytes are the definition of a message, or nothing, and after a NUL the payload of a sample of
 * DDS, which is also used as a message. It is refused, or opened and sealed to the same.
 */
void property_payload(const uint8_t *data, size_t size);

/*
 * The bytes are the length of a descriptor set, 2 bytes, little-endian, the set, and a message.
 * They are refused, or decoded and printed in all formats; the JSON form is encoded again or
 * refused.
 */
void property_protobuf(const uint8_t *data, size_t size);

/*
 * The bytes are a JSON text, which is also used as a JSON Schema. It is refused, or printed as a
 * text that is read to the same.
 */
void property_json(const uint8_t *data, size_t size);

/* As property_body, for a text that is JSON, or words. */
void property_text(const uint8_t *data, size_t size);

/* Parts of these, for tests: the struct that a number chooses, and what holds for bytes of it. */
const ach_type_t *property_type(unsigned number);
enum ach_status property_bytes(const ach_type_t *type, const uint8_t *data, size_t n);

/* The bytes come from a client of a TCP server, or from a server. */
void property_wire(const uint8_t *data, size_t size);

/* The bytes come from a peer of achd, which stays within its bounds. */
void property_relay(const uint8_t *data, size_t size);

/* The bytes are a request to the metrics of achd: its pieces are refused as the whole, or wait. */
void property_http(const uint8_t *data, size_t size);
/* The bytes are a file of achd. */
void property_settings(const uint8_t *data, size_t size);

/* Services that machines advertise, as discovery.h reads them. */
void property_announce(const uint8_t *data, size_t size);

/*
 * The bytes are what a client of the viewer sends, and messages of topics in between. What it gets is
 * well-formed and bounded, and nothing is left of it.
 */
void property_websocket(const uint8_t *data, size_t size);

/* The bytes are datagrams to achd. What it puts and counts agrees. */
void property_datagram(const uint8_t *data, size_t size);

/*
 * The bytes say what drivers and clients of a robot do, in several threads. Subscriptions
 * are settled once, requests answered once, and the robot ends.
 */
void property_driver(const uint8_t *data, size_t size);

/* The bytes come from a laser scanner, in pieces as long as the first one says. */
void property_urg(const uint8_t *data, size_t size);

/* As that; how many scans are in them. */
unsigned property_scans(const char *bytes, size_t size, size_t piece);

/* The bytes are a recording: reading it ends, and a repair loses no message. */
void property_mcap(const uint8_t *data, size_t size);

/* Bytes, one after the other; zeros when there are no more. */
struct property_input {
    const uint8_t *at, *end;
};

static inline unsigned property_byte(struct property_input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static inline uint64_t property_number(struct property_input *in, unsigned bytes)
{
    uint64_t n = 0;

    while (bytes--)
        n = n << 8 | property_byte(in);
    return n;
}

/* Print what does not hold, and abort. */
_Noreturn void property_fail(const char *file, int line, const char *what, enum ach_status status);

#define HOLDS(cond)                                                                                \
    do {                                                                                           \
        if (!(cond))                                                                               \
            property_fail(__FILE__, __LINE__, #cond, ACH_OK);                                      \
    } while (0)

static inline enum ach_status property_status(enum ach_status s, ach_mask_t mask, const char *file,
                                              int line, const char *what)
{
    if (!ach_status_match(s, mask))
        property_fail(file, line, what, s);
    return s;
}

/* The status of a call is one of these. */
#define STATUS(call, mask) property_status((call), (mask), __FILE__, __LINE__, #call)

#endif
