/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * truncated.c - files that are cut short under their mappings, with ach_handle_sigbus
 *
 * Every call on such a channel returns, with ACH_CORRUPT unless it touched no lost memory; other
 * channels keep working; and faults elsewhere end the process, or call its own handler.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>

#include "check.h"
#include "layout.h"

#define CHAN "truncated"
#define OTHER "truncated-not"
#define LARGE 1000u /* more than fits into an entry */

/* Where the file ends afterwards: at 0, after the header, after the entries. */
enum cut { ALL, HEADER, ENTRIES, CUTS };

static const char text[] = "hello";
static char large[LARGE];

static void make(const char *name, bool single)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    ach_create_attr_set_single_writer(&attr, single);
    REQUIRE_OK(ach_create(name, 16, LARGE, &attr));
}

static void open_it(ach_channel_t *chan, const char *name, bool readonly, bool source)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, readonly);
    ach_attr_set_lock_source(&attr, source);
    REQUIRE_OK(ach_open(chan, name, &attr));
}

static void cut_path(const char *path, enum cut how)
{
    struct ach_header hdr;
    int fd = open(path, O_RDWR);

    REQUIRE(fd >= 0);
    if (how == ENTRIES)
        REQUIRE(pread(fd, &hdr, sizeof(hdr), 0) == (ssize_t)sizeof(hdr));
    REQUIRE(ftruncate(fd, how == ALL      ? 0
                          : how == HEADER ? (off_t)ACHI_HEADER_SIZE
                                          : (off_t)hdr.data_off) == 0);
    close(fd);
}

static void cut(const char *name, enum cut how)
{
    char path[PATH_MAX];

    REQUIRE_OK(ach_channel_path(name, path, sizeof(path)));
    cut_path(path, how);
}

static void end(ach_channel_t *chan, const char *name)
{
    CHECK_OK(ach_close(chan));
    CHECK_OK(ach_unlink(name));
}

/* Gets on a file that was cut when a message, small or large (big), was unread. */
static void gets(enum cut how, bool readonly, bool big)
{
    ach_channel_t chan, writer;
    char buf[LARGE];
    ach_info_t info;
    size_t n;

    make(CHAN, false);
    open_it(&writer, CHAN, false, false);
    open_it(&chan, CHAN, readonly, false);
    CHECK_OK(ach_put(&writer, text, sizeof(text)));
    CHECK_OK(ach_put(&writer, large, big ? sizeof(large) : sizeof(text)));
    CHECK_OK(ach_get(&chan, buf, sizeof(buf), &n, NULL, 0));
    cut(CHAN, how);
    if (how == ENTRIES && !big) { /* all that it touches is still there */
        CHECK_OK(ach_get(&chan, buf, sizeof(buf), &n, NULL, 0));
    } else {
        CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &n, NULL, 0), ACH_CORRUPT);
        CHECK_STATUS(ach_get(&chan, buf, sizeof(buf), &n, NULL, ACH_O_LAST | ACH_O_COPY),
                     ACH_CORRUPT);
        CHECK_STATUS(ach_flush(&chan), ACH_CORRUPT);
        CHECK_STATUS(ach_channel_info(&chan, &info), ACH_BAD_SHM_FILE);
    }
    CHECK_OK(ach_close(&writer));
    end(&chan, CHAN);
}

static void puts_into(enum cut how, size_t size)
{
    ach_channel_t chan;

    make(CHAN, false);
    open_it(&chan, CHAN, false, false);
    CHECK_OK(ach_put(&chan, large, size));
    cut(CHAN, how);
    if (how == ENTRIES && size <= ACHI_INLINE_MAX) {
        CHECK_OK(ach_put(&chan, large, size));
    } else {
        /* The first put may succeed if the fault came after its locking; its message is lost. */
        ach_put(&chan, large, size);
        CHECK_STATUS(ach_put(&chan, large, size), ACH_CORRUPT);
        CHECK_STATUS(ach_put(&chan, text, sizeof(text)), ACH_CORRUPT);
    }
    end(&chan, CHAN);
}

/* The program itself touches the memory: what it views, and what it has reserved. */
static void in_place(void)
{
    ach_channel_t chan;
    const void *seen;
    void *room;
    size_t n;

    make(CHAN, true);
    open_it(&chan, CHAN, false, true);
    CHECK_OK(ach_put(&chan, large, sizeof(large)));
    CHECK_OK(ach_reserve(&chan, sizeof(large), &room));
    cut(CHAN, ALL);
    memset(room, 1, sizeof(large));
    CHECK_STATUS(ach_commit(&chan, sizeof(large)), ACH_CORRUPT);
    end(&chan, CHAN);

    make(CHAN, false);
    open_it(&chan, CHAN, false, false);
    CHECK_OK(ach_put(&chan, large, sizeof(large)));
    CHECK_OK(ach_view(&chan, &seen, &n, NULL, 0));
    cut(CHAN, ALL);
    CHECK(memchr(seen, 1, n) == NULL);
    CHECK(ach_view_check(&chan) != ACH_OK);
    end(&chan, CHAN);
}

struct waiter {
    pthread_t thread;
    ach_channel_t chan;
    enum ach_status status;
};

static void *wait_for_message(void *cx)
{
    struct waiter *w = cx;
    char buf[LARGE];
    size_t n;

    w->status = ach_get(&w->chan, buf, sizeof(buf), &n, NULL, ACH_O_WAIT);
    return NULL;
}

/* Several waiters, asleep or about to sleep: each returns ACH_CORRUPT within about a second. */
static void waits(enum cut how)
{
    struct waiter w[6];
    size_t i, n = sizeof(w) / sizeof(w[0]);

    make(CHAN, false);
    for (i = 0; i < n; i++) {
        open_it(&w[i].chan, CHAN, i % 2, false);
        REQUIRE(pthread_create(&w[i].thread, NULL, wait_for_message, &w[i]) == 0);
    }
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    cut(CHAN, how);
    for (i = 0; i < n; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK_STATUS(w[i].status, ACH_CORRUPT);
        CHECK_OK(ach_close(&w[i].chan));
    }
    CHECK_OK(ach_unlink(CHAN));
}

/* One of the two channels of an ach_wait is cut; the other keeps working. */
static void others_go_on(void)
{
    ach_channel_t chan, other;
    ach_wait_item_t items[2] = {{.chan = &chan}, {.chan = &other}};
    char buf[LARGE];
    size_t n;

    make(CHAN, false);
    make(OTHER, false);
    open_it(&chan, CHAN, false, false);
    open_it(&other, OTHER, false, false);
    cut(CHAN, ALL);
    CHECK_OK(ach_wait(items, 2, NULL, 0));
    CHECK_STATUS(items[0].status, ACH_CORRUPT);
    CHECK_STATUS(items[1].status, ACH_EAGAIN);
    CHECK_OK(ach_put(&other, text, sizeof(text)));
    CHECK_OK(ach_wait(&items[1], 1, NULL, 0));
    CHECK_OK(ach_get(&other, buf, sizeof(buf), &n, NULL, 0));
    end(&other, OTHER);
    end(&chan, CHAN);
}

/* A wake file that is cut short damages the channel for waiters and for writers that wake them. */
static void wake_file(void)
{
    ach_channel_t waiter, writer;
    ach_wait_item_t item = {.chan = &waiter};
    char path[PATH_MAX], buf[LARGE];
    size_t n;

    make(CHAN, false);
    open_it(&waiter, CHAN, false, false);
    open_it(&writer, CHAN, false, false);
    snprintf(path, sizeof(path), "%s/.achshm-%s.wake", getenv("ACH_DIR"), CHAN);
    cut_path(path, ALL);
    CHECK_OK(ach_put(&writer, text, sizeof(text)));
    CHECK_OK(ach_get(&waiter, buf, sizeof(buf), &n, NULL, ACH_O_WAIT));
    CHECK_OK(ach_wait(&item, 1, NULL, 0));
    CHECK_STATUS(item.status, ACH_CORRUPT);
    CHECK_STATUS(ach_get(&waiter, buf, sizeof(buf), &n, NULL, ACH_O_WAIT), ACH_CORRUPT);
    ach_put(&writer, text, sizeof(text)); /* wakes, since the waiter flag is set */
    CHECK_STATUS(ach_put(&writer, text, sizeof(text)), ACH_CORRUPT);
    CHECK_OK(ach_close(&writer));
    end(&waiter, CHAN);
}

/* A mapped page of an empty file, which is no channel. */
static volatile char *no_channel(void)
{
    char path[PATH_MAX];
    void *p;
    int fd;

    snprintf(path, sizeof(path), "%s/empty", getenv("ACH_DIR"));
    fd = open(path, O_RDWR | O_CREAT, 0600);
    REQUIRE(fd >= 0);
    unlink(path);
    p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    REQUIRE(p != MAP_FAILED);
    close(fd);
    return p;
}

/* exit and not _exit, so that the process writes its coverage data. */
static void own_handler(int sig)
{
    (void)sig;
    exit(7);
}

/* The wait status of a process with a SIGBUS that no channel caused. sent: by raise. */
static int elsewhere(void (*handler)(int), bool sent)
{
    int status;
    pid_t pid;

    pid = check_fork();
    if (pid == 0) {
        signal(SIGBUS, handler);
        REQUIRE_OK(ach_handle_sigbus());
        REQUIRE_OK(ach_handle_sigbus());
        if (sent)
            raise(SIGBUS);
        else
            (void)*no_channel();
        exit(0);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    return status;
}

static void faults_elsewhere(void)
{
    int status = elsewhere(own_handler, false);

    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    status = elsewhere(SIG_DFL, false);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    status = elsewhere(SIG_IGN, false);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    status = elsewhere(SIG_DFL, true);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    status = elsewhere(SIG_IGN, true);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    enum cut how;

    memset(large, 1, sizeof(large));
    faults_elsewhere();
    REQUIRE_OK(ach_handle_sigbus());
    for (how = ALL; how < CUTS; how++) {
        gets(how, false, false);
        gets(how, true, false);
        gets(how, false, true);
        gets(how, true, true);
        puts_into(how, sizeof(text));
        puts_into(how, sizeof(large));
    }
    in_place();
    waits(ALL);
    waits(HEADER);
    others_go_on();
    wake_file();
    return check_result();
}
