/* SPDX-License-Identifier: BSD-3-Clause */
/* api.h - names of statuses, kinds and members; written by ../generate from api.json */
#ifndef OCT_API_H
#define OCT_API_H

/* What a status means. */
#define OCT_STATUSES(X)                                                                            \
    X(ACH_OK, "done")                                                                              \
    X(ACH_OVERFLOW, "the message is larger than the buffer, or than the channel")                  \
    X(ACH_INVALID_NAME, "not a channel name: letters, digits, . _ - and no leading dot")           \
    X(ACH_BAD_SHM_FILE, "the file is not a channel, or was cut short")                             \
    X(ACH_FAILED_SYSCALL, "the system refused; errno and ach_errstr say why")                      \
    X(ACH_EAGAIN, "nothing new, or held by another handle or writer")                              \
    X(ACH_MISSED_FRAME, "a message was delivered, and others before it were missed")               \
    X(ACH_TIMEOUT, "the time ran out")                                                             \
    X(ACH_EEXIST, "there is such a channel already")                                               \
    X(ACH_ENOENT, "there is no such channel")                                                      \
    X(ACH_CLOSED, "the handle is not open")                                                        \
    X(ACH_BUG, "a fault in Ach itself")                                                            \
    X(ACH_EINVAL, "a bad argument")                                                                \
    X(ACH_CORRUPT, "the channel's memory is damaged, or the channel was replaced")                 \
    X(ACH_BAD_HEADER, "a channel of another layout: of another version or machine")                \
    X(ACH_EACCES, "not permitted")                                                                 \
    X(ACH_CANCELED, "ach_cancel was called on this handle")                                        \
    X(ACH_EFAULT, "a bad address")                                                                 \
    X(ACH_EINTR, "a signal handler ran (only with ACH_O_INTERRUPT)")                               \
    X(ACH_ENOTSUP, "this kind of channel, or this system, cannot do that")                         \
    X(ACH_BAD_TYPE, "the channel's messages have another type than expected")

/* Kinds of channels. */
#define OCT_MAPS(X)                                                                                \
    X(ACH_MAP_DEFAULT, "default")                                                                  \
    X(ACH_MAP_ANON, "anon")                                                                        \
    X(ACH_MAP_USER, "user")                                                                        \
    X(ACH_MAP_KERNEL, "kernel")

/* Mechanisms of descriptors. */
#define OCT_READIES(X)                                                                             \
    X(ACH_READY_NONE, "none")                                                                      \
    X(ACH_READY_IO_URING, "io_uring")                                                              \
    X(ACH_READY_THREAD, "thread")                                                                  \
    X(ACH_READY_KERNEL, "kernel")

/* Rights to a device. */
#define OCT_RIGHTS(X)                                                                              \
    X(ACH_RIGHT_LIST, "list")                                                                      \
    X(ACH_RIGHT_DATA, "data")                                                                      \
    X(ACH_RIGHT_COMMAND, "command")                                                                \
    X(ACH_RIGHT_REQUEST, "request")

/* Members of ach_info_t that are numbers. */
#define OCT_INFO_NUMBERS(X)                                                                        \
    X(frame_cnt)                                                                                   \
    X(frame_size)                                                                                  \
    X(capacity)                                                                                    \
    X(memory)                                                                                      \
    X(newest)                                                                                      \
    X(oldest)                                                                                      \
    X(recovered)                                                                                   \
    X(inode)                                                                                       \
    X(mode)                                                                                        \
    X(uid)                                                                                         \
    X(gid)                                                                                         \
    X(seen)                                                                                        \
    X(received)                                                                                    \
    X(missed)                                                                                      \
    X(overtaken)                                                                                   \
    X(slept)                                                                                       \
    X(source_pid)                                                                                  \
    X(epoch)

/* Members of ach_info_t that are flags. */
#define OCT_INFO_FLAGS(X)                                                                          \
    X(timestamps)                                                                                  \
    X(single_writer)                                                                               \
    X(readonly_wake)                                                                               \
    X(unlinked)                                                                                    \
    X(replaced)                                                                                    \
    X(readonly)                                                                                    \
    X(source)                                                                                      \
    X(sourced)                                                                                     \
    X(relayed)                                                                                     \
    X(typed)                                                                                       \
    X(anticipated)

#endif
