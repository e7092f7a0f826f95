/* SPDX-License-Identifier: BSD-3-Clause */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "attach.h"
#include "complain.h"
#include "monotonic.h"
#include "part.h"
#include "session.h"

#define PROGRESS_NS 1000000000
#define SIZE_TEXT 32

static volatile sig_atomic_t stop, trigger;

static void record_on_signal(int signal)
{
    if (signal == SIGUSR1)
        trigger = 1;
    else
        stop = 1;
}

/*
 * Signals are blocked but while the thread that reads sleeps. Signals that nohup or the shell ignores stay
 * ignored.
 */
static void record_signals(sigset_t *sleeping)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    struct sigaction action, old;
    sigset_t block;
    size_t i;

    memset(&action, 0, sizeof(action));
    action.sa_handler = record_on_signal;
    sigemptyset(&block);
    for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        sigaddset(&block, signals[i]);
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    sigaddset(&block, SIGXFSZ);
    sigaddset(&block, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &block, sleeping);
    sigaddset(sleeping, SIGXFSZ);
    sigaddset(sleeping, SIGPIPE);
}

static void record_size(uint64_t bytes, char text[SIZE_TEXT])
{
    if (bytes < 1000000)
        snprintf(text, SIZE_TEXT, "%.1f kB", (double)bytes / 1e3);
    else
        snprintf(text, SIZE_TEXT, "%.1f MB", (double)bytes / 1e6);
}

static void record_progress(const struct record_session *s)
{
    const double seconds = (double)(monotonic_ns() - s->begun) / 1e9;

    char size[SIZE_TEXT];

    record_size(record_output_bytes(&s->output), size);
    fprintf(stderr, "\r\x1b[K%.0f s  %" PRIu64 " messages  %s  %" PRIu64 " missed%s", seconds,
            feed_got(s->feed), size, feed_missed(s->feed),
            s->waiting ? "  waiting for the trigger" : "");
}

static bool record_shows(const struct record_settings *o)
{
    return !o->quiet && isatty(STDERR_FILENO);
}

static int64_t record_due(const struct record_session *s)
{
    const uint64_t feed = feed_deadline(s->feed);
    int64_t due = feed > INT64_MAX ? INT64_MAX : (int64_t)feed;

    if (s->deadline < due)
        due = s->deadline;
    if (record_shows(s->options) && due > monotonic_ns() + PROGRESS_NS)
        due = monotonic_ns() + PROGRESS_NS;
    return due;
}

static void record_sleep(struct record_session *s, const sigset_t *sleeping)
{
    struct pollfd fds[] = {{.fd = feed_fd(s->feed), .events = POLLIN},
                           {.fd = s->event, .events = POLLIN}};
    int64_t due = record_due(s), left = due - monotonic_ns();
    struct timespec t;

    left = left > 0 ? left : 0;
    t = (struct timespec){.tv_sec = (time_t)(left / 1000000000),
                          .tv_nsec = (long)(left % 1000000000)};
    ppoll(fds, 2, due == INT64_MAX ? NULL : &t, sleeping);
}

static int64_t record_deadline(const struct record_session *s)
{
    const double duration = s->options->duration;

    if (duration <= 0 || s->waiting)
        return INT64_MAX;
    return monotonic_ns() + (int64_t)(duration * 1e9);
}

/* False: the recording ends. */
static bool record_turn(struct record_session *s)
{
    feed_turn(s->feed);
    record_queue_wake(&s->queue);
    if (trigger && !s->waiting && !s->options->quiet)
        record_complain("the trigger changes nothing: messages are written already");
    if (trigger && s->waiting) {
        if (!s->options->quiet)
            record_complain("the trigger came: writing what was kept");
        record_session_trigger(s);
        s->deadline = record_deadline(s);
        if (s->options->once)
            return false;
    }
    trigger = 0;
    return !stop && !s->full && !__atomic_load_n(&s->failed, __ATOMIC_RELAXED) &&
           monotonic_ns() < s->deadline;
}

/* Later channels are recorded, too, so that a name which fits none may be right. */
static void record_absent(const struct record_session *s)
{
    const struct feed_options *o = &s->options->feed;
    size_t i;

    for (i = 0; i < o->npatterns; i++) {
        const char *name = o->patterns[i];

        if (feed_found(s->feed, i))
            continue;
        if (strpbrk(name, "*?["))
            record_complain("no channel matches '%s' yet; waiting for one", name);
        else
            record_complain("there is no %s '%s' yet; waiting for it",
                            strchr(name, ':') ? "device" : "channel", name);
    }
}

static void record_announce(const struct record_session *s)
{
    const struct record_settings *o = s->options;
    char topics[40] = "no topics so far";

    record_absent(s);
    if (s->topics)
        snprintf(topics, sizeof(topics), "%u topic%s", s->topics, s->topics == 1 ? "" : "s");
    if (!s->waiting)
        record_complain("recording %s; Ctrl-C ends", topics);
    else if (strcmp(o->output, "-") == 0)
        record_complain("keeping the last %g s of %s; SIGUSR1 writes them; Ctrl-C ends", o->before,
                        topics);
    else
        record_complain("keeping the last %g s of %s; 'ach record --trigger %s' writes them; "
                        "Ctrl-C ends",
                        o->before, topics, o->output);
}

static void record_loop(struct record_session *s, const sigset_t *sleeping)
{
    int64_t shown = 0;

    s->begun = monotonic_ns();
    s->deadline = record_deadline(s);
    feed_turn(s->feed);
    if (!s->options->quiet)
        record_announce(s);
    while (record_turn(s)) {
        if (record_shows(s->options) && monotonic_ns() - shown >= PROGRESS_NS) {
            record_progress(s);
            shown = monotonic_ns();
        }
        record_sleep(s, sleeping);
    }
}

/* Why the file has no messages although nothing failed; NULL: it has some, or the reason was told. */
static const char *record_nothing(const struct record_session *s)
{
    const struct record_output *o = &s->output;

    if (o->messages || record_lost_total(&o->lost) || o->failed)
        return NULL;
    if (s->waiting)
        return "the trigger did not come";
    if (!s->topics)
        return "there was no channel that could be recorded";
    return "no message came. --held begins with what channels hold";
}

static void record_tell(const struct record_session *s)
{
    const struct record_output *o = &s->output;
    char size[SIZE_TEXT];

    if (s->shortened)
        record_complain("the buffer is too small for the last %g s: the oldest %" PRIu64
                        " messages were forgotten; see --buffer",
                        s->options->before, s->shortened);
    if (o->lost.overwritten)
        record_complain("%" PRIu64 " messages were missed: overwritten before they were read",
                        o->lost.overwritten);
    if (o->lost.dropped)
        record_complain("%" PRIu64 " messages were missed: the disk was too slow for the buffer; "
                        "see --buffer",
                        o->lost.dropped);
    if (o->lost.oversized)
        record_complain("%" PRIu64 " messages were missed: larger than the buffer; see --buffer",
                        o->lost.oversized);
    if (o->lost.unwritten)
        record_complain("%" PRIu64 " messages were read, but could not be written: they are lost",
                        o->lost.unwritten);
    if (s->troubles)
        record_complain("%u channels could not be read, at least for a while: see above",
                        s->troubles);
    if (s->options->quiet)
        return;
    if (record_nothing(s))
        record_complain("nothing was recorded: %s", record_nothing(s));
    record_size(o->bytes, size);
    record_complain("recorded %" PRIu64 " messages, %s, in %.1f s", o->messages, size,
                    (double)(monotonic_ns() - s->begun) / 1e9);
}

/* The thread that writes ends first; then this one finishes the file. */
static bool record_finish(struct record_session *s)
{
    bool ok;

    feed_free(s->feed);
    record_output_ending(&s->output);
    record_queue_end(&s->queue);
    pthread_join(s->writer, NULL);
    ok = record_output_close(&s->output);
    record_tell(s);
    return ok;
}

static bool record_start(struct record_session *s)
{
    const struct record_settings *o = s->options;
    int failed;

    s->waiting = o->before > 0;
    s->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->event < 0 || !record_queue_init(&s->queue, o->buffer, s->waiting)) {
        record_complain("cannot start: %s", strerror(errno));
        return false;
    }
    if (!record_output_open(&s->output, o)) {
        record_output_close(&s->output);
        return false;
    }
    s->feed = feed_new(&o->feed, &record_session_events, s);
    failed = s->feed ? pthread_create(&s->writer, NULL, record_session_write, s) : errno;
    if (failed) {
        record_complain("cannot start: %s", strerror(failed));
        feed_free(s->feed);
        record_output_close(&s->output);
    }
    return !failed;
}

/*
 * A FIFO is opened when a reader opens it, and a signal ends the wait. The descriptor keeps the reader until the output
 * is open. -1: it is no FIFO, or the output will fail, too.
 */
static int record_await_reader(const struct record_settings *o)
{
    int fd;

    if (!record_is_fifo(o->output))
        return -1;
    fd = open(o->output, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 || errno != ENXIO)
        return fd;
    if (!o->quiet)
        record_complain("waiting for a reader of '%s'", o->output);
    return open(o->output, O_WRONLY | O_CLOEXEC);
}

int record_run(const struct record_settings *options)
{
    struct record_session s = {.options = options, .deadline = INT64_MAX};
    sigset_t sleeping;
    bool ok;
    int fifo;

    if (!record_attach_check(options))
        return 1;
    fifo = record_await_reader(options);
    record_signals(&sleeping);
    ok = record_start(&s);
    if (fifo >= 0)
        close(fifo);
    if (!ok)
        return 1;
    record_loop(&s, &sleeping);
    ok = record_finish(&s);
    record_queue_finish(&s.queue);
    close(s.event);
    return ok ? 0 : 1;
}
