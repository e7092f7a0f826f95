/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * source.h - the source: the one open file that may write a single-writer channel
 *
 * The source is an open file and the process that declared it. Process means all
 * tasks that share its descriptor table. The source ends when that table has no
 * descriptor of the file any more. Another process that has the file open, such as
 * a child of fork, may write through it until then, but neither keeps nor ends the
 * source.
 *
 * A put to a single-writer channel holds the lock. So once a new source is declared,
 * no put of the previous one can follow.
 */
#ifndef ACHK_SOURCE_H
#define ACHK_SOURCE_H

#include <linux/fs.h>
#include <linux/rtmutex.h>

struct achk_file;

struct achk_source {
    struct rt_mutex lock;
    struct achk_file *file; /* only compared, never dereferenced; process too */
    fl_owner_t process;
};

void achk_source_init(struct achk_source *s);

/* Declare the file the source: -EBUSY if there is another one. */
long achk_source_declare(struct file *filp);

/* A check without the lock; the result may be stale at once. */
static inline bool achk_source_is(const struct achk_source *s, const struct achk_file *f)
{
    return READ_ONCE(s->file) == f;
}

/* 0: the file is the source, and stays so until unlocked. -EACCES, -ERESTARTSYS. */
int achk_source_lock(struct achk_source *s, const struct achk_file *f);
void achk_source_unlock(struct achk_source *s);

/* A descriptor of the file was closed in this descriptor table. */
void achk_source_closed(struct file *filp, fl_owner_t process);

/* The open file was released. */
void achk_source_end(struct achk_source *s, const struct achk_file *f);

#endif
