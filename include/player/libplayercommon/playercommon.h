/* SPDX-License-Identifier: BSD-3-Clause */
/* playercommon.h - macros that sources of Player expect */
#ifndef ACH_PLAYER_PLAYERCOMMON_H
#define ACH_PLAYER_PLAYERCOMMON_H

#include <assert.h>
#include <libplayercommon/error.h>
#include <limits.h>
#include <math.h>
#include <sys/param.h>

#define MAX_FILENAME_SIZE PATH_MAX

#define GETFIRSTUINT8(x) (*((uint8_t *)(x)))
#define GETFIRSTINT8(x) (*((int8_t *)(x)))
#define GETFIRSTUINT16(x) (*((uint16_t *)(x)))
#define GETFIRSTINT16(x) (*((int16_t *)(x)))
#define GETFIRSTUINT32(x) (*((uint32_t *)(x)))
#define GETFIRSTINT32(x) (*((int32_t *)(x)))

#define LOBYTE(w) ((uint8_t)((w)&0xff))
#define HIBYTE(w) ((uint8_t)(((w) >> 8) & 0xff))
#define MAKEUINT16(lo, hi) ((((uint16_t)(hi)) << 8) | ((uint16_t)(lo)))

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef RTOD
#define RTOD(r) ((r)*180 / M_PI)
#endif
#ifndef DTOR
#define DTOR(d) ((d)*M_PI / 180)
#endif
#ifndef NORMALIZE
#define NORMALIZE(z) atan2(sin(z), cos(z))
#endif

#ifndef BOOL
#define BOOL int
#endif
#ifndef __cplusplus
#include <stdbool.h>
#endif
#ifndef TRUE
#define TRUE true
#endif
#ifndef FALSE
#define FALSE false
#endif

#ifndef ARRAYSIZE
#define ARRAYSIZE(x) (int)(sizeof(x) / sizeof((x)[0]))
#endif
#define ASSERT_INDEX(index, array) assert((size_t)(index) < sizeof(array) / sizeof((array)[0]));
#ifndef MIN
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#endif
#define VERIFY(m) assert(m)

#endif
