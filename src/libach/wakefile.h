/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wakefile.h - a word to sleep on that only those who may write can reach
 *
 * Whoever may read a channel can sleep on its commit word, and each sleeper
 * there makes a wake take longer. So handles that can write sleep on a word in a
 * second file, the wake file, which only those who may write the channel may
 * open. A put wakes there. The word never changes; what a sleeper compares is the
 * commit word, which it sleeps on too:
 *
 *   sleeper                                    writer
 *   queues on the wake word                    changes the commit word
 *   compares the commit word, and queues there looks who is queued on the wake word
 *
 * Both are one system call, and the kernel does the first step of the one and
 * both steps of the other under the same lock: so the sleeper sees the change, or
 * the writer sees the sleeper (G6).
 *
 * The wake file is a help that a channel can do without. A handle that cannot map
 * it wakes all who sleep on the commit word, which includes those on the wake
 * word, and sleeps on the commit word alone after it has said so in the header.
 *
 * The file is called .achshm-NAME.wake. If that name is taken by another user,
 * a random number follows. The channel's header has the number and the inode.
 * The file gets its name after the channel, and loses it before: a process that is
 * killed in between leaves a channel that does without, and nothing else.
 */
#ifndef ACHI_WAKEFILE_H
#define ACHI_WAKEFILE_H

#include "draft.h"
#include "handle.h"

/* A wake file in the making, without a name. draft.fd -1: there will be none. */
struct achi_wakefile {
    struct draft draft;
    struct achi_wake_id id;
};

/* A maker holds a write lock on this byte of the channel until the wake file has its name. */
#define ACHI_MAKER_BYTE (((off_t)1 << 40) + 1)

/* Make one for a channel in the making. */
void achi_wakefile_make(struct achi_wakefile *w, const char *name, const struct draft *channel);

/* The channel has its name: so gets the wake file. */
void achi_wakefile_publish(struct achi_wakefile *w, const char *name, int channel);
void achi_wakefile_close(struct achi_wakefile *w);

/* Map the word for a handle that can write. The handle does without if it cannot be mapped. */
void achi_wakefile_map(struct achi_handle *h, const char *name);
void achi_wakefile_unmap(struct achi_handle *h);

/* Take away the name of a wake file whose channel loses its own. */
void achi_wakefile_unlink(const char *name, const struct achi_wake_id *id);

/* Change the channel's permissions, and those of its wake file with it. -1 with errno. */
int achi_wakefile_chmod(const struct achi_handle *h, mode_t mode);

#endif
