/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * time64.c - functions of 32-bit programs that were compiled with 64-bit time
 *
 * Their structures differ from those that this library supports, so they are refused. None has more
 * than six words of arguments; passing more than it takes is harmless.
 */
#include "preload.h"
#include "refuse.h"

#ifdef __i386__

typedef long long any_fun(long a, long b, long c, long d, long e, long f);

#define TIME64(name)                                                                               \
    EXPORT any_fun name;                                                                           \
    EXPORT long long name(long a, long b, long c, long d, long e, long f)                          \
    {                                                                                              \
        if (simc_active())                                                                         \
            simp_refuse(#name, "compile the program without _TIME_BITS=64");                       \
        return ((any_fun *)simp_real(#name))(a, b, c, d, e, f);                                    \
    }

TIME64(___adjtimex64)
TIME64(__adjtime64)
TIME64(__aio_suspend_time64)
TIME64(__clock_adjtime64)
TIME64(__clock_getres64)
TIME64(__clock_gettime64)
TIME64(__clock_nanosleep_time64)
TIME64(__clock_settime64)
TIME64(__cnd_timedwait64)
TIME64(__epoll_pwait2_time64)
TIME64(__gai_suspend_time64)
TIME64(__getitimer64)
TIME64(__gettimeofday64)
TIME64(__mq_timedreceive_time64)
TIME64(__mq_timedsend_time64)
TIME64(__mtx_timedlock64)
TIME64(__nanosleep64)
TIME64(__ntp_gettime64)
TIME64(__ntp_gettimex64)
TIME64(__ppoll64)
TIME64(__ppoll64_chk)
TIME64(__pselect64)
TIME64(__pthread_clockjoin_np64)
TIME64(__pthread_cond_clockwait64)
TIME64(__pthread_cond_timedwait64)
TIME64(__pthread_mutex_clocklock64)
TIME64(__pthread_mutex_timedlock64)
TIME64(__pthread_rwlock_clockrdlock64)
TIME64(__pthread_rwlock_clockwrlock64)
TIME64(__pthread_rwlock_timedrdlock64)
TIME64(__pthread_rwlock_timedwrlock64)
TIME64(__pthread_timedjoin_np64)
TIME64(__recvmmsg64)
TIME64(__recvmsg64)
TIME64(__select64)
TIME64(__sem_clockwait64)
TIME64(__sem_timedwait64)
TIME64(__semtimedop64)
TIME64(__sendmmsg64)
TIME64(__sendmsg64)
TIME64(__setitimer64)
TIME64(__settimeofday64)
TIME64(__sigtimedwait64)
TIME64(__thrd_sleep64)
TIME64(__time64)
TIME64(__timer_gettime64)
TIME64(__timer_settime64)
TIME64(__timerfd_gettime64)
TIME64(__timerfd_settime64)
TIME64(__timespec_get64)
TIME64(__wait3_time64)
TIME64(__wait4_time64)

#endif
