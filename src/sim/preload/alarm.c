/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alarm.c - timers that send signals or start threads: setitimer, alarm, timer_create
 *
 * While a timer is armed, a helper thread waits in virtual time until the next expiration. Timers
 * on CPU-time clocks are left to the kernel.
 */
#include "alarm.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pending.h"
#include "refuse.h"

struct alarm {
    bool used;
    clockid_t clock;
    struct sigevent event;
    int64_t next, interval;
};

/* Index 0 is the timer of setitimer and alarm. */
static struct alarm alarms[SIMP_ALARMS_MAX] = {
    {.used = true, .event.sigev_notify = SIGEV_SIGNAL, .event.sigev_signo = SIGALRM}};
static char lock;
static bool running; /* the helper thread exists */

void simp_alarms_forget(void)
{
    memset(&alarms[1], 0, sizeof(alarms) - sizeof(alarms[0]));
    alarms[0].next = alarms[0].interval = 0;
    running = false;
    lock = 0;
    simp_overruns_forget();
}

bool simp_alarm_armed(void)
{
    return alarms[0].next != 0;
}

static sim_event_t set_event(void)
{
    return simp_local_event(alarms);
}

static int64_t earliest(void)
{
    int64_t next = SIM_NEVER;
    const struct alarm *a;

    for (a = alarms; a < alarms + SIMP_ALARMS_MAX; a++)
        if (a->used && a->next && a->next < next)
            next = a->next;
    return next;
}

struct call {
    void (*function)(union sigval);
    union sigval value;
};

static void *run_call(void *cx)
{
    struct call call = *(struct call *)cx;
    sigset_t none;

    free(cx);
    sigemptyset(&none);
    simp_signal_mask(SIG_SETMASK, &none, NULL);
    call.function(call.value);
    return NULL;
}

static void start_thread(const struct sigevent *event)
{
    struct call *call = malloc(sizeof(*call));
    pthread_t thread;

    if (call)
        *call = (struct call){event->sigev_notify_function, event->sigev_value};
    if (!call || pthread_create(&thread, event->sigev_notify_attributes, run_call, call) != 0) {
        simp_refuse("timer_create: there is no thread for an expired timer with SIGEV_THREAD",
                    "check sigev_notify_attributes and the limits of memory and threads");
        free(call);
        return;
    }
    pthread_detach(thread);
}

static bool sends_signal(const struct sigevent *event)
{
    return event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_THREAD_ID;
}

/* setitimer and alarm have no overruns. */
static void send_signal(const struct alarm *a, uint64_t expired)
{
    const unsigned index = (unsigned)(a - alarms);
    const pid_t tid = a->event.sigev_notify == SIGEV_THREAD_ID ? a->event._sigev_un._tid : 0;
    siginfo_t info;

    if (index != 0 && !simp_overrun_expire(index, a->event.sigev_signo, tid, expired))
        return;

    memset(&info, 0, sizeof(info));
    info.si_signo = a->event.sigev_signo;
    info.si_code = a == alarms ? SI_KERNEL : SI_TIMER;
    if (a != alarms) {
        info.si_timerid = (int)(SIMP_ALARM_IDS + index);
        info.si_value = a->event.sigev_value;
    }
    if (simp_signal_push(&info, tid) == SIMP_PUSH_FULL)
        simp_signal_pass(&info, tid);
}

/* Send or merge the signal of an expired timer. False: it has not expired. */
static bool expire(struct alarm *a, int64_t now, struct alarm *copy)
{
    struct simp_guard g;
    uint64_t expired = 1;
    bool due;

    simp_guard_enter(&g, &lock);
    due = a->used && a->next && a->next <= now;
    if (due) {
        if (a->interval)
            expired += (uint64_t)((now - a->next) / a->interval);
        a->next = a->interval ? a->next + (int64_t)expired * a->interval : 0;
        if (sends_signal(&a->event))
            send_signal(a, expired);
        *copy = *a;
    }
    simp_guard_leave(&g, &lock);
    return due;
}

static void expire_all(int64_t now)
{
    bool signals = false;
    struct alarm *a, copy;

    for (a = alarms; a < alarms + SIMP_ALARMS_MAX; a++) {
        if (!expire(a, now, &copy))
            continue;
        if (copy.event.sigev_notify == SIGEV_THREAD)
            start_thread(&copy.event);
        else
            signals |= copy.event.sigev_notify != SIGEV_NONE;
    }
    if (signals)
        simp_signals_settle();
}

/* The helper thread ends when no timer is armed. */
static bool stop(int64_t *next)
{
    struct simp_guard g;
    bool stops;

    simp_guard_enter(&g, &lock);
    *next = earliest();
    stops = *next == SIM_NEVER;
    if (stops)
        running = false;
    simp_guard_leave(&g, &lock);
    return stops;
}

static void *alarm_run(void *unused)
{
    const sim_event_t event = set_event();
    int64_t next;
    bool timed;

    (void)unused;
    simp_local_enter(event);
    for (;;) {
        uint64_t since = simc_posts();

        simc_act();
        if (stop(&next))
            break;
        simc_wait(next, &event, 1, since, &timed);
        if (timed)
            expire_all(next);
    }
    simp_local_leave(event);
    return NULL;
}

/* The helper thread blocks all signals, so that it runs none of the program's handlers. */
static void start_running(void)
{
    pthread_t thread;
    sigset_t all, mask;
    int r;

    sigfillset(&all);
    sigdelset(&all, SIGSYS);
    simp_signal_mask(SIG_SETMASK, &all, &mask);
    r = pthread_create(&thread, NULL, alarm_run, NULL);
    simp_signal_mask(SIG_SETMASK, &mask, NULL);
    if (r == 0) {
        pthread_detach(thread);
        return;
    }
    simp_refuse("timer_settime: there is no thread for the timers of the process",
                "check the limits of memory and threads");
    running = false;
}

static void current(const struct alarm *a, struct itimerspec *t)
{
    int64_t left = a->next ? a->next - simc_now() : 0;

    t->it_value = simp_timespec(a->next && left <= 0 ? 1 : left);
    t->it_interval = simp_timespec(a->interval);
}

static struct alarm *alarm_find(unsigned index)
{
    return index < SIMP_ALARMS_MAX && alarms[index].used ? &alarms[index] : NULL;
}

int simp_alarm_get(unsigned index, struct itimerspec *value)
{
    const struct alarm *a = alarm_find(index);

    if (!a)
        return -EINVAL;
    simc_now();
    current(a, value);
    return 0;
}

int simp_alarm_set(unsigned index, int flags, const struct itimerspec *value,
                   struct itimerspec *old)
{
    struct alarm *a = alarm_find(index);
    struct simp_guard g;
    bool start, runs;
    int64_t next;

    if (!a || !value || !simp_timespec_valid(&value->it_value) ||
        !simp_timespec_valid(&value->it_interval))
        return -EINVAL;
    simc_act();
    next = flags & TIMER_ABSTIME ? simp_clock_point(a->clock, &value->it_value)
                                 : simp_after(simc_now(), simp_ns(&value->it_value));
    if (value->it_value.tv_sec == 0 && value->it_value.tv_nsec == 0)
        next = 0;
    else if (next <= 0)
        next = 1;
    simp_guard_enter(&g, &lock);
    if (old)
        current(a, old);
    a->next = next;
    a->interval = simp_ns(&value->it_interval);
    simp_overrun_clear(index);
    runs = running;
    start = next && !running;
    running |= start;
    simp_guard_leave(&g, &lock);
    if (start)
        start_running();
    else if (runs)
        simp_local_post(set_event());
    return 0;
}

/* The kernel's checks of how a timer notifies. */
static bool event_valid(const struct sigevent *event)
{
    if (!sends_signal(event))
        return event->sigev_notify == SIGEV_NONE || event->sigev_notify == SIGEV_THREAD;
    if (event->sigev_notify == SIGEV_THREAD_ID &&
        simc_raw3(SYS_tgkill, simc_pid(), event->_sigev_un._tid, 0) != 0)
        return false;
    return event->sigev_signo >= 1 && event->sigev_signo < NSIG;
}

/* Set the handler of the signal again: from now on, sigaction wraps it (signal_guard.c). */
static void wrap_handler(int signo)
{
    struct sigaction action;

    if (sigaction(signo, NULL, &action) == 0)
        sigaction(signo, &action, NULL);
}

int simp_alarm_create(clockid_t clock, const struct sigevent *event)
{
    struct sigevent usual = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct simp_guard g;
    unsigned i;

    if (!simp_clock_has_timers(clock))
        return -EOPNOTSUPP;
    if (event && !event_valid(event))
        return -EINVAL;
    simp_guard_enter(&g, &lock);
    for (i = 1; i < SIMP_ALARMS_MAX && alarms[i].used; i++)
        ;
    if (i < SIMP_ALARMS_MAX) {
        usual.sigev_value.sival_int = (int)(SIMP_ALARM_IDS + i);
        alarms[i] = (struct alarm){.used = true, .clock = clock, .event = event ? *event : usual};
        if (sends_signal(&alarms[i].event))
            simp_overrun_create(i, alarms[i].event.sigev_signo);
    }
    simp_guard_leave(&g, &lock);
    if (i < SIMP_ALARMS_MAX && sends_signal(&alarms[i].event))
        wrap_handler(alarms[i].event.sigev_signo);
    return i < SIMP_ALARMS_MAX ? (int)i : -EAGAIN;
}

int simp_alarm_delete(unsigned index)
{
    struct simp_guard g;

    if (!alarm_find(index))
        return -EINVAL;
    simp_guard_enter(&g, &lock);
    alarms[index].used = false;
    simp_guard_leave(&g, &lock);
    return 0;
}

int simp_alarm_overrun(unsigned index)
{
    const struct alarm *a = alarm_find(index);

    return a ? simp_overrun_last(index) : -EINVAL;
}
