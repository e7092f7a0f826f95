/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach.h - shared-memory channels: newest message first, writers never wait for readers
 *
 * A channel is a piece of shared memory with a name. Many processes put
 * messages into it and many get them out. Messages keep their order and their
 * boundaries. The channel keeps the latest ones and overwrites the oldest, so a
 * put never waits for a reader, even one that is slow, stopped or dead.
 *
 *     ach_channel_t chan;
 *     ach_open(&chan, "imu", NULL);
 *     ach_get(&chan, &imu, sizeof(imu), &size, NULL, ACH_O_WAIT | ACH_O_LAST);
 *
 * Thread safety
 *     Different handles: anything, from any thread or process.
 *     One handle: ach_put from many threads at once, unless the channel has a
 *     single writer; everything else from one thread at a time. ach_cancel may
 *     be called on a handle at any time, also from a signal handler.
 *     A handle belongs to the process that opened it. A child of fork may use
 *     the handles it inherited; parent and child then have separate read
 *     positions. A signal handler that interrupted a put and calls fork must not
 *     return in the child: both processes would complete the same put.
 *     ach_cancel ends a wait, and so does pthread_cancel while the thread sleeps:
 *     ach_get, ach_view and ach_wait are cancellation points then. A thread is never
 *     canceled while it holds the lock of a channel.
 *
 * On 32-bit systems a program must have the time_t that the library was built
 * with: define _TIME_BITS for both or for neither.
 *
 * Each function's manual says whether it allocates memory, blocks, and may be
 * called in a real-time loop and in a signal handler. Unless it says otherwise, a
 * function leaves its outputs untouched when it fails.
 */
#ifndef ACH_H
#define ACH_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <ach/status.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The longest channel name, with its terminating NUL. */
#define ACH_CHAN_NAME_MAX 64ul

/* The default clock of a channel. */
#define ACH_DEFAULT_CLOCK CLOCK_MONOTONIC

/* The default geometry of a channel. */
#define ACH_DEFAULT_FRAME_COUNT 16u
#define ACH_DEFAULT_FRAME_SIZE 512u

/* The most channels that one ach_wait can wait for. */
#define ACH_WAIT_MAX 64u

/* time.h does not declare it in strict C99 mode. */
struct timespec;

/* Macros that sources for Ach 2 use in their own declarations. */
#if defined(__cplusplus) || __STDC_VERSION__ < 199901L
#define ACH_RESTRICT
#else
#define ACH_RESTRICT restrict
#endif
#define ACH_WARN_UNUSED __attribute__((warn_unused_result))
#define ACH_DEPRECATED(message) __attribute__((deprecated(message)))

/* A set of statuses. */
typedef uint32_t ach_mask_t;

#define ACH_STATUS_MASK(r) (1u << (r))

/* Sets of one status, of none and of all. */
__extension__ enum ach_mask {
    ACH_MASK_OK = ACH_STATUS_MASK(ACH_OK),
    ACH_MASK_OVERFLOW = ACH_STATUS_MASK(ACH_OVERFLOW),
    ACH_MASK_INVALID_NAME = ACH_STATUS_MASK(ACH_INVALID_NAME),
    ACH_MASK_BAD_SHM_FILE = ACH_STATUS_MASK(ACH_BAD_SHM_FILE),
    ACH_MASK_FAILED_SYSCALL = ACH_STATUS_MASK(ACH_FAILED_SYSCALL),
    ACH_MASK_EAGAIN = ACH_STATUS_MASK(ACH_EAGAIN),
    ACH_MASK_STALE_FRAMES = ACH_STATUS_MASK(ACH_STALE_FRAMES),
    ACH_MASK_LOCKED = ACH_STATUS_MASK(ACH_LOCKED),
    ACH_MASK_MISSED_FRAME = ACH_STATUS_MASK(ACH_MISSED_FRAME),
    ACH_MASK_TIMEOUT = ACH_STATUS_MASK(ACH_TIMEOUT),
    ACH_MASK_EEXIST = ACH_STATUS_MASK(ACH_EEXIST),
    ACH_MASK_ENOENT = ACH_STATUS_MASK(ACH_ENOENT),
    ACH_MASK_CLOSED = ACH_STATUS_MASK(ACH_CLOSED),
    ACH_MASK_BUG = ACH_STATUS_MASK(ACH_BUG),
    ACH_MASK_EINVAL = ACH_STATUS_MASK(ACH_EINVAL),
    ACH_MASK_CORRUPT = ACH_STATUS_MASK(ACH_CORRUPT),
    ACH_MASK_BAD_HEADER = ACH_STATUS_MASK(ACH_BAD_HEADER),
    ACH_MASK_EACCES = ACH_STATUS_MASK(ACH_EACCES),
    ACH_MASK_CANCELED = ACH_STATUS_MASK(ACH_CANCELED),
    ACH_MASK_EFAULT = ACH_STATUS_MASK(ACH_EFAULT),
    ACH_MASK_EINTR = ACH_STATUS_MASK(ACH_EINTR),
    ACH_MASK_ENOTSUP = ACH_STATUS_MASK(ACH_ENOTSUP),
    ACH_MASK_BAD_TYPE = ACH_STATUS_MASK(ACH_BAD_TYPE),
    ACH_MASK_NONE = 0,
    ACH_MASK_ALL = 0xffffffffu
};

/**
 * ach_status_mask - the set that holds one status
 * @status: the status
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: the mask with the bit of @status set.
 *
 * Since: 3.0
 */
static inline ach_mask_t ach_status_mask(enum ach_status status)
{
    return (ach_mask_t)1 << (unsigned)status;
}

/**
 * ach_status_match - is a status one of a set?
 * @status: the status
 * @mask: the set, such as ACH_MASK_OK | ACH_MASK_MISSED_FRAME
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: non-zero when @status is in @mask.
 *
 * Since: 3.0
 */
static inline int ach_status_match(enum ach_status status, ach_mask_t mask)
{
    return (ach_status_mask(status) & mask) != 0;
}

/* The kind of a channel: which memory holds it. */
enum ach_map {
    ACH_MAP_DEFAULT = 0, /* ach_create: ACH_MAP_USER; ach_open: ACH_MAP_KERNEL, else ACH_MAP_USER */
    ACH_MAP_ANON = 1,    /* the heap of this process */
    ACH_MAP_USER = 2,    /* shared memory */
    ACH_MAP_KERNEL = 3   /* the kernel module */
};

/* The mechanism that makes a handle's descriptor readable, see ach_channel_fd. */
enum ach_ready {
    ACH_READY_NONE = 0,     /* the handle has no descriptor */
    ACH_READY_IO_URING = 1, /* an io_uring of the handle */
    ACH_READY_THREAD = 2,   /* a helper thread of the handle */
    ACH_READY_KERNEL = 3    /* the kernel module */
};

/* Copy callbacks, for programs that pass serialisers around. */
typedef enum ach_status ach_get_fun(void *cx, void **obj_dst, const void *chan_src,
                                    size_t frame_size);
typedef enum ach_status ach_put_fun(void *cx, void *chan_dst, const void *obj_src);

#ifdef CLOCK_MONOTONIC /* not in strict C99 mode */
/* Options of a kernel channel in Ach 2, for programs that name the type; libach does not use it. */
typedef struct achk_opt {
    int options;
    struct timespec reltime;
} achk_opt_t;
#endif

/* The start of a channel's memory. Its layout is private. */
struct ach_header;

/* The longest name of a type or an encoding, with its terminating NUL, and the largest schema. */
#define ACH_TYPE_NAME_MAX 256
#define ACH_TYPE_SCHEMA_MAX 1000000

/*
 * What the messages of a channel are. Names and encodings are words without spaces; the
 * encodings are those of MCAP, https://mcap.dev/spec/registry. Set all other members to 0.
 */
__extension__ typedef struct ach_type_of_channel {
    __extension__ union {
        __extension__ struct {
            const char *name;            /* such as "geometry_msgs/msg/Twist" */
            const char *encoding;        /* of a message: "cdr", "protobuf", "json", ... */
            const char *schema_encoding; /* "ros2msg", "protobuf", "jsonschema", ...;
                                            NULL or "": there is no schema */
            const void *schema;          /* describes the message */
            size_t schema_size;          /* its bytes; 0: there is none */
        };
        uint64_t reserved[16];
    };
} ach_channel_type_t;

/* Where a relayed message was first put; all 0: into this channel. */
typedef struct ach_origin {
    uint64_t epoch; /* of that channel: see ach_info_t */
    uint64_t seq;   /* of the message in that channel */
    uint64_t stamp; /* its timestamp there, in nanoseconds; 0: it had none */
} ach_origin_t;

/*
 * Attributes. Initialise them with their init function, then change the defaults as needed.
 * The sizes of these structures are fixed; reserved fields are zero.
 */

/* Attributes of ach_open. */
__extension__ typedef struct ach_attr {
    __extension__ union {
        __extension__ struct {
            __extension__ union {
                int map_anon;     /* non-zero: ACH_MAP_ANON */
                enum ach_map map; /* which kind of channel to open */
            };
            struct ach_header *shm;         /* ACH_MAP_ANON: the channel's memory */
            int lock_source;                /* take the source lock */
            int readonly;                   /* subscribe only: map the channel read-only */
            uint64_t spin_ns;               /* time to spin before sleeping */
            uint64_t lock_timeout_ns;       /* how long a put waits for another writer */
            const ach_channel_type_t *type; /* the type to expect; NULL: any, or none */
            uint32_t anticipate_budget;     /* millionths of a processor; 0: do not anticipate */
            int anticipate_forced;          /* also where others may have to wait */
        };
        uint64_t reserved[8];
    };
} ach_attr_t;

/* Attributes of ach_create. */
__extension__ typedef struct ach_create_attr {
    __extension__ union {
        __extension__ struct {
            __extension__ union {
                int map_anon;     /* non-zero: ACH_MAP_ANON */
                enum ach_map map; /* which kind of channel to create */
            };
            struct ach_header *shm; /* out, ACH_MAP_ANON: the channel's memory */
            clockid_t clock;        /* the channel's clock, if set_clock */
            unsigned int truncate : 1;
            unsigned int set_clock : 1;
            unsigned int replace_corrupt : 1;
            unsigned int timestamps : 1;
            unsigned int readonly_wake : 1;
            unsigned int single_writer : 1;
            unsigned int set_mode : 1;
            unsigned int relayed : 1;
            unsigned int anticipated : 1;
            mode_t mode;                    /* permissions, if set_mode */
            const ach_channel_type_t *type; /* of the messages; NULL: none */
        };
        uint64_t reserved[16];
    };
} ach_create_attr_t;

/* Attributes of ach_cancel. */
__extension__ typedef struct ach_cancel_attr {
    __extension__ union {
        __extension__ struct {
            int async_unsafe; /* ignored: ach_cancel is always safe in a signal handler */
        };
        int64_t reserved[8];
    };
} ach_cancel_attr_t;

/*
 * A handle: one process's access to a channel, with its own read position. A copy of it has a read
 * position and a cancel flag of its own, and shares everything else; closing one closes all.
 */
__extension__ typedef struct ach_channel {
    __extension__ union {
        __extension__ struct {
            struct ach_header *shm;       /* the channel's memory, NULL when closed */
            volatile sig_atomic_t cancel; /* set by ach_cancel; set it to 0 to resume */
            uint32_t life;                /* private, as are priv and position */
            struct achi_handle *priv;
            uint64_t position[6];
        };
        uint64_t reserved[16];
    };
} ach_channel_t;

/* What ach_channel_info returns: facts about the channel, then about the handle. */
__extension__ typedef struct ach_info {
    __extension__ union {
        __extension__ struct {
            /* The channel. */
            enum ach_map map;
            clockid_t clock;
            uint64_t frame_cnt;  /* messages it keeps at most */
            uint64_t frame_size; /* nominal size of a message */
            uint64_t capacity;   /* the largest message: frame_cnt x frame_size */
            uint64_t memory;     /* bytes of memory in all */
            uint64_t newest;     /* sequence of the newest message, 0 if there was none */
            uint64_t oldest;     /* sequence of the oldest one still there, 0 if none */
            uint64_t recovered;  /* writers that died while putting */
            uint64_t inode;      /* of the file; 0 for heap channels */
            mode_t mode;         /* permissions of the file */
            uid_t uid;
            gid_t gid;
            unsigned int timestamps : 1;
            unsigned int single_writer : 1;
            unsigned int readonly_wake : 1;
            unsigned int unlinked : 1; /* the channel's name was removed */
            unsigned int replaced : 1; /* another channel replaced this one */
            /* The handle. */
            unsigned int readonly : 1; /* cannot put */
            unsigned int source : 1;   /* holds the source lock */
            unsigned int sourced : 1;  /* any handle holds it; shared-memory channels only */
            uint64_t seen;             /* sequence of the last message got or flushed */
            uint64_t received;         /* messages it got */
            uint64_t missed;           /* messages overwritten or skipped before it got them */
            uint64_t overtaken;        /* reads restarted because a writer overwrote them */
            uint64_t slept;            /* times it slept in a wait */
            enum ach_ready ready;      /* mechanism of its descriptor */
            uint32_t source_pid;       /* process that holds the source lock; 0: none, or unknown */
            /* The channel, again. */
            uint64_t epoch;           /* random: a later channel of the same name has another one;
                               0: the channel was made by a release before 3.1 */
            unsigned int relayed : 1; /* messages have an origin */
            unsigned int typed : 1;   /* ach_channel_type returns what its messages are */
            unsigned int anticipated : 1; /* puts need not wake receivers that anticipate */
        };
        uint64_t reserved[32];
    };
} ach_info_t;

/* What ach_channel_anticipation returns. Times are in nanoseconds. */
__extension__ typedef struct ach_anticipation {
    __extension__ union {
        __extension__ struct {
            uint32_t budget;     /* millionths of a processor; 0: the handle does not anticipate */
            unsigned int on : 1; /* windows are permitted now: see ach_attr_set_anticipate */
            uint64_t period;     /* of the messages; 0: not known */
            uint64_t jitter;     /* the mean error of predictions */
            uint64_t late;       /* how much later than asked for a sleep ends */
            uint64_t window;     /* the length of the last window; 0: none */
            uint64_t windows;    /* how many there were */
            uint64_t hits;       /* those that a message came in */
            uint64_t spent;      /* processor time in windows */
        };
        uint64_t reserved[16];
    };
} ach_anticipation_t;

/* One channel that ach_wait waits for. */
typedef struct ach_wait_item {
    ach_channel_t *chan;
    enum ach_status status; /* out: ACH_OK: there is a new message; ACH_EAGAIN: there is none;
                                   else the error of this channel */
} ach_wait_item_t;

/**
 * ach_attr_init - defaults for opening a channel
 * @attr: the attributes to initialise
 *
 * The defaults: any kind of channel, read-write where permitted, no source lock,
 * no spinning, a put waits at most one second for another writer.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Since: 3.0
 */
void ach_attr_init(ach_attr_t *attr);

/**
 * ach_attr_set_shm - select a heap channel to open
 * @attr: attributes for ach_open
 * @shm: its memory, from ach_create_attr_get_shm
 *
 * ach_open then opens that heap channel.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_attr_set_shm(ach_attr_t *attr, struct ach_header *shm);

/**
 * ach_attr_set_map - select the kind of channel to open
 * @attr: attributes for ach_open
 * @map: the kind
 *
 * ACH_MAP_DEFAULT opens the kernel channel of that name if there is one,
 * otherwise the one in shared memory.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL or unknown argument.
 *
 * Since: 3.0
 */
enum ach_status ach_attr_set_map(ach_attr_t *attr, enum ach_map map);

/**
 * ach_attr_set_lock_source - be the only source of a channel
 * @attr: attributes for ach_open
 * @lock_source: non-zero to take the source lock
 *
 * At most one process at a time holds a channel's source lock, for one or more of
 * its handles; on a channel that was created for a single writer, one handle.
 * ach_open returns ACH_EAGAIN while another one holds it, or if a writer that is
 * stopped in mid-put blocks all other writers. ach_close releases the lock, the last
 * one if several handles hold it, and so does the end of the process; a child of fork
 * does not hold it. Handles without the lock can still put, unless the channel was
 * created for a single writer.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_attr_set_lock_source(ach_attr_t *attr, int lock_source);

/**
 * ach_attr_set_readonly - open a channel read-only
 * @attr: attributes for ach_open
 * @readonly: non-zero to map the channel read-only
 *
 * Read permission on the channel is then enough, and nothing this process does
 * through the handle can alter the channel's memory. ach_open does the same by itself
 * if the process has only read permission. In a waiting get such a handle sleeps if
 * the channel was created with ach_create_attr_set_readonly_wake; otherwise it polls
 * every millisecond. On a kernel channel it always sleeps.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_attr_set_readonly(ach_attr_t *attr, int readonly);

/**
 * ach_attr_set_type - expect a type of messages
 * @attr: attributes for ach_open
 * @type: the type; NULL: any, or none. It must be valid until ach_open has returned
 *
 * ach_open then returns ACH_BAD_TYPE if the channel has another type or none. Types
 * are compared by ach_channel_type_hash: name, encoding and schema must be the same. If only
 * the schema differs, ach_errstr lists the fields that differ.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL @attr.
 *
 * Since: 3.1
 */
enum ach_status ach_attr_set_type(ach_attr_t *attr, const ach_channel_type_t *type);

/**
 * ach_attr_set_spin - spin before sleeping
 * @attr: attributes for ach_open
 * @nanoseconds: how long to spin; 0, the default, sleeps at once
 *
 * A handle that spins sees a message within a few hundred nanoseconds instead
 * of microseconds, and keeps its core busy for up to @nanoseconds in every ach_get
 * and ach_view that waits. ach_wait does not spin.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_attr_set_spin(ach_attr_t *attr, uint64_t nanoseconds);

/**
 * ach_attr_set_anticipate - be awake when a periodic message comes
 * @attr: attributes for ach_open
 * @budget: the processor time that this may take, in millionths of one processor: 20000 is
 *          2 %; 0, the default: do not anticipate; at most 1000000
 * @forced: also under a real-time policy, and on a single processor
 *
 * A handle that anticipates learns the period of the messages. It sleeps until shortly before
 * the next one, and then looks for it in a short window of time. The message then arrives in
 * about a microsecond, where a process that sleeps needs about ten, and its put need not wake
 * anybody. What comes before the window wakes the handle as ever, and when it closes, the
 * handle sleeps as ever: nothing is missed, and nothing comes later than without it. ach_get,
 * ach_view and ach_wait anticipate; a descriptor of ach_channel_fd does not.
 *
 * The period is learnt from timestamps, if the channel has them and they are of CLOCK_MONOTONIC,
 * else from when messages were seen. There are no windows while no period is known; while the
 * jitter is larger than the budget; for a while after another process had the processor in a
 * window, or nothing came in most of them; in a simulation; and, unless @forced is set, if the
 * thread may use one processor only, or runs under another policy than SCHED_OTHER and
 * SCHED_BATCH. Then a window keeps others from the processor for 50 us at most.
 *
 * If messages come without a period, but less than 50 us after each other, a handle looks for
 * the next one for two such gaps, within the same budget.
 *
 * A handle whose attributes ask neither for this nor for spinning does what the environment
 * variable ACH_WAIT says: sleep, spin, or anticipate, which may be followed by a colon and the
 * budget in percent, such as anticipate:5.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL: @attr is NULL, or the budget is too large.
 *
 * Since: 3.1
 */
enum ach_status ach_attr_set_anticipate(ach_attr_t *attr, uint32_t budget, int forced);

/**
 * ach_attr_set_lock_timeout - how long a put waits for another writer
 * @attr: attributes for ach_open
 * @nanoseconds: the limit; 0 is the default, one second
 *
 * A writer holds a lock while it copies its message; the lock inherits priority.
 * The limit is reached only if the lock's owner was stopped in mid-put; ach_put
 * then returns ACH_LOCKED. A writer of a kernel channel cannot be stopped in
 * mid-put, so kernel channels ignore the limit.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_attr_set_lock_timeout(ach_attr_t *attr, uint64_t nanoseconds);

/**
 * ach_create_attr_init - defaults for creating a channel
 * @attr: the attributes to initialise
 *
 * Shared memory, CLOCK_MONOTONIC, permissions 0666 less the umask, no
 * timestamps, any number of writers.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Since: 3.0
 */
void ach_create_attr_init(ach_create_attr_t *attr);

/**
 * ach_create_attr_set_clock - the clock that timeouts and timestamps use
 * @attr: attributes for ach_create
 * @clock: a clock of the system, such as CLOCK_MONOTONIC, CLOCK_REALTIME or
 *         CLOCK_BOOTTIME; not the CPU time of a process or thread. Kernel
 *         channels support these three and CLOCK_TAI.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument. The clock is checked
 * later, by ach_create.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_set_clock(ach_create_attr_t *attr, clockid_t clock);

/**
 * ach_create_attr_set_map - select the kind of channel to create
 * @attr: attributes for ach_create
 * @map: the kind of channel
 *
 * A kernel channel, ACH_MAP_KERNEL, needs the kernel module. Only the kernel
 * writes its memory: no program can damage it, forge sequence numbers or keep
 * others from writing, a writer cannot be stopped or killed in mid-put, and
 * waiters are woken in the order of their priority. Processes of all PID
 * namespaces can put. In exchange each put, and each sleep, is a system call;
 * a get of a message that is already there is not. Its name is system-wide, as the
 * device /dev/ach-NAME; ACH_DIR does not affect it.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL or unknown argument.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_set_map(ach_create_attr_t *attr, enum ach_map map);

/**
 * ach_create_attr_set_truncate - replace an existing channel
 * @attr: attributes for ach_create
 * @truncate: non-zero to replace
 *
 * The new channel takes over the name in one step; there is no moment without
 * a channel. Calls on handles of the old one return ACH_CORRUPT; close and reopen
 * them. A channel of another layout is not replaced, because programs of another
 * release of Ach may use it and cannot be notified: ach_create returns
 * ACH_BAD_HEADER.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_set_truncate(ach_create_attr_t *attr, int truncate);

/**
 * ach_create_attr_set_replace_corrupt - replace a damaged channel
 * @attr: attributes for ach_create
 * @replace: non-zero to replace a channel that cannot be used
 *
 * As ach_create_attr_set_truncate, but only if the file of that name is not a
 * usable channel. For a usable channel ach_create still returns ACH_EEXIST, for
 * one of another layout ACH_BAD_HEADER.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_set_replace_corrupt(ach_create_attr_t *attr, int replace);

/**
 * ach_create_attr_set_timestamps - stamp each message when it is put
 * @attr: attributes for ach_create
 * @timestamps: non-zero to stamp
 *
 * ach_channel_timestamp returns the time, on the channel's clock. Each put then
 * also reads the clock.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_set_timestamps(ach_create_attr_t *attr, int timestamps);

/**
 * ach_create_attr_set_readonly_wake - let read-only subscribers sleep
 * @attr: attributes for ach_create
 * @wake: non-zero if read-only subscribers will wait on the channel
 *
 * A read-only subscriber cannot announce to writers that it sleeps, so on such
 * a channel every put makes the system call that wakes. The call wakes all
 * sleepers on the channel: any user with read permission can make puts slower,
 * by as many sleepers as the system allows. It cannot be switched off again.
 * ach_chmod switches it on when it grants read without write permission. Kernel
 * channels always wake read-only subscribers.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_set_readonly_wake(ach_create_attr_t *attr, int wake);

/**
 * ach_create_attr_set_single_writer - only the source may put
 * @attr: attributes for ach_create
 * @single: non-zero for one writer at a time
 *
 * Only a handle opened with ach_attr_set_lock_source can put; others get
 * ACH_EACCES. In exchange ach_reserve returns the channel's own memory, so that
 * a put needs no copy; not so on a kernel channel.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_set_single_writer(ach_create_attr_t *attr, int single);

/**
 * ach_create_attr_set_mode - the permissions of the new channel
 * @attr: attributes for ach_create
 * @mode: permission bits, used as they are: the umask does not apply
 *
 * A user with write permission on a channel's file can also truncate it, with
 * truncate(2); SIGBUS then kills the processes that use it. So grant write
 * permission only to users that put: a get needs only read permission.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument or bits beyond 0777.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_set_mode(ach_create_attr_t *attr, mode_t mode);

/**
 * ach_create_attr_set_type - what the messages of the new channel are
 * @attr: attributes for ach_create
 * @type: the type; NULL: none. ach_create copies it, so it must be valid until then
 *
 * The type is stored in the channel and never changes. Every reader of the channel can
 * get it with ach_channel_type, also after its creator has ended. It makes no
 * difference to puts and gets: messages are bytes, and nobody checks whether they
 * are of this type. Releases before 3.1 cannot open a channel with a type.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL @attr. ach_create returns ACH_EINVAL
 * for a type without a name or encoding, or one that is too large.
 *
 * Since: 3.1
 */
enum ach_status ach_create_attr_set_type(ach_create_attr_t *attr, const ach_channel_type_t *type);

/**
 * ach_create_attr_set_relayed - let messages have an origin
 * @attr: attributes for ach_create
 * @relayed: non-zero for a channel whose messages come from other channels
 *
 * For programs that copy messages from one channel to another, such as one on another
 * machine: ach_put_relayed stores with a message where it came from. Messages of 65
 * to 80 bytes are a little slower in such a channel. Releases before 3.1 cannot open it.
 * Not for kernel channels.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.1
 */
enum ach_status ach_create_attr_set_relayed(ach_create_attr_t *attr, int relayed);

/**
 * ach_create_attr_set_anticipated - let receivers that anticipate spare puts the system call
 * @attr: attributes for ach_create
 * @anticipated: non-zero for a channel whose receivers anticipate
 *
 * While the window of such a receiver is open (see ach_attr_set_anticipate), it does not
 * sleep. On this channel, puts then need not wake it: they make no system call, and the
 * message arrives as fast as if the receiver spun all the time. If others sleep on the
 * channel, puts wake them as ever. Sleeping on such a channel costs a little more. Releases
 * before 3.1 cannot open it. Not for kernel channels, whose puts are system calls.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.1
 */
enum ach_status ach_create_attr_set_anticipated(ach_create_attr_t *attr, int anticipated);

/**
 * ach_create_attr_get_shm - the memory of the heap channel just created
 * @attr: attributes that ach_create was called with
 * @shm: out: the memory, for ach_attr_set_shm
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_create_attr_get_shm(ach_create_attr_t *attr, struct ach_header **shm);

/**
 * ach_create - create a channel
 * @name: its name: letters, digits, '.', '_' and '-', no leading dot, at most
 *        63 characters; ignored for ACH_MAP_ANON
 * @frame_cnt: the most messages to keep; 0: ACH_DEFAULT_FRAME_COUNT
 * @frame_size: the nominal size of a message; 0: ACH_DEFAULT_FRAME_SIZE
 * @attr: attributes, or NULL for the defaults
 *
 * A message may be as large as @frame_cnt x @frame_size; large messages leave
 * room for fewer. All memory is reserved by this call. The channel gets its name
 * only when it is complete, as the file achshm-NAME in /dev/shm, or in the
 * directory that the environment variable ACH_DIR names. A kernel channel is the
 * device /dev/ach-NAME. A shared-memory and a kernel channel cannot have the same
 * name, except if two processes create them at the same moment.
 *
 * A heap channel (ACH_MAP_ANON) has no name. Its memory is returned in @attr; call
 * free(3) on it after the last handle was closed.
 *
 * ACH_EEXIST does not mean that the existing channel is like the requested one:
 * it may be smaller, or lack timestamps. To accept a suitable one, open and check it:
 *
 *     r = ach_create("imu", 10, sizeof(imu), NULL);
 *     if (r == ACH_OK || r == ACH_EEXIST)
 *         r = ach_open(&chan, "imu", NULL);
 *     if (r == ACH_OK)
 *         r = ach_channel_info(&chan, &info);
 *     if (r == ACH_OK && info.capacity < sizeof(imu))
 *         ... the existing channel is too small ...
 *
 * Allocates: yes. Blocks: on the file system, and while other processes replace the
 * same channel. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK; ACH_EEXIST, also if a channel of another kind has the name,
 * because it is never replaced; ACH_BAD_HEADER if a channel of another layout was to
 * be replaced; ACH_ENOENT if the directory is missing;
 * ACH_INVALID_NAME; ACH_EINVAL for a NULL name, a size that is too large, or
 * a clock that cannot time a channel; ACH_EACCES; ACH_ENOTSUP for a kernel channel
 * without the module; ACH_FAILED_SYSCALL with errno, such as ENOSPC if the memory
 * cannot be reserved, and EFBIG, EDQUOT, ENOSPC or ENOMEM if the kernel module
 * refuses it.
 *
 * Since: 3.0
 */
enum ach_status ach_create(const char *name, size_t frame_cnt, size_t frame_size,
                           ach_create_attr_t *attr);

/**
 * ach_open - open a handle to a channel
 * @chan: the handle
 * @name: the channel's name; ignored for ACH_MAP_ANON
 * @attr: attributes, or NULL for the defaults
 *
 * The handle starts before the oldest message that the channel holds; see
 * ach_flush for starting with the next one. If the process has only read
 * permission, the handle is read-only. If ach_open fails, @chan is a closed
 * handle. It overwrites @chan: close an open handle first.
 *
 * Allocates: yes. Blocks: on the file system, and for up to a second if the handle may
 * write, the channel's wake file cannot be opened, and a reader waits on the channel.
 * Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK; ACH_ENOENT; ACH_EACCES; ACH_INVALID_NAME; ACH_EINVAL for a
 * NULL argument; ACH_BAD_SHM_FILE if the file is not a channel; ACH_BAD_HEADER
 * for a channel of another layout; ACH_BAD_TYPE for another type than expected;
 * ACH_EAGAIN when the source lock is held; ACH_ENOTSUP for a kernel channel without
 * the module; ACH_CORRUPT for a damaged type; ACH_FAILED_SYSCALL.
 *
 * Since: 3.0
 */
enum ach_status ach_open(ach_channel_t *chan, const char *name, ach_attr_t *attr);

/**
 * ach_close - close a handle
 * @chan: the handle
 *
 * Drops an open reservation and the source lock. The channel itself stays.
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK, ACH_EINVAL for NULL, ACH_CLOSED if it is not open.
 *
 * Since: 3.0
 */
enum ach_status ach_close(ach_channel_t *chan);

/**
 * ach_unlink - remove a channel's name
 * @name: the channel
 *
 * Open handles keep working with each other. Waits and gets with ACH_O_LINKED return
 * ACH_ENOENT if there is nothing new; without it, ach_channel_info reports the removal. Kernel channels
 * are removed as well as shared-memory ones; if one of each kind has the name,
 * both are removed.
 *
 * Allocates: no. Blocks: on the file system. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK, ACH_ENOENT, ACH_EACCES, ACH_INVALID_NAME, ACH_EINVAL for
 * NULL, ACH_FAILED_SYSCALL.
 *
 * Since: 3.0
 */
enum ach_status ach_unlink(const char *name);

/**
 * ach_chmod - change the permissions of a channel
 * @chan: a handle of it
 * @mode: permission bits, as for chmod(2)
 *
 * If @mode grants owner, group or others read without write permission, read-only
 * waking is switched on, as by ach_create_attr_set_readonly_wake. A read-only handle
 * changes only the mode. On a kernel channel the mode of the device is changed; bits
 * beyond 0777 have no effect there.
 *
 * Allocates: no. Blocks: on the file system. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK, ACH_EACCES, ACH_EINVAL, ACH_CLOSED, ACH_ENOTSUP for a heap
 * channel, ACH_FAILED_SYSCALL.
 *
 * Since: 3.0
 */
enum ach_status ach_chmod(ach_channel_t *chan, mode_t mode);

/**
 * ach_put - put a message
 * @chan: the handle
 * @buf: the message
 * @len: its length in bytes, at least 1
 *
 * The message becomes visible to all readers at once and as a whole, and wakes
 * the readers that wait. A writer that is killed during a put leaves either the
 * whole message or nothing, and does not affect other processes.
 *
 * Allocates: no; on a kernel channel the kernel does, when a message of more
 * than 256 bytes is larger than all earlier ones of the handle. Blocks: only
 * while another writer copies its message, at most for the handle's lock timeout,
 * with priority inheritance. System calls: none unless a reader waits or another
 * writer contends; always on a channel with read-only waking; on a kernel channel
 * one. Real-time: yes. Signal handler: no.
 *
 * Returns: ACH_OK; ACH_OVERFLOW if @len exceeds the channel's capacity;
 * ACH_EINVAL for @len 0 or a NULL argument; ACH_EACCES for a read-only handle,
 * a single-writer channel without the source lock, or a shared-memory channel
 * of another PID namespace; ACH_LOCKED, which is the same
 * number as ACH_EAGAIN, if the lock timeout passed, or if this handle has a
 * reservation open on a single-writer channel;
 * ACH_CORRUPT; ACH_CLOSED; on a kernel channel also ACH_EFAULT if @buf is a bad
 * address, and ACH_FAILED_SYSCALL with errno if the kernel has no memory for the copy.
 *
 * Since: 3.0
 */
enum ach_status ach_put(ach_channel_t *chan, const void *buf, size_t len);

/**
 * ach_put_relayed - put a message that was first put into another channel
 * @chan: the handle, of a channel created with ach_create_attr_set_relayed
 * @buf: the message
 * @len: its size
 * @origin: that other channel's epoch, and the message's sequence and timestamp there
 *
 * As ach_put. Whoever gets the message can ask for its origin with ach_channel_origin.
 *
 * Allocates: no. Blocks: on other writers, as ach_put. Real-time: yes. Signal handler: no.
 *
 * Returns: as ach_put; ACH_ENOTSUP if the channel cannot store origins.
 *
 * Since: 3.1
 */
enum ach_status ach_put_relayed(ach_channel_t *chan, const void *buf, size_t len,
                                const ach_origin_t *origin);

/**
 * ach_get - get a message
 * @chan: the handle
 * @buf: where to copy it; may be NULL if @size is 0
 * @size: the size of @buf
 * @frame_size: out: the size of the message; set on ACH_OK, ACH_MISSED_FRAME
 *              and ACH_OVERFLOW. NULL is ACH_EINVAL if there is a message to get.
 * @timeout: with ACH_O_WAIT: when to give up, a point in time on the
 *           channel's clock, or a duration with ACH_O_RELTIME; NULL waits for
 *           ever. Used only if the call must wait. A point in time must have
 *           nanoseconds from 0 to 999,999,999; a duration need not.
 * @options: any of ACH_O_WAIT, ACH_O_LAST, ACH_O_COPY, ACH_O_RELTIME, ACH_O_LINKED;
 *           other bits are ignored
 *
 * Without options: the oldest message this handle has not seen, or ACH_EAGAIN.
 * ACH_O_LAST: the newest, in constant time. ACH_O_COPY: if there is nothing
 * new, the last message again. ACH_O_WAIT: if there is nothing new, wait.
 * ACH_O_LINKED: if there is nothing new and the channel lost its name, ACH_ENOENT.
 *
 * @buf may be overwritten even if no message is delivered.
 *
 * Allocates: no. Blocks: only with ACH_O_WAIT. System calls: none unless it
 * sleeps, or finds nothing with ACH_O_LINKED. Takes no lock, and delays no
 * writer. Real-time: yes. Signal handler: yes, if ACH_O_WAIT is not set and the
 * interrupted code was not using this handle.
 *
 * Returns: ACH_OK; ACH_MISSED_FRAME: a message was delivered, and others
 * before it were overwritten or skipped (ach_channel_missed counts them);
 * ACH_EAGAIN: nothing new; ACH_TIMEOUT; ACH_OVERFLOW: @buf is too small,
 * *@frame_size is the size needed, and the message can still be got;
 * ACH_CANCELED; ACH_ENOENT with ACH_O_LINKED; ACH_EINVAL; ACH_CORRUPT;
 * ACH_CLOSED; ACH_FAILED_SYSCALL if the system call that waits failed.
 *
 * Since: 3.0
 */
enum ach_status ach_get(ach_channel_t *chan, void *buf, size_t size, size_t *frame_size,
                        const struct timespec *timeout, int options);

/**
 * ach_flush - skip all messages that are in the channel now
 * @chan: the handle
 *
 * The next message got will be one that is put later. Skipped messages do not
 * count as missed.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: no.
 *
 * Returns: ACH_OK, ACH_CANCELED, ACH_CORRUPT, ACH_EINVAL, ACH_CLOSED; ACH_EAGAIN
 * if writers overtook every attempt.
 *
 * Since: 3.0
 */
enum ach_status ach_flush(ach_channel_t *chan);

/**
 * ach_cancel_attr_init - defaults for ach_cancel
 * @attr: the attributes to initialise
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Since: 3.0
 */
void ach_cancel_attr_init(ach_cancel_attr_t *attr);

/**
 * ach_cancel_attr_set_async_unsafe - accepted for old programs
 * @attr: attributes for ach_cancel
 * @async_unsafe: has no effect; ach_cancel is safe in a signal handler anyway
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, or ACH_EINVAL for a NULL argument.
 *
 * Since: 3.0
 */
enum ach_status ach_cancel_attr_set_async_unsafe(ach_cancel_attr_t *attr, int async_unsafe);

/**
 * ach_cancel - make a waiting get return
 * @chan: the handle it waits on
 * @attr: attributes, or NULL
 *
 * From then on ach_get, ach_view, ach_wait and ach_flush on this handle return
 * ACH_CANCELED, until the program sets chan->cancel to 0.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, ACH_EINVAL for NULL, ACH_CLOSED.
 *
 * Since: 3.0
 */
enum ach_status ach_cancel(ach_channel_t *chan, const ach_cancel_attr_t *attr);

/**
 * ach_reserve - reserve room for a message, to be written in place
 * @chan: the handle
 * @size: the most bytes the message will have, at least 1
 * @ptr: out: where to write it, aligned to 16 bytes
 *
 * Write the message, then call ach_commit or ach_abort. On a single-writer
 * channel the room is in the channel itself, and a commit costs the same at any
 * size. On other channels, and on all kernel channels, it is private memory of the
 * handle, which ach_commit copies.
 * A reservation does not block other writers, and readers see nothing before the
 * commit. A handle has one reservation at a time; reserving again drops the previous
 * one. A reservation may overwrite the oldest messages, even if it is not committed.
 *
 * Allocates: no if the room is in the channel; otherwise when @size exceeds
 * all earlier reservations of the handle. Blocks: as ach_put. Real-time: yes, after
 * one reservation of the largest size. Signal handler: no.
 *
 * Returns: ACH_OK; ACH_OVERFLOW if @size exceeds the capacity; ACH_EINVAL;
 * ACH_EACCES as for ach_put; ACH_LOCKED; ACH_CORRUPT; ACH_CLOSED;
 * ACH_FAILED_SYSCALL if there is no memory.
 *
 * Since: 3.0
 */
enum ach_status ach_reserve(ach_channel_t *chan, size_t size, void **ptr);

/**
 * ach_commit - put the message that was written in place
 * @chan: the handle
 * @size: the size of the message, from 1 to the reserved size
 *
 * Allocates: no. Blocks and system calls: as ach_put. Real-time: yes. Signal
 * handler: no.
 *
 * Returns: as ach_put; ACH_EINVAL without a reservation or for a bad @size.
 * After ACH_EINVAL and ACH_LOCKED the reservation stays open.
 *
 * Since: 3.0
 */
enum ach_status ach_commit(ach_channel_t *chan, size_t size);

/**
 * ach_abort - drop a reservation
 * @chan: the handle
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: no.
 *
 * Returns: ACH_OK, ACH_EINVAL without a reservation, ACH_CLOSED.
 *
 * Since: 3.0
 */
enum ach_status ach_abort(ach_channel_t *chan);

/**
 * ach_view - read a message in place
 * @chan: the handle
 * @ptr: out: the message, in the channel's memory; never write to it
 * @size: out: its size
 * @timeout: as for ach_get
 * @options: as for ach_get
 *
 * Like ach_get, but without the copy. Writers do not wait for viewers: they
 * may overwrite the message at any time. Treat what you read as untrusted, and
 * use none of it before ach_view_check returns ACH_OK. The newest message
 * stays intact until one more message was put and the put or reservation after
 * that one has begun.
 *
 * Allocates: no. Blocks: only with ACH_O_WAIT. Real-time: yes. Signal
 * handler: as ach_get.
 *
 * Returns: as ach_get, but never ACH_OVERFLOW.
 *
 * Since: 3.0
 */
enum ach_status ach_view(ach_channel_t *chan, const void **ptr, size_t *size,
                         const struct timespec *timeout, int options);

/**
 * ach_view_check - was the viewed message intact until now?
 * @chan: the handle that ach_view was called on last
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK: everything read through the view before this call is valid.
 * ACH_EAGAIN: a writer has reused the memory; discard what you read.
 * ACH_EINVAL without a view. ACH_CLOSED.
 *
 * Since: 3.0
 */
enum ach_status ach_view_check(const ach_channel_t *chan);

/**
 * ach_wait - wait until one of several channels has a new message
 * @items: the channels; the status of each is set
 * @n: how many, at most ACH_WAIT_MAX
 * @timeout: when to give up, a point in time on CLOCK_MONOTONIC, or a duration
 *           with ACH_O_RELTIME; NULL waits for ever
 * @options: any of ACH_O_RELTIME, ACH_O_LINKED and ACH_O_INTERRUPT
 *
 * It gets no messages: call ach_get on the channels whose status is ACH_OK.
 *
 * With ACH_O_INTERRUPT it returns ACH_EINTR when a signal handler has run while it
 * slept. A signal that comes before it sleeps does not end the wait.
 *
 * With ACH_O_INTERRUPT, or if there are several channels and one of them is in the
 * kernel, ach_wait polls the descriptors of ach_channel_fd. Each handle gets its
 * descriptor in the first such call, at the cost that ach_channel_fd describes; for
 * handles of kernel channels that is almost none. With ACH_O_LINKED such a wait can
 * return a second late if the channel's file was removed with rm(1).
 *
 * Allocates: only for those descriptors. Blocks: yes. Real-time: yes. Signal
 * handler: no.
 *
 * Returns: ACH_OK: at least one item has a new message, or an error of its own;
 * ACH_TIMEOUT; ACH_EINTR; ACH_CANCELED if one of the handles is canceled;
 * ACH_CLOSED if one is not open; ACH_EINVAL; ACH_FAILED_SYSCALL.
 *
 * Since: 3.0
 */
enum ach_status ach_wait(ach_wait_item_t *items, size_t n, const struct timespec *timeout,
                         int options);

/**
 * ach_handle_sigbus - survive the truncation of a channel's file
 *
 * A user with write permission on a channel's file can truncate it, or punch holes into it when
 * the file system is full. An access to the missing memory raises SIGBUS, which kills the process.
 * After this call, functions on such a channel return ACH_CORRUPT instead, in every thread, and
 * ach_channel_info returns ACH_BAD_SHM_FILE; close the handle then. A view reads as zeros and is
 * invalid; data written to a reservation is lost. Other channels are not affected.
 *
 * A process has one SIGBUS handler, so the library installs its own only in this function. Faults
 * at other addresses are passed to the handler that was installed before. Call it once, at the
 * start of the program, after installing a handler of your own; further calls do nothing. 'ach',
 * 'achlog' and 'achcat' call it.
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK, also if it is installed already; ACH_FAILED_SYSCALL.
 *
 * Since: 3.1
 */
enum ach_status ach_handle_sigbus(void);

/* A steady rate: the period of a control loop. */
typedef struct ach_period {
    int64_t length; /* nanoseconds */
    int64_t next;   /* when the next one begins, on CLOCK_MONOTONIC or in simulated time */
} ach_period_t;

/**
 * ach_period_init - begin a loop with a steady rate
 * @period: the period
 * @length: nanoseconds, more than 0
 *
 *     ach_period_t period;
 *     ach_period_init(&period, 1000000);
 *     for (;;) {
 *         ach_period_wait(&period, NULL);
 *         ... sense, think, act ...
 *     }
 *
 * Under `ach sim` periods run on simulated time.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK; ACH_EINVAL.
 *
 * Since: 3.1
 */
enum ach_status ach_period_init(ach_period_t *period, int64_t length);

/**
 * ach_period_wait - sleep until the next period begins
 * @period: the period
 * @missed: out: the number of periods that began before this call, while the
 *          program was still working on the last one; may be NULL
 *
 * Missed periods are skipped: the next one begins a whole number of periods after
 * ach_period_init.
 *
 * Allocates: no. Blocks: until then; signals do not end it. Real-time: yes.
 * Signal handler: no.
 *
 * Returns: ACH_OK; ACH_EINVAL; ACH_CLOSED: the simulation has ended.
 *
 * Since: 3.1
 */
enum ach_status ach_period_wait(ach_period_t *period, uint64_t *missed);

/**
 * ach_period_wait_spin - be awake when the next period begins
 * @period: the period
 * @spin: nanoseconds, at most the length of the period
 * @missed: out: as for ach_period_wait; may be NULL
 *
 * The kernel needs several microseconds to wake a process. This function sleeps until @spin
 * nanoseconds before the period begins, and then looks at the clock until it does. So the
 * period begins on time, for @spin nanoseconds of processor time in each period; 20000 to 50000
 * are enough for most machines. Under a real-time policy no process of a lower priority
 * runs on that processor meanwhile. Under `ach sim` it sleeps only.
 *
 * Allocates: no. Blocks: until then; signals do not end it. Real-time: yes.
 * Signal handler: no.
 *
 * Returns: ACH_OK; ACH_EINVAL; ACH_CLOSED: the simulation has ended.
 *
 * Since: 3.1
 */
enum ach_status ach_period_wait_spin(ach_period_t *period, uint64_t spin, uint64_t *missed);

/**
 * ach_channel_seq - the sequence number of the last message got or flushed
 * @chan: the handle
 * @seq: out: 1 for the first message ever put, 0 if there was none
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, ACH_EINVAL, ACH_CLOSED.
 *
 * Since: 3.0
 */
enum ach_status ach_channel_seq(const ach_channel_t *chan, uint64_t *seq);

/**
 * ach_channel_missed - how many messages were missed
 * @chan: the handle
 * @last: out: missed right before the message got last; may be NULL
 * @total: out: missed through this handle in all; may be NULL
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, ACH_EINVAL, ACH_CLOSED.
 *
 * Since: 3.0
 */
enum ach_status ach_channel_missed(const ach_channel_t *chan, uint64_t *last, uint64_t *total);

/**
 * ach_channel_anticipation - what a handle that anticipates has learnt and spent
 * @chan: the handle
 * @info: out: the period of the messages, windows, hits, processor time
 *
 * All but the budget is 0 for a handle that does not anticipate.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: no.
 *
 * Returns: ACH_OK, ACH_EINVAL, ACH_CLOSED.
 *
 * Since: 3.1
 */
enum ach_status ach_channel_anticipation(const ach_channel_t *chan, ach_anticipation_t *info);

/**
 * ach_channel_timestamp - the time when the last received message was put
 * @chan: the handle
 * @when: out: the time, on the channel's clock
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK; ACH_ENOTSUP if the channel has no timestamps; ACH_EAGAIN if
 * no message was got yet; ACH_EINVAL; ACH_CLOSED.
 *
 * Since: 3.0
 */
enum ach_status ach_channel_timestamp(const ach_channel_t *chan, struct timespec *when);

/**
 * ach_channel_type - what the channel's messages are
 * @chan: the handle
 * @type: out: the type, valid until the handle is closed
 *
 * The type is a checked copy: its strings have no spaces and no control characters.
 * The schema is followed by a NUL, and is what the channel's creator stored; whoever may write to
 * the channel may have forged it. So check it before use.
 *
 * Allocates: yes, at the first call. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK; ACH_ENOTSUP if the channel has no type; ACH_CORRUPT if the type is
 * damaged; ACH_EINVAL; ACH_CLOSED; ACH_BAD_SHM_FILE; ACH_FAILED_SYSCALL if there is
 * no memory.
 *
 * Since: 3.1
 */
enum ach_status ach_channel_type(const ach_channel_t *chan, const ach_channel_type_t **type);

/**
 * ach_channel_type_hash - a number that differs for different types
 * @type: the type
 *
 * The 64-bit FNV-1a hash of name, encoding, schema encoding and schema, with a NUL
 * behind each. It finds mistakes, not forgeries.
 *
 * Allocates: no. Blocks: no. Real-time: no, it reads the whole schema. Signal handler: yes.
 *
 * Returns: the hash; 0 for NULL.
 *
 * Since: 3.1
 */
uint64_t ach_channel_type_hash(const ach_channel_type_t *type);

/**
 * ach_channel_origin - where the last received message was first put
 * @chan: the handle
 * @origin: out; all 0 if it was put into this channel by ach_put
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK; ACH_ENOTSUP if the channel was not created with
 * ach_create_attr_set_relayed; ACH_EAGAIN if no message was got yet, or it was
 * overwritten meanwhile; ACH_EINVAL; ACH_CLOSED; ACH_BAD_SHM_FILE.
 *
 * Since: 3.1
 */
enum ach_status ach_channel_origin(const ach_channel_t *chan, ach_origin_t *origin);

/**
 * ach_channel_info - geometry and statistics
 * @chan: the handle
 * @info: out
 *
 * Allocates: no. Blocks: no; asks the file system for mode and owner.
 * Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK, ACH_EINVAL, ACH_CLOSED, ACH_CORRUPT; ACH_EAGAIN if writers
 * overtook every attempt.
 *
 * Since: 3.0
 */
enum ach_status ach_channel_info(const ach_channel_t *chan, ach_info_t *info);

/**
 * ach_channel_fd - a descriptor for select, poll and epoll
 * @chan: the handle
 * @file_descriptor: out: the descriptor; it belongs to the handle
 *
 * The descriptor is readable while a get without ACH_O_WAIT would return
 * something other than ACH_EAGAIN: there is a message that the handle has not
 * seen, the handle is canceled, or the channel was replaced. Poll it, then get
 * until ACH_EAGAIN; do not read, write or close the descriptor. Every call returns
 * the same descriptor. It closes on exec, and lasts until ach_close, which wakes
 * its pollers.
 *
 * When ach_unlink removes the channel's name, the descriptor becomes readable
 * once. A get with ACH_O_LINKED then returns ACH_ENOENT, another one ACH_EAGAIN,
 * and it is not readable any more until there is a message.
 *
 * It can be readable with nothing to get: when another handle was canceled, or
 * another thread used the handle; after chan->cancel was set to 0; and on an
 * anticipated channel, when a window opens. The next
 * get then returns ACH_EAGAIN, and it is not readable any more.
 *
 * A descriptor costs writers as much as a waiting reader does, and costs the reader
 * a few system calls in each ach_get, ach_view and ach_flush. These stay fit for a
 * real-time loop, but not for a signal handler. If the kernel allows it (Linux 6.7
 * or later, io_uring not disabled), an io_uring makes the descriptor readable.
 * Otherwise the handle gets a helper thread, with the scheduling policy and priority
 * of the thread that called ach_channel_fd first. Three kinds of handles always get
 * a helper thread: a read-only handle of a channel without read-only waking, which
 * the helper polls every millisecond; a handle that has moved between threads
 * several times; and on Linux 6.16 or later a handle of a heap channel, if the process
 * had a single thread at the first call. ach_channel_info returns the mechanism. The
 * environment variable ACH_FD, set to io_uring or thread, selects it for tests.
 *
 * When an io_uring is closed, by ach_close or because another thread used the
 * handle, the kernel interrupts the thread it served: epoll_wait there can fail with
 * EINTR once; poll and select restart by themselves.
 *
 * The descriptor of a kernel channel is its device. It costs writers nothing more
 * and needs no helper thread; a get that finds nothing makes one system call. When
 * the channel was replaced, poll reports it as hung up as well as readable.
 *
 * A child of fork must call ach_channel_fd again to get a descriptor of its own; the
 * inherited one belongs to its parent.
 *
 * Allocates: at the first call. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK; ACH_ENOTSUP if the system does not support what ACH_FD selects;
 * ACH_EINVAL; ACH_CLOSED; ACH_FAILED_SYSCALL if the system has no more descriptors,
 * memory or threads, or if the user has too many open files of a kernel channel.
 *
 * Since: 3.0
 */
enum ach_status ach_channel_fd(const ach_channel_t *chan, int *file_descriptor);

/**
 * ach_channel_map - the kind of a channel
 * @chan: the handle
 * @map: out
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, ACH_EINVAL, ACH_CLOSED.
 *
 * Since: 3.0
 */
enum ach_status ach_channel_map(const ach_channel_t *chan, enum ach_map *map);

/**
 * ach_channel_clock - the channel's clock
 * @chan: the handle
 * @clock: out
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: ACH_OK, ACH_EINVAL, ACH_CLOSED.
 *
 * Since: 3.0
 */
enum ach_status ach_channel_clock(const ach_channel_t *chan, clockid_t *clock);

/* Called by ach_list for each channel. Any status but ACH_OK ends the list. */
typedef enum ach_status ach_list_fun(void *cx, const char *name, enum ach_map map);

/**
 * ach_list - list the channels that have a name
 * @fun: called for each, in the order of names
 * @cx: passed to @fun
 *
 * Lists every file and device that is named like a channel, in shared memory and in
 * the kernel. They are not opened, so some may not be channels.
 *
 * Allocates: yes. Blocks: on the file system. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK, what @fun returned if that was not ACH_OK, ACH_EINVAL,
 * ACH_EACCES, ACH_FAILED_SYSCALL.
 *
 * Since: 3.0
 */
enum ach_status ach_list(ach_list_fun *fun, void *cx);

/**
 * ach_channel_path - the file of a shared-memory channel
 * @name: the channel, which need not exist
 * @path: out: where to write the path
 * @size: the size of @path
 *
 * The device of a kernel channel is /dev/ach-NAME.
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: ACH_OK, ACH_EINVAL, ACH_INVALID_NAME, ACH_OVERFLOW if @size is too
 * small.
 *
 * Since: 3.0
 */
enum ach_status ach_channel_path(const char *name, char *path, size_t size);

/**
 * ach_result_to_string - the name of a status
 * @status: the status
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: a constant string, such as "ACH_OK"; never NULL.
 *
 * Since: 3.0
 */
const char *ach_result_to_string(ach_status_t status);

/**
 * ach_errstr - why the last failed call of this thread failed
 *
 * A sentence for people, with the file and what to do. Set by ach_create, ach_open,
 * ach_unlink, ach_chmod, ach_list and ach_channel_path when they fail, and by
 * ach_wait, ach_reserve and ach_channel_fd when the status alone is not enough.
 * Functions of the hot path, such as ach_put and ach_get, do not set it, except for a
 * get whose wait failed.
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: no.
 *
 * Returns: a string that lasts until the thread's next failing call; empty if
 * no call has failed yet.
 *
 * Since: 3.0
 */
const char *ach_errstr(void);

/**
 * ach_errstr_set - set the text of ach_errstr
 * @status: the status to return
 * @format: as for printf: a sentence for people
 *
 * For libraries on top of Ach, so that ach_errstr also explains their failures.
 * Preserves errno. A sentence that is too long is truncated. The arguments may
 * include the text of ach_errstr, so that a caller can prepend to it.
 *
 * Allocates: no. Blocks: no. Real-time: no. Signal handler: no.
 *
 * Returns: @status.
 *
 * Since: 3.0
 */
ach_status_t ach_errstr_set(ach_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * ach_dump - print a channel's internal state to standard error
 * @shm: the channel's memory: chan.shm of an open handle
 *
 * For debugging. The text may change with every release.
 *
 * Allocates: yes. Blocks: yes. Real-time: no. Signal handler: no.
 *
 * Since: 3.0
 */
void ach_dump(struct ach_header *shm);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
