/* SPDX-License-Identifier: BSD-3-Clause */
/* md5.h - MD5 (RFC 1321), by which ROS 1 compares definitions; no protection against anybody */
#ifndef MSG_MD5_H
#define MSG_MD5_H

#include <stddef.h>

#define MSG_MD5_TEXT 33

/* The sum as 32 hexadecimal digits. */
void msg_md5(const void *bytes, size_t n, char text[MSG_MD5_TEXT]);

#endif
