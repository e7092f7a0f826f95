/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * kernel.h - devices and ioctls of the Ach kernel module
 *
 * Programs use ach.h with ACH_MAP_KERNEL, which does all of this for them. The
 * numbers and structures here are for the module, for libach, and for programs
 * that cannot use libach.
 *
 * /dev/achctrl creates and removes channels. A channel NAME is the device
 * /dev/ach-NAME:
 *
 *   open    EDQUOT if this user has too many open files of the channel.
 *   read    gets one message: the oldest not seen yet, or the one that
 *           ACH_KERNEL_OPTIONS selects. Waits if there is none; EAGAIN with O_NONBLOCK.
 *           EMSGSIZE if the buffer is too small; the message can still be got. Threads
 *           that read the same open file get different messages.
 *   write   puts one message. EINVAL if it is empty, EMSGSIZE beyond the channel's
 *           capacity, EACCES on a single-writer channel if the open file is not the
 *           source, or lost that while the message was being copied; EDQUOT or ENOSPC
 *           if the limit of the user or of the machine leaves no room for the copy of a
 *           large message.
 *   poll    readable while there is an unseen message; always writable. Also
 *           readable, and hung up, when the channel was replaced and all messages are
 *           seen.
 *   mmap    the channel's memory, from offset 0; never writable or executable.
 *   ioctl   see below.
 *
 * ESTALE means that another channel has replaced this one.
 *
 * Each open file has its own read position. A program that maps the channel and
 * reads messages from memory stores its position in the cursor, a page that poll
 * reads. ACH_KERNEL_CURSOR returns a descriptor to map it; a read-only open file
 * has a cursor, too.
 *
 * Waiters are woken in the order of the priority they had when they went to
 * sleep, whether in read, ACH_KERNEL_WAIT, poll, select or epoll_wait. When more
 * than 32 poll the same open file, they are woken a moment later and in any order.
 *
 * All structures have the same layout in 32- and 64-bit programs. Reserved
 * fields must be zero.
 */
#ifndef ACH_KERNEL_H
#define ACH_KERNEL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define ACH_KERNEL_CONTROL "/dev/achctrl"
#define ACH_KERNEL_PREFIX "/dev/ach-"

/* The longest channel name, with its terminating NUL. */
#define ACH_KERNEL_NAME_MAX 64

/* No deadline. */
#define ACH_KERNEL_FOREVER (~0ull)

/* The clocks that channels and deadlines can use. Include time.h for their names. */
#define ACH_KERNEL_CLOCK_KNOWN(clock)                                                              \
    ((clock) == CLOCK_MONOTONIC || (clock) == CLOCK_REALTIME || (clock) == CLOCK_BOOTTIME ||       \
     (clock) == CLOCK_TAI)

enum ach_kernel_create_flags {
    ACH_KERNEL_TIMESTAMPS = 1,    /* messages are stamped */
    ACH_KERNEL_SINGLE_WRITER = 2, /* only the source may write */
    ACH_KERNEL_REPLACE = 4        /* replace a channel of that name */
};

/*
 * When a channel is replaced, its file in /dev stays if it has the owner and mode
 * of the new channel. Otherwise, or if the caller does not see it in /dev, the file is created
 * anew and is missing for a moment.
 */

struct ach_kernel_create {
    char name[ACH_KERNEL_NAME_MAX];
    __u64 frame_cnt;
    __u64 frame_size;
    __u32 flags;
    __s32 clock;     /* one that ACH_KERNEL_CLOCK_KNOWN */
    __u32 mode;      /* permissions of the device, not changed by the umask */
    __u32 type_size; /* ACH_KERNEL_CREATE: 0 */
};

/* Also with a type: bytes that the module stores in the channel's memory, and does not interpret. */
struct ach_kernel_create_typed {
    struct ach_kernel_create create;
    __u64 type; /* address of type_size bytes, 1 MiB at most; not used if that is 0 */
};

struct ach_kernel_name {
    char name[ACH_KERNEL_NAME_MAX];
};

struct ach_kernel_info {
    __u64 frame_cnt;
    __u64 frame_size;
    __u64 capacity; /* the largest message */
    __u64 memory;   /* bytes to map */
    __u64 newest;   /* sequence of the newest message, 0 if there was none */
    __u64 oldest;   /* of the oldest one still there */
    __u32 flags;    /* enum ach_kernel_create_flags */
    __s32 clock;
    __u32 unlinked; /* the name was removed */
    __u32 replaced; /* another channel has the name */
    __u64 reserved[4];
};

/* The read position of this open file, and its counters. */
struct ach_kernel_status {
    __u64 seen;        /* sequence of the last message got or flushed */
    __u64 received;    /* messages got by read */
    __u64 missed;      /* messages overwritten or skipped before read got them */
    __u64 missed_last; /* the same, right before the message got last */
    __u64 stamp;       /* when that message was put, in ns on the channel's clock; 0: not stamped */
    __u64 overtaken;   /* reads restarted because a writer overwrote them */
    __u64 reserved[2];
};

/* How read selects a message, and how long it waits. */
struct ach_kernel_options {
    __u32 options; /* ACH_O_LAST and ACH_O_COPY; a read that may wait ignores ACH_O_COPY */
    __u32 reserved;
    __u64 timeout; /* ns that a waiting read waits before ETIMEDOUT, or ACH_KERNEL_FOREVER */
};

enum ach_kernel_wait_flags {
    ACH_KERNEL_LINKED = 1 /* stop, with ENOENT, once the channel lost its name */
};

/*
 * Wait for a message with a sequence beyond `seen`. ETIMEDOUT, ENOENT, ESTALE;
 * EINTR on a signal; ECANCELED if the open file's count of cancels differs from
 * `cancels`, which is then set to that count.
 */
struct ach_kernel_wait {
    __u64 seen;
    __u64 deadline; /* ns on the clock, or ACH_KERNEL_FOREVER */
    __s32 clock;    /* one that ACH_KERNEL_CLOCK_KNOWN */
    __u32 flags;
    __u32 cancels;
    __u32 reserved;
};

/*
 * The start of the page of ACH_KERNEL_CURSOR. Written by the program, and by
 * read and ACH_KERNEL_FLUSH when they advance; read by poll and read.
 */
struct ach_kernel_cursor {
    __u64 seen;    /* the sequence of the last message seen */
    __u32 cancels; /* the last count of cancels seen; poll is readable while it differs */
    __u32 reserved;
};

/*
 * On /dev/achctrl. Only the channel's owner and CAP_FOWNER may remove or replace it;
 * others get EPERM. EEXIST, ENOENT; EFBIG beyond the largest channel permitted,
 * EDQUOT beyond the channels and bytes of one user, ENOSPC beyond those of all users,
 * ENOMEM when the machine or the control group has no memory left.
 */
#define ACH_KERNEL_CREATE _IOW(0xAC, 0x01, struct ach_kernel_create)
#define ACH_KERNEL_UNLINK _IOW(0xAC, 0x02, struct ach_kernel_name)
#define ACH_KERNEL_CREATE_TYPED _IOW(0xAC, 0x03, struct ach_kernel_create_typed)

/* On a channel. */
#define ACH_KERNEL_INFO _IOR(0xAC, 0x10, struct ach_kernel_info)
#define ACH_KERNEL_STATUS _IOR(0xAC, 0x11, struct ach_kernel_status)
#define ACH_KERNEL_OPTIONS _IOW(0xAC, 0x12, struct ach_kernel_options)
#define ACH_KERNEL_WAIT _IOWR(0xAC, 0x13, struct ach_kernel_wait)
#define ACH_KERNEL_CANCEL _IO(0xAC, 0x14) /* count a cancel, and wake waiters on this open file */
#define ACH_KERNEL_FLUSH _IO(0xAC, 0x15)  /* skip everything that is in the channel now */

/*
 * Become the source, until this process has no descriptor of this open file any more;
 * EBUSY if there is another source. Process means all tasks that share a descriptor
 * table. Other processes that have the open file, such as children of fork, can write
 * through it until then.
 */
#define ACH_KERNEL_SOURCE _IO(0xAC, 0x16)

/*
 * Returns a descriptor to map this open file's cursor with, PROT_READ |
 * PROT_WRITE and MAP_SHARED, one page at offset 0. It can be closed after that.
 */
#define ACH_KERNEL_CURSOR _IO(0xAC, 0x17)

/*
 * Returns a descriptor of another open file of the same channel, opened in the
 * same way, even when the channel has no name any more. It has seen no message yet,
 * and closes on exec. EDQUOT as for open.
 */
#define ACH_KERNEL_AGAIN _IO(0xAC, 0x18)

#endif
