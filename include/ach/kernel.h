/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * kernel.h - how a program speaks to the Ach kernel module
 *
 * Programs use ach.h with ACH_MAP_KERNEL, which does all of this for them. The
 * numbers and structures here are for the module, for libach, and for those
 * who have a reason to go without libach.
 *
 * /dev/achctrl makes and removes channels. A channel NAME is the device
 * /dev/ach-NAME:
 *
 *   open    EDQUOT if this user has too many open files of the channel.
 *   read    gets one message: the oldest not seen yet, or as ACH_KERNEL_OPTIONS
 *           said. Waits unless O_NONBLOCK, then EAGAIN. EMSGSIZE if the buffer is
 *           too small; the message can still be got. Threads that read the same
 *           open file each get other messages.
 *   write   puts one message. EINVAL if it is empty, EMSGSIZE beyond the channel's
 *           capacity, EACCES on a single-writer channel without being the source,
 *           also when that ended while the message was being copied; EDQUOT or ENOSPC
 *           if the limit of the user or of the machine leaves no room for the copy of a
 *           large message.
 *   poll    readable while there is something unseen; always writable. Also
 *           readable, and hung up, when the channel was replaced and all is seen.
 *   mmap    the channel's memory, from offset 0; never writable or executable.
 *   ioctl   see below.
 *
 * ESTALE says that another channel took this one's place.
 *
 * Each open file moves through the messages on its own. Who maps the channel
 * and reads from memory tells poll how far by storing to the cursor, a page
 * that ACH_KERNEL_CURSOR gives a descriptor for: also an open file that may
 * only read has one.
 *
 * Sleepers are woken in the order of the priority they had when they went to
 * sleep, whether in read, ACH_KERNEL_WAIT, poll, select or epoll_wait. When more
 * than 32 poll the same open file, they are woken a moment later and in any order.
 *
 * All structures have the same layout in 32- and 64-bit programs. Reserved
 * room must be zero.
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

/* The clocks of channels and of deadlines, by the names that time.h has for them. */
#define ACH_KERNEL_CLOCK_KNOWN(clock)                                                              \
    ((clock) == CLOCK_MONOTONIC || (clock) == CLOCK_REALTIME || (clock) == CLOCK_BOOTTIME ||       \
     (clock) == CLOCK_TAI)

enum ach_kernel_create_flags {
    ACH_KERNEL_TIMESTAMPS = 1,    /* messages are stamped */
    ACH_KERNEL_SINGLE_WRITER = 2, /* only the source may write */
    ACH_KERNEL_REPLACE = 4        /* take the place of a channel of that name */
};

/*
 * The device of a channel that takes another one's place stays where it is if
 * that has the rights wished for. Else, and if the caller does not see it in
 * /dev, it is gone for a moment.
 */

struct ach_kernel_create {
    char name[ACH_KERNEL_NAME_MAX];
    __u64 frame_cnt;
    __u64 frame_size;
    __u32 flags;
    __s32 clock; /* one that ACH_KERNEL_CLOCK_KNOWN */
    __u32 mode;  /* permissions of the device, not changed by the umask */
    __u32 reserved;
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
    __u32 unlinked; /* the name is gone */
    __u32 replaced; /* another channel has the name */
    __u64 reserved[4];
};

/* How far this open file is, and what became of it. */
struct ach_kernel_status {
    __u64 seen;        /* sequence of the last message got or flushed */
    __u64 received;    /* messages got by read */
    __u64 missed;      /* messages that were gone before read came */
    __u64 missed_last; /* the same, right before the message got last */
    __u64 stamp;       /* when that was put, in ns on the channel's clock; 0: not stamped */
    __u64 overtaken;   /* reads begun anew because a writer lapped them */
    __u64 reserved[2];
};

/* What read shall do. */
struct ach_kernel_options {
    __u32 options; /* ACH_O_LAST and ACH_O_COPY; a read that may wait ignores the latter */
    __u32 reserved;
    __u64 timeout; /* ns that a waiting read waits before ETIMEDOUT, or ACH_KERNEL_FOREVER */
};

enum ach_kernel_wait_flags {
    ACH_KERNEL_LINKED = 1 /* stop, with ENOENT, once the channel lost its name */
};

/*
 * Wait for a message with a sequence beyond `seen`. ETIMEDOUT, ENOENT, ESTALE;
 * EINTR on a signal; ECANCELED when the open file's count of cancels is not
 * `cancels`, which then becomes that count.
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
 * What the page of ACH_KERNEL_CURSOR begins with. Stored by the program, and by
 * read and ACH_KERNEL_FLUSH when they move on; read by poll and read.
 */
struct ach_kernel_cursor {
    __u64 seen;    /* the sequence of the last message seen */
    __u32 cancels; /* the count of cancels that was noticed; another count is readable */
    __u32 reserved;
};

/*
 * On /dev/achctrl. Removing, and replacing, is for the channel's owner and for
 * CAP_FOWNER: EPERM. EEXIST, ENOENT; EFBIG beyond the largest channel permitted,
 * EDQUOT beyond the channels and bytes of one user, ENOSPC beyond those of all users,
 * ENOMEM when the machine or the control group has no memory left.
 */
#define ACH_KERNEL_CREATE _IOW(0xAC, 0x01, struct ach_kernel_create)
#define ACH_KERNEL_UNLINK _IOW(0xAC, 0x02, struct ach_kernel_name)

/* On a channel. */
#define ACH_KERNEL_INFO _IOR(0xAC, 0x10, struct ach_kernel_info)
#define ACH_KERNEL_STATUS _IOR(0xAC, 0x11, struct ach_kernel_status)
#define ACH_KERNEL_OPTIONS _IOW(0xAC, 0x12, struct ach_kernel_options)
#define ACH_KERNEL_WAIT _IOWR(0xAC, 0x13, struct ach_kernel_wait)
#define ACH_KERNEL_CANCEL _IO(0xAC, 0x14) /* counts up, and wakes who waits on this open file */
#define ACH_KERNEL_FLUSH _IO(0xAC, 0x15)  /* skip everything that is in the channel now */

/*
 * Be the source, until this process has no descriptor of this open file any more;
 * EBUSY if there is another one. A process is here what shares its descriptors.
 * Others that have the open file, as children of fork, can write by it so long.
 */
#define ACH_KERNEL_SOURCE _IO(0xAC, 0x16)

/*
 * Returns a descriptor to map this open file's cursor with, PROT_READ |
 * PROT_WRITE and MAP_SHARED, one page at offset 0. It can be closed after that.
 */
#define ACH_KERNEL_CURSOR _IO(0xAC, 0x17)

/*
 * Returns a descriptor of another open file of the same channel, opened in the
 * same way, even when the channel has no name any more. It has seen nothing yet,
 * and closes on exec. EDQUOT as for open.
 */
#define ACH_KERNEL_AGAIN _IO(0xAC, 0x18)

#endif
