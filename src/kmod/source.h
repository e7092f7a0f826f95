/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * source.h - the one who may write a single-writer channel
 *
 * The source is an open file and the process that declared it: those who share
 * the table of descriptors the file was declared by. It ends when that table has
 * no descriptor of the file any more. Another process that has the file, as a
 * child of fork, may write by it until then, and neither keeps nor ends it.
 *
 * A put that is the source's alone holds the lock. So when there is another
 * source, no put of the one before is still to come.
 */
#ifndef ACHK_SOURCE_H
#define ACHK_SOURCE_H

#include <linux/fs.h>
#include <linux/rtmutex.h>

struct achk_file;

struct achk_source {
    struct rt_mutex lock;
    struct achk_file *file; /* may be compared, never followed; so may the next */
    fl_owner_t process;
};

void achk_source_init(struct achk_source *s);

/* Declare: -EBUSY if there is one. */
long achk_source_declare(struct file *filp);

/* A quick look, which may be old the moment after. */
static inline bool achk_source_is(const struct achk_source *s, const struct achk_file *f)
{
    return READ_ONCE(s->file) == f;
}

/* 0: the file is the source, and stays it until unlocked. -EACCES, -ERESTARTSYS. */
int achk_source_lock(struct achk_source *s, const struct achk_file *f);
void achk_source_unlock(struct achk_source *s);

/* A descriptor of the file is gone from this process' table. */
void achk_source_closed(struct file *filp, fl_owner_t process);

/* The open file is gone. */
void achk_source_end(struct achk_source *s, const struct achk_file *f);

#endif
