/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.h - messages of drivers
 *
 * They go to the log of the robot whose driver runs in the calling thread. Errors and warnings
 * appear as such; PLAYER_MSG of level 0 to 2 as information, of higher levels as debugging output.
 */
#ifndef ACH_PLAYER_ERROR_H
#define ACH_PLAYER_ERROR_H

#include <errno.h>
#include <playerconfig.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program may set its own. The text ends with a newline. */
extern void (*ErrorPrint)(int msgType, int level, const char *file, int line, const char *fmt, ...);
void DefaultErrorPrint(int msgType, int level, const char *file, int line, const char *fmt, ...);

/*
 * Messages of higher levels are not printed; all are also written to the file, if it is not NULL.
 * Only before drivers run.
 */
void ErrorInit(int level, FILE *file);
extern int msgLevel;
extern FILE *msgFile;

#ifdef __cplusplus
}
#endif

#define PLAYER_ERR_ERR 0
#define PLAYER_ERR_WARN 1
#define PLAYER_ERR_MSG 2
#define PLAYER_ERR_DBG 2

/* The format is a literal, as in Player: clang-format off keeps each family in one column. */
/* clang-format off */
#define ACH_PLAYER_SAY(type, level, msg, ...) \
    ErrorPrint(type, level, __FILE__, __LINE__, "" msg "\n", ##__VA_ARGS__)

#define PLAYER_ERROR(msg) ACH_PLAYER_SAY(PLAYER_ERR_ERR, 0, msg)
#define PLAYER_ERROR1(msg, ...) ACH_PLAYER_SAY(PLAYER_ERR_ERR, 0, msg, __VA_ARGS__)
#define PLAYER_ERROR2 PLAYER_ERROR1
#define PLAYER_ERROR3 PLAYER_ERROR1
#define PLAYER_ERROR4 PLAYER_ERROR1
#define PLAYER_ERROR5 PLAYER_ERROR1

#define PLAYER_WARN(msg) ACH_PLAYER_SAY(PLAYER_ERR_WARN, 0, msg)
#define PLAYER_WARN1(msg, ...) ACH_PLAYER_SAY(PLAYER_ERR_WARN, 0, msg, __VA_ARGS__)
#define PLAYER_WARN2 PLAYER_WARN1
#define PLAYER_WARN3 PLAYER_WARN1
#define PLAYER_WARN4 PLAYER_WARN1
#define PLAYER_WARN5 PLAYER_WARN1
#define PLAYER_WARN6 PLAYER_WARN1
#define PLAYER_WARN7 PLAYER_WARN1

#define PLAYER_MSG0(level, msg) ACH_PLAYER_SAY(PLAYER_ERR_MSG, level, msg)
#define PLAYER_MSG1(level, msg, ...) ACH_PLAYER_SAY(PLAYER_ERR_MSG, level, msg, __VA_ARGS__)
#define PLAYER_MSG2 PLAYER_MSG1
#define PLAYER_MSG3 PLAYER_MSG1
#define PLAYER_MSG4 PLAYER_MSG1
#define PLAYER_MSG5 PLAYER_MSG1
#define PLAYER_MSG6 PLAYER_MSG1
#define PLAYER_MSG7 PLAYER_MSG1
/* clang-format on */

#endif
