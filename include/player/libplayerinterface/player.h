/* SPDX-License-Identifier: BSD-3-Clause */
/* player.h - messages of Player; player_interfaces.h, made by the build, has those of interfaces */
#ifndef ACH_PLAYER_PLAYER_H
#define ACH_PLAYER_PLAYER_H

#include <playerconfig.h>
#include <time.h>

#include <libplayerinterface/player_interfaces.h>

#define PLAYER_MAX_MESSAGE_SIZE 8388608
#define PLAYER_MAX_PAYLOAD_SIZE (PLAYER_MAX_MESSAGE_SIZE - sizeof(player_msghdr_t))
#define PLAYER_MAX_DRIVER_STRING_LEN 64
#define PLAYER_MAX_DEVICES 4096
#define PLAYER_MSGQUEUE_DEFAULT_MAXLEN 1024
#define PLAYER_IDENT_STRING "Player v."
#define PLAYER_IDENT_STRLEN 32
#define PLAYER_KEYLEN 32

#define PLAYER_MSGTYPE_DATA 1
#define PLAYER_MSGTYPE_CMD 2
#define PLAYER_MSGTYPE_REQ 3
#define PLAYER_MSGTYPE_RESP_ACK 4
#define PLAYER_MSGTYPE_SYNCH 5
#define PLAYER_MSGTYPE_RESP_NACK 6

/* Requests to any interface. */
#define PLAYER_CAPABILITIES_REQ 255
#define PLAYER_CAPABILTIES_REQ 255
#define PLAYER_GET_INTPROP_REQ 254
#define PLAYER_SET_INTPROP_REQ 253
#define PLAYER_GET_DBLPROP_REQ 252
#define PLAYER_SET_DBLPROP_REQ 251
#define PLAYER_GET_STRPROP_REQ 250
#define PLAYER_SET_STRPROP_REQ 249
#define PLAYER_GET_BOOLPROP_REQ 248
#define PLAYER_SET_BOOLPROP_REQ 247

typedef struct player_msghdr {
    player_devaddr_t addr;
    uint8_t type;
    uint8_t subtype;
    double timestamp; /* seconds */
    uint32_t seq;
    uint32_t size; /* of the struct and of what it points to */
} player_msghdr_t;

/* Structs and constants that no message uses. */
typedef struct player_simulation_data {
    uint8_t data;
} player_simulation_data_t;

typedef struct player_simulation_cmd {
    uint8_t cmd;
} player_simulation_cmd_t;

typedef struct player_audio_sample_rec_req {
    int32_t index;
    uint32_t length;
} player_audio_sample_rec_req_t;

typedef enum player_graphics3d_draw_mode {
    PLAYER_DRAW_POINTS,
    PLAYER_DRAW_LINES,
    PLAYER_DRAW_LINE_STRIP,
    PLAYER_DRAW_LINE_LOOP,
    PLAYER_DRAW_TRIANGLES,
    PLAYER_DRAW_TRIANGLE_STRIP,
    PLAYER_DRAW_TRIANGLE_FAN,
    PLAYER_DRAW_QUADS,
    PLAYER_DRAW_QUAD_STRIP,
    PLAYER_DRAW_POLYGON
} player_graphics3d_draw_mode_t;

#endif
