/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alarm.c - timers that send signals or start threads: setitimer, alarm, timer_create
 *
 * While one is set, a thread of its own waits in virtual time until the next one expires. Timers
 * on clocks of CPU time are the kernel's.
 */
#include "alarm.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pending.h"

struct alarm {
    bool used;
    clockid_t clock;
    struct sigevent event;
    int64_t next, interval;
    int overrun; /* expirations that the queued signal stands for, beside the first */
};

/* The first one is that of setitimer and alarm. */
static struct alarm alarms[ACHI_ALARMS_MAX] = {
    {.used = true, .event.sigev_notify = SIGEV_SIGNAL, .event.sigev_signo = SIGALRM}};
static char lock;
static bool running; /* the thread */

void achi_alarms_forget(void)
{
    memset(&alarms[1], 0, sizeof(alarms) - sizeof(alarms[0]));
    alarms[0].next = alarms[0].interval = 0;
    running = false;
    lock = 0;
}

bool achi_alarm_armed(void)
{
    return alarms[0].next != 0;
}

static achi_event_t set_event(void)
{
    return achi_local_event(alarms);
}

static int64_t earliest(void)
{
    int64_t next = ACHI_SIM_NEVER;
    const struct alarm *a;

    for (a = alarms; a < alarms + ACHI_ALARMS_MAX; a++)
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
    achi_signal_mask(SIG_SETMASK, &none, NULL);
    call.function(call.value);
    return NULL;
}

static void start_thread(const struct sigevent *event)
{
    struct call *call = malloc(sizeof(*call));
    pthread_t thread;

    if (!call)
        return;
    *call = (struct call){event->sigev_notify_function, event->sigev_value};
    if (pthread_create(&thread, event->sigev_notify_attributes, run_call, call) != 0)
        free(call);
    else
        pthread_detach(thread);
}

static void send_signal(struct alarm *a, uint64_t expired)
{
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_signo = a->event.sigev_signo;
    info.si_code = a == alarms ? SI_KERNEL : SI_TIMER;
    if (a != alarms) {
        info.si_timerid = (int)(a - alarms);
        info.si_overrun = (int)expired - 1;
        info.si_value = a->event.sigev_value;
    }
    if (achi_signal_push(&info, a->event.sigev_notify == SIGEV_THREAD_ID ? a->event._sigev_un._tid
                                                                         : 0) == ACHI_PUSHED)
        a->overrun = (int)expired - 1;
    else
        a->overrun += (int)expired;
}

/* False: it has not expired. */
static bool expire(struct alarm *a, int64_t now, struct alarm *copy)
{
    struct achi_guard g;
    uint64_t expired = 1;
    bool due;

    achi_guard_enter(&g, &lock);
    due = a->used && a->next && a->next <= now;
    if (due) {
        if (a->interval)
            expired += (uint64_t)((now - a->next) / a->interval);
        a->next = a->interval ? a->next + (int64_t)expired * a->interval : 0;
        if (a->event.sigev_notify == SIGEV_SIGNAL || a->event.sigev_notify == SIGEV_THREAD_ID)
            send_signal(a, expired);
        *copy = *a;
    }
    achi_guard_leave(&g, &lock);
    return due;
}

static void expire_all(int64_t now)
{
    bool signals = false;
    struct alarm *a, copy;

    for (a = alarms; a < alarms + ACHI_ALARMS_MAX; a++) {
        if (!expire(a, now, &copy))
            continue;
        if (copy.event.sigev_notify == SIGEV_THREAD)
            start_thread(&copy.event);
        else
            signals |= copy.event.sigev_notify != SIGEV_NONE;
    }
    if (signals)
        achi_signals_settle();
}

/* The thread ends when no timer is set. */
static bool stop(int64_t *next)
{
    struct achi_guard g;
    bool stops;

    achi_guard_enter(&g, &lock);
    *next = earliest();
    stops = *next == ACHI_SIM_NEVER;
    if (stops)
        running = false;
    achi_guard_leave(&g, &lock);
    return stops;
}

static void *run(void *unused)
{
    const achi_event_t event = set_event();
    int64_t next;
    bool timed;

    (void)unused;
    achi_local_enter(event);
    for (;;) {
        uint64_t since = achi_sim_posts();

        achi_sim_act();
        if (stop(&next))
            break;
        achi_sim_wait(next, &event, 1, since, &timed);
        if (timed)
            expire_all(next);
    }
    achi_local_leave(event);
    return NULL;
}

/* It takes no signal of the program. */
static void start_running(void)
{
    pthread_t thread;
    sigset_t all, mask;
    int r;

    sigfillset(&all);
    sigdelset(&all, SIGSYS);
    achi_signal_mask(SIG_SETMASK, &all, &mask);
    r = pthread_create(&thread, NULL, run, NULL);
    if (r == 0)
        pthread_detach(thread);
    else
        running = false;
    achi_signal_mask(SIG_SETMASK, &mask, NULL);
}

static bool valid(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S;
}

static void current(const struct alarm *a, struct itimerspec *t)
{
    int64_t left = a->next ? a->next - achi_sim_now() : 0;

    t->it_value = achi_timespec(a->next && left <= 0 ? 1 : left);
    t->it_interval = achi_timespec(a->interval);
}

static struct alarm *find(unsigned index)
{
    return index < ACHI_ALARMS_MAX && alarms[index].used ? &alarms[index] : NULL;
}

int achi_alarm_get(unsigned index, struct itimerspec *value)
{
    const struct alarm *a = find(index);

    if (!a)
        return -EINVAL;
    achi_sim_now();
    current(a, value);
    return 0;
}

int achi_alarm_set(unsigned index, int flags, const struct itimerspec *value,
                   struct itimerspec *old)
{
    struct alarm *a = find(index);
    struct achi_guard g;
    bool start, runs;
    int64_t next;

    if (!a || !valid(&value->it_value) || !valid(&value->it_interval))
        return -EINVAL;
    achi_sim_act();
    next = flags & TIMER_ABSTIME ? achi_clock_point(a->clock, &value->it_value)
                                 : achi_after(achi_sim_now(), achi_ns(&value->it_value));
    if (value->it_value.tv_sec == 0 && value->it_value.tv_nsec == 0)
        next = 0;
    else if (next <= 0)
        next = 1;
    achi_guard_enter(&g, &lock);
    if (old)
        current(a, old);
    a->next = next;
    a->interval = achi_ns(&value->it_interval);
    runs = running;
    start = next && !running;
    running |= start;
    achi_guard_leave(&g, &lock);
    if (start)
        start_running();
    else if (runs)
        achi_local_post(set_event());
    return 0;
}

int achi_alarm_create(clockid_t clock, const struct sigevent *event)
{
    struct sigevent usual = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct achi_guard g;
    unsigned i;

    if (event && (event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_THREAD_ID) &&
        (event->sigev_signo < 1 || event->sigev_signo >= NSIG))
        return -EINVAL;
    achi_guard_enter(&g, &lock);
    for (i = 1; i < ACHI_ALARMS_MAX && alarms[i].used; i++)
        ;
    if (i < ACHI_ALARMS_MAX) {
        usual.sigev_value.sival_int = (int)i;
        alarms[i] = (struct alarm){.used = true, .clock = clock, .event = event ? *event : usual};
    }
    achi_guard_leave(&g, &lock);
    return i < ACHI_ALARMS_MAX ? (int)i : -EAGAIN;
}

int achi_alarm_delete(unsigned index)
{
    struct achi_guard g;

    if (!find(index))
        return -EINVAL;
    achi_guard_enter(&g, &lock);
    alarms[index].used = false;
    achi_guard_leave(&g, &lock);
    return 0;
}

int achi_alarm_overrun(unsigned index)
{
    const struct alarm *a = find(index);

    return a ? a->overrun : -EINVAL;
}
