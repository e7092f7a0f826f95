/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * status.h - the statuses of functions, and the options of ach_get
 *
 * Part of ach.h; a separate header because the kernel module uses the same numbers.
 * Needs no other header.
 */
#ifndef ACH_STATUS_H
#define ACH_STATUS_H

/* The result of a function. */
typedef enum ach_status {
    ACH_OK = 0,             /* done */
    ACH_OVERFLOW = 1,       /* the message is larger than the buffer, or than the channel */
    ACH_INVALID_NAME = 2,   /* not a channel name: letters, digits, . _ - and no leading dot */
    ACH_BAD_SHM_FILE = 3,   /* the file is not a channel, or was cut short */
    ACH_FAILED_SYSCALL = 4, /* the system refused; errno and ach_errstr say why */
    ACH_EAGAIN = 5,         /* nothing new, or held by another handle or writer */
    ACH_STALE_FRAMES = 5,   /* nothing new */
    ACH_LOCKED = 5,         /* held by another handle or writer */
    ACH_MISSED_FRAME = 6,   /* a message was delivered, and others before it were missed */
    ACH_TIMEOUT = 7,        /* the time ran out */
    ACH_EEXIST = 8,         /* there is such a channel already */
    ACH_ENOENT = 9,         /* there is no such channel */
    ACH_CLOSED = 10,        /* the handle is not open */
    ACH_BUG = 11,           /* a fault in Ach itself */
    ACH_EINVAL = 12,        /* a bad argument */
    ACH_CORRUPT = 13,       /* the channel's memory is damaged, or the channel was replaced */
    ACH_BAD_HEADER = 14,    /* a channel of another layout: of another version or machine */
    ACH_EACCES = 15,        /* not permitted */
    ACH_CANCELED = 16,      /* ach_cancel was called on this handle */
    ACH_EFAULT = 17,        /* a bad address */
    ACH_EINTR = 18,         /* a signal handler ran (only with ACH_O_INTERRUPT) */
    ACH_ENOTSUP = 19,       /* this kind of channel, or this system, cannot do that */
    ACH_BAD_TYPE = 20       /* the channel's messages have another type than expected */
} ach_status_t;

/* How to get a message: options of ach_get, ach_view and ach_wait. */
typedef enum ach_get_opts {
    ACH_O_NONBLOCK = 0x00, /* do not wait (the default) */
    ACH_O_FIRST = 0x00,    /* the oldest message not seen yet (the default) */
    ACH_O_ABSTIME = 0x00,  /* the timeout is a point in time on the channel's clock (the default) */
    ACH_O_WAIT = 0x01,     /* wait for a message when there is nothing new */
    ACH_O_LAST = 0x02,     /* the newest message */
    ACH_O_COPY = 0x04,     /* the last message again when there is nothing new */
    ACH_O_RELTIME = 0x08,  /* the timeout counts from now */
    ACH_O_LINKED = 0x10,   /* ACH_ENOENT if there is nothing new and the channel lost its name */
    ACH_O_INTERRUPT = 0x20 /* ach_wait: return ACH_EINTR after a signal handler */
} ach_get_opts_t;

#endif
