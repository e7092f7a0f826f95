/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * own.h - a libach of our own, which nobody interposes
 *
 * Notes and gos must not become events of the simulation themselves. So this code
 * carries a copy of libach whose names differ and whose time is the kernel's. This header is
 * included before everything else, by the copy and by who uses it.
 */
#ifndef ACHI_SIM_OWN_H
#define ACHI_SIM_OWN_H

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "raw.h"

#define syscall achi_own_syscall

static inline int achi_own_clock_gettime(clockid_t clock, struct timespec *t)
{
    return (int)syscall(SYS_clock_gettime, clock, t);
}

static inline int achi_own_nanosleep(const struct timespec *t, struct timespec *left)
{
    return (int)syscall(SYS_nanosleep, t, left);
}

#define clock_gettime achi_own_clock_gettime
#define nanosleep achi_own_nanosleep

#define ach_abort achi_own_abort
#define ach_attr_init achi_own_attr_init
#define ach_attr_set_lock_source achi_own_attr_set_lock_source
#define ach_attr_set_lock_timeout achi_own_attr_set_lock_timeout
#define ach_attr_set_map achi_own_attr_set_map
#define ach_attr_set_readonly achi_own_attr_set_readonly
#define ach_attr_set_shm achi_own_attr_set_shm
#define ach_attr_set_spin achi_own_attr_set_spin
#define ach_cancel achi_own_cancel
#define ach_cancel_attr_init achi_own_cancel_attr_init
#define ach_cancel_attr_set_async_unsafe achi_own_cancel_attr_set_async_unsafe
#define ach_channel_clock achi_own_channel_clock
#define ach_channel_fd achi_own_channel_fd
#define ach_channel_info achi_own_channel_info
#define ach_channel_map achi_own_channel_map
#define ach_channel_missed achi_own_channel_missed
#define ach_channel_path achi_own_channel_path
#define ach_channel_seq achi_own_channel_seq
#define ach_channel_timestamp achi_own_channel_timestamp
#define ach_chmod achi_own_chmod
#define ach_close achi_own_close
#define ach_commit achi_own_commit
#define ach_create achi_own_create
#define ach_create_attr_get_shm achi_own_create_attr_get_shm
#define ach_create_attr_init achi_own_create_attr_init
#define ach_create_attr_set_clock achi_own_create_attr_set_clock
#define ach_create_attr_set_map achi_own_create_attr_set_map
#define ach_create_attr_set_mode achi_own_create_attr_set_mode
#define ach_create_attr_set_readonly_wake achi_own_create_attr_set_readonly_wake
#define ach_create_attr_set_replace_corrupt achi_own_create_attr_set_replace_corrupt
#define ach_create_attr_set_single_writer achi_own_create_attr_set_single_writer
#define ach_create_attr_set_timestamps achi_own_create_attr_set_timestamps
#define ach_create_attr_set_truncate achi_own_create_attr_set_truncate
#define ach_dump achi_own_dump
#define ach_errstr achi_own_errstr
#define ach_errstr_set achi_own_errstr_set
#define ach_evhandle achi_own_evhandle
#define ach_flush achi_own_flush
#define ach_get achi_own_get
#define ach_list achi_own_list
#define ach_open achi_own_open
#define ach_put achi_own_put
#define ach_reserve achi_own_reserve
#define ach_result_to_string achi_own_result_to_string
#define ach_unlink achi_own_unlink
#define ach_view achi_own_view
#define ach_view_check achi_own_view_check
#define ach_wait achi_own_wait

#endif
