/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keys.h - metadata of topics in files of MCAP, as ach record and ach log write it
 *
 * All values are texts. docs/recording.md lists them.
 */
#ifndef LOGS_KEYS_H
#define LOGS_KEYS_H

#define LOGS_KEY_CHANNEL "channel" /* its name */
#define LOGS_KEY_COUNT "frames"    /* its geometry */
#define LOGS_KEY_SIZE "frame_size"
#define LOGS_KEY_CLOCK "clock" /* a name as of parse_clock, or the number of a clockid_t */
#define LOGS_KEY_TIMESTAMPS "timestamps" /* 1: times are those of puts; 0: of reads */
#define LOGS_KEY_OFFSET "clock_offset"   /* ns from its clock to the wall clock */
#define LOGS_KEY_TYPE "type" /* of the channel's messages; the topic's may be made of them */
#define LOGS_KEY_ENCODING "encoding"

/* The encoding of exact messages of devices: a header in wire format, and a body in XDR. */
#define LOGS_ENCODING_DEVICE "ach.device"

/* A metadata record: messages that were missed. Keys are topics behind this prefix. */
#define LOGS_MISSED "ach.missed"
#define LOGS_MISSED_TOPIC "topic:"

#endif
