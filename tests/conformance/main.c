/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - run the tests on one kind of channel
 *
 * conformance BACKEND [TEST...] runs all tests or some; --list names them.
 */
#include "conformance.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

/* A virtual machine on a busy host may need a minute for what usually takes a second. */
#define TEST_LIMIT_MS check_time(150000)
#define CLOSE_TRIES 1000

extern const struct theme create_theme, open_theme, put_theme, get_theme, sizes_theme, wait_theme,
    cancel_theme, many_theme, evhandle_theme, reserve_theme, view_theme, info_theme, text_theme,
    access_theme, source_theme, process_theme, kill_theme, file_theme, argument_theme,
    replace_theme, lock_theme, ready_theme, ready_life_theme, mixed_theme, period_theme, type_theme,
    anticipate_theme;

static const struct theme *const themes[] = {
    &create_theme,  &open_theme, &replace_theme,  &file_theme,   &put_theme,        &get_theme,
    &sizes_theme,   &lock_theme, &wait_theme,     &cancel_theme, &many_theme,       &evhandle_theme,
    &reserve_theme, &view_theme, &info_theme,     &text_theme,   &access_theme,     &source_theme,
    &process_theme, &kill_theme, &argument_theme, &ready_theme,  &ready_life_theme, &mixed_theme,
    &period_theme,  &type_theme, &anticipate_theme,
};

#define THEMES (sizeof(themes) / sizeof(themes[0]))

/*
 * The default options of AddressSanitizer. Leak detection takes a second or more
 * at the end of every process, and there are hundreds; ASAN_OPTIONS can switch
 * it on. When a canceled thread ends, clang 14 on x86-64 takes the frames that were
 * not left by a return for live ones, and reports its own call of sigaltstack.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:use_sigaltstack=0";
}

static struct {
    unsigned passed, failed, skipped;
} counts;

/* Channels that existed before the tests: they do not count as left behind. */
static struct {
    char names[256][ACH_CHAN_NAME_MAX];
    size_t n;
} others;

static enum ach_status note_other(void *cx, const char *name, enum ach_map map)
{
    (void)cx;
    (void)map;
    if (others.n < sizeof(others.names) / sizeof(others.names[0]))
        strcpy(others.names[others.n++], name);
    return ACH_OK;
}

static bool is_other(const char *name)
{
    size_t i;

    for (i = 0; i < others.n; i++)
        if (strcmp(others.names[i], name) == 0)
            return true;
    return false;
}

static enum ach_status count_one(void *cx, const char *name, enum ach_map map)
{
    if (is_other(name) || (map == ACH_MAP_KERNEL && backend->map != map))
        return ACH_OK;
    fprintf(stderr, "channel left behind: %s\n", name);
    ++*(int *)cx;
    return ach_unlink(name);
}

/*
 * Run a test, in its own process. The thread of a virtual timer closes its descriptor shortly
 * after the test.
 */
static int run_here(const struct theme *theme, const struct test *test)
{
    unsigned before = open_descriptors(), after;
    int left = 0, tries;

    test->run();
    for (tries = 0; (after = open_descriptors()) != before && tries < CLOSE_TRIES; tries++)
        check_sleep_ms(1);
    if (after != before) {
        fprintf(stderr, "%u descriptors were open before, %u are now\n", before, after);
        left++;
    }
    return *theme->failures || left;
}

static void end_group(pid_t pid)
{
    int status;

    kill(-pid, SIGKILL);
    while (waitpid(-pid, &status, 0) > 0 || errno == EINTR)
        ;
}

/* Wait for the test. Its exit status, or -1 if it did not end well or in time. */
static int wait_for(pid_t pid)
{
    uint64_t end = check_now_ns() + TEST_LIMIT_MS * UINT64_C(1000000);
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (check_now_ns() > end) {
            fprintf(stderr, "time limit\n");
            end_group(pid);
            return -1;
        }
        check_sleep_ms(1);
    }
    kill(-pid, SIGKILL);
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Run a test in a process group of its own. A skipped test prints the reason on stdout. */
static int run_apart(const struct theme *theme, const struct test *test, char *why, size_t size)
{
    FILE *out = tmpfile();
    int status, left = 0;
    pid_t pid;

    REQUIRE(out != NULL);
    fflush(NULL);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        setpgid(0, 0);
        dup2(fileno(out), STDOUT_FILENO);
        exit(run_here(theme, test));
    }
    setpgid(pid, pid);
    status = wait_for(pid);
    rewind(out);
    if (!fgets(why, (int)size, out))
        why[0] = '\0';
    fclose(out);
    ach_list(count_one, &left);
    return left && status == 0 ? -1 : status;
}

static void run_test(const struct theme *theme, const struct test *test)
{
    char why[256];
    int status;

    if (!(test->backends & backend->bit)) {
        printf("skip %s: %s\n", test->name, test->why_not);
        counts.skipped++;
        return;
    }
    status = run_apart(theme, test, why, sizeof(why));
    if (status == 0) {
        printf("ok %s\n", test->name);
        counts.passed++;
    } else if (status == CHECK_SKIPPED) {
        printf("skip %s: %s\n", test->name, why);
        counts.skipped++;
    } else {
        printf("FAIL %s\n", test->name);
        counts.failed++;
    }
    fflush(stdout);
}

static bool wanted(const struct test *test, char **names)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (strcmp(*names, test->name) == 0)
            return true;
    return false;
}

static void for_all(void (*fun)(const struct theme *, const struct test *), char **names)
{
    size_t i, j;

    for (i = 0; i < THEMES; i++)
        for (j = 0; j < themes[i]->n; j++)
            if (wanted(&themes[i]->tests[j], names))
                fun(themes[i], &themes[i]->tests[j]);
}

static void list_test(const struct theme *theme, const struct test *test)
{
    size_t i;

    (void)theme;
    printf("%s:", test->name);
    for (i = 0; i < sizeof(backends) / sizeof(backends[0]); i++)
        if (test->backends & backends[i].bit)
            printf(" %s", backends[i].name);
    printf("\n");
}

static const struct backend *backend_named(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(backends) / sizeof(backends[0]); i++)
        if (strcmp(backends[i].name, name) == 0)
            return &backends[i];
    return NULL;
}

static int usage(void)
{
    fprintf(stderr, "usage: conformance --list | conformance user|heap|kernel [TEST...]\n");
    return 2;
}

int main(int argc, char **argv)
{
    char *all[] = {NULL};

    if (argc < 2)
        return usage();
    if (strcmp(argv[1], "--list") == 0) {
        for_all(list_test, all);
        return 0;
    }
    backend = backend_named(argv[1]);
    if (!backend)
        return usage();
    if (!backend->present())
        check_skip("this system has no such channels");
    ach_list(note_other, NULL);
    for_all(run_test, argv + 2);
    printf("%s: %u passed, %u failed, %u skipped\n", backend->name, counts.passed, counts.failed,
           counts.skipped);
    return counts.failed || !(counts.passed + counts.skipped);
}
