/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wakefile.h - the wake word, which only users with write access to the channel can map
 *
 * Any process that may read a channel can sleep on its commit word, and each sleeper there
 * makes a wake take longer. So handles that can write sleep on a word in a second file, the
 * wake file, which only users with write access to the channel may open. A put wakes there:
 *
 *   waiter                                     writer, under the lock
 *   raises the flag in the commit word         stores the next commit word in the wake word
 *   loads the wake word                        changes the commit word and wakes on the wake
 *   sleeps while the wake word is unchanged    word, in one system call
 *
 * If the wake word does not announce the next message, and the commit word is still the
 * one that the waiter has seen, every later put changes the wake word first. Then either
 * the kernel finds it changed, or the put finds the waiter asleep (G6). If it does announce
 * the next one, the commit may come at any moment, also between the load and the sleep.
 * Then the waiter sleeps on both words with futex_waitv, which queues on the wake word
 * before it compares the commit word. A writer that is killed after its announcement leaves
 * the word like that until the next put.
 *
 * A handle that may put and cannot map the wake file wakes on the commit word. It sets
 * "both_words" in the header when it is opened. If a waiter is there, it then waits until a put
 * has woken all, or for one slice of sleep: from then on all waiters sleep on both words.
 * Such a handle sleeps on the commit word alone, after it has set "commit_sleepers": from
 * then on all writers wake on both words.
 *
 * The file is called .achshm-NAME.wake. If another user's file has that name, a random number
 * follows. The channel's header has the number and the inode. The wake file gets its name
 * after the channel, and loses it before: a process that is killed in between leaves a
 * channel without a wake file, and nothing else.
 */
#ifndef ACHI_WAKEFILE_H
#define ACHI_WAKEFILE_H

#include "handle.h"
#include "newfile.h"

/* A wake file that has no name yet. draft.fd -1: the channel gets none. */
struct achi_wakefile {
    struct newfile draft;
    struct achi_wake_id id;
};

/* A maker holds a write lock on this byte of the channel until the wake file has its name. */
#define ACHI_MAKER_BYTE (((off_t)1 << 40) + 1)

/* Create the wake file of a channel whose file is still new. */
void achi_wakefile_make(struct achi_wakefile *w, const char *name, const struct newfile *channel);

/* Give the wake file its name, after the channel got its own. */
void achi_wakefile_publish(struct achi_wakefile *w, const char *name, int channel);
void achi_wakefile_close(struct achi_wakefile *w);

/*
 * Map the wake word of a writable handle over the page behind its channel, so that SIGBUS there
 * is handled like in the channel (see fault.h). h->wake stays NULL if it cannot be mapped.
 */
void achi_wakefile_map(struct achi_handle *h, const char *name, void *page);

/*
 * If the handle may put but has no wake word, make all waiters sleep on the commit word, too, which
 * its puts wake. May take a second.
 */
void achi_wakefile_lack(struct achi_handle *h);

/*
 * Do all waiters sleep on the commit word, too, which now is commit? The first call asks them for
 * it; once there is another message they do.
 */
bool achi_wakefile_both(struct achi_handle *h, uint32_t commit);

/* Remove the name of the wake file of a channel that is being removed. */
void achi_wakefile_unlink(const char *name, const struct achi_wake_id *id);

/* Change the channel's permissions, and those of its wake file with it. -1 with errno. */
int achi_wakefile_chmod(const struct achi_handle *h, mode_t mode);

#endif
