/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * klinux_generic.h - requests to the kernel module of Ach 2
 *
 * Sources that include it compile. The module of Ach 3 has other requests (ach/kernel.h): it
 * refuses these with ENOTTY. Programs that use libach do not notice.
 */
#ifndef ACH_KLINUX_GENERIC_H
#define ACH_KLINUX_GENERIC_H

#include <ach.h>
#include <sys/ioctl.h>

struct ach_ctrl_create_ch {
    size_t frame_cnt;
    size_t frame_size;
    clockid_t clock;
    char name[ACH_CHAN_NAME_MAX + 1];
};

struct ach_ctrl_unlink_ch {
    char name[ACH_CHAN_NAME_MAX + 1];
};

struct ach_ch_status {
    int mode;
    ssize_t size;
    ssize_t count;
    ssize_t new_msgs;
    unsigned long last_seq;
    unsigned long last_seq_read;
};

#ifdef CLOCK_MONOTONIC /* not in strict C99 mode */
struct ach_ch_options {
    struct achk_opt mode;
    clockid_t clock;
};
#endif

#define ACH_CH_SUBSYSTEM "ach_ch"
#define ACH_CH_CANCEL_UNSAFE 0x01

#define ACH_IOCTL 'Q'
#define ACH_CTRL_CREATE_CH _IOW(ACH_IOCTL, 1, struct ach_ctrl_create_ch)
#define ACH_CTRL_UNLINK_CH _IOW(ACH_IOCTL, 2, struct ach_ctrl_unlink_ch)
#define ACH_CH_SET_MODE _IOW(ACH_IOCTL, 3, struct achk_opt)
#define ACH_CH_GET_MODE _IOR(ACH_IOCTL, 4, struct achk_opt)
#define ACH_CH_GET_STATUS _IOR(ACH_IOCTL, 5, struct ach_ch_status)
#define ACH_CH_FLUSH _IOW(ACH_IOCTL, 6, unsigned int)
#define ACH_CH_CANCEL _IOW(ACH_IOCTL, 7, unsigned int)
#define ACH_CH_GET_OPTIONS _IOW(ACH_IOCTL, 8, struct ach_ch_options)

#endif
