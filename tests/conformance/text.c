/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c - values of public constants, status names, error texts, dumps */
#include <ach/experimental.h>

#include "conformance.h"

static const struct {
    enum ach_status status;
    int number;
    const char *name;
    ach_mask_t mask;
} statuses[] = {
    {ACH_OK, 0, "ACH_OK", ACH_MASK_OK},
    {ACH_OVERFLOW, 1, "ACH_OVERFLOW", ACH_MASK_OVERFLOW},
    {ACH_INVALID_NAME, 2, "ACH_INVALID_NAME", ACH_MASK_INVALID_NAME},
    {ACH_BAD_SHM_FILE, 3, "ACH_BAD_SHM_FILE", ACH_MASK_BAD_SHM_FILE},
    {ACH_FAILED_SYSCALL, 4, "ACH_FAILED_SYSCALL", ACH_MASK_FAILED_SYSCALL},
    {ACH_EAGAIN, 5, "ACH_EAGAIN", ACH_MASK_EAGAIN},
    {ACH_STALE_FRAMES, 5, "ACH_EAGAIN", ACH_MASK_STALE_FRAMES},
    {ACH_LOCKED, 5, "ACH_EAGAIN", ACH_MASK_LOCKED},
    {ACH_MISSED_FRAME, 6, "ACH_MISSED_FRAME", ACH_MASK_MISSED_FRAME},
    {ACH_TIMEOUT, 7, "ACH_TIMEOUT", ACH_MASK_TIMEOUT},
    {ACH_EEXIST, 8, "ACH_EEXIST", ACH_MASK_EEXIST},
    {ACH_ENOENT, 9, "ACH_ENOENT", ACH_MASK_ENOENT},
    {ACH_CLOSED, 10, "ACH_CLOSED", ACH_MASK_CLOSED},
    {ACH_BUG, 11, "ACH_BUG", ACH_MASK_BUG},
    {ACH_EINVAL, 12, "ACH_EINVAL", ACH_MASK_EINVAL},
    {ACH_CORRUPT, 13, "ACH_CORRUPT", ACH_MASK_CORRUPT},
    {ACH_BAD_HEADER, 14, "ACH_BAD_HEADER", ACH_MASK_BAD_HEADER},
    {ACH_EACCES, 15, "ACH_EACCES", ACH_MASK_EACCES},
    {ACH_CANCELED, 16, "ACH_CANCELED", ACH_MASK_CANCELED},
    {ACH_EFAULT, 17, "ACH_EFAULT", ACH_MASK_EFAULT},
    {ACH_EINTR, 18, "ACH_EINTR", ACH_MASK_EINTR},
    {ACH_ENOTSUP, 19, "ACH_ENOTSUP", ACH_MASK_ENOTSUP},
    {ACH_BAD_TYPE, 20, "ACH_BAD_TYPE", ACH_MASK_BAD_TYPE},
};

static void status_names(void)
{
    size_t i;

    for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        CHECK((int)statuses[i].status == statuses[i].number);
        CHECK(strcmp(ach_result_to_string(statuses[i].status), statuses[i].name) == 0);
    }
    CHECK(ach_result_to_string((ach_status_t)20) != NULL);
    CHECK(ach_result_to_string((ach_status_t)-1) != NULL);
    CHECK(ach_result_to_string((ach_status_t)1000000) != NULL);
}

static void status_masks(void)
{
    size_t i, j;

    for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        CHECK(statuses[i].mask == 1u << statuses[i].number);
        CHECK(ach_status_mask(statuses[i].status) == statuses[i].mask);
        CHECK(ACH_STATUS_MASK(statuses[i].status) == statuses[i].mask);
        CHECK(!ach_status_match(statuses[i].status, ACH_MASK_NONE));
        CHECK(ach_status_match(statuses[i].status, ACH_MASK_ALL));
        for (j = 0; j < sizeof(statuses) / sizeof(statuses[0]); j++)
            CHECK(!ach_status_match(statuses[i].status, statuses[j].mask) ==
                  (statuses[i].number != statuses[j].number));
    }
}

static void numbers(void)
{
    CHECK(ACH_O_NONBLOCK == 0 && ACH_O_FIRST == 0 && ACH_O_ABSTIME == 0);
    CHECK(ACH_O_WAIT == 1 && ACH_O_LAST == 2 && ACH_O_COPY == 4 && ACH_O_RELTIME == 8);
    CHECK(ACH_MAP_DEFAULT == 0 && ACH_MAP_ANON == 1 && ACH_MAP_USER == 2 && ACH_MAP_KERNEL == 3);
    CHECK(ACH_CHAN_NAME_MAX == 64 && ACH_DEFAULT_CLOCK == CLOCK_MONOTONIC);
    CHECK(ACH_DEFAULT_FRAME_COUNT == 16 && ACH_DEFAULT_FRAME_SIZE == 512);
    CHECK(ACH_EV_O_PERIODIC_TIMEOUT == 1 && ACH_EV_O_PERIODIC_INPUT == 2);
    CHECK(ACH_MASK_NONE == 0 && ACH_MASK_ALL == 0xffffffffu);
    CHECK(sizeof(ach_channel_t) == 128 && sizeof(ach_attr_t) == 64);
    CHECK(sizeof(ach_create_attr_t) == 128 && sizeof(ach_cancel_attr_t) == 64);
    CHECK(sizeof(ach_info_t) == 256);
}

static void *error_thread(void *cx)
{
    *(bool *)cx = ach_errstr()[0] == '\0';
    return NULL;
}

/* ach_errstr contains the channel's name, and each thread has its own text. */
static void error_text(void)
{
    ach_channel_t chan;
    bool other_empty = false;
    pthread_t thread;
    char text[512], path[PATH_SIZE];

    CHECK(ach_errstr()[0] == '\0');
    CHECK_STATUS(ach_open(&chan, "nobody", NULL), ACH_ENOENT);
    CHECK_OK(ach_channel_path("nobody", path, sizeof(path)));
    CHECK(strstr(ach_errstr(), "nobody") && strstr(ach_errstr(), path));
    REQUIRE(pthread_create(&thread, NULL, error_thread, &other_empty) == 0);
    pthread_join(thread, NULL);
    CHECK(other_empty);
    snprintf(text, sizeof(text), "%s", ach_errstr());
    make(4, 64);
    remove_it();
    CHECK(strcmp(text, ach_errstr()) == 0);
    CHECK_STATUS(ach_unlink("other"), ACH_ENOENT);
    CHECK(strstr(ach_errstr(), "other"));
    CHECK_STATUS(ach_wait(NULL, 1, NULL, 0), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "ach_wait"));
}

/* Long names, and names with format characters, do not break the text. */
static void error_text_long(void)
{
    char name[5000];
    ach_channel_t chan;

    memset(name, '%', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CHECK_STATUS(ach_open(&chan, name, NULL), ACH_INVALID_NAME);
    CHECK(ach_errstr()[0] != '\0' && strlen(ach_errstr()) < 1000);
    CHECK_STATUS(ach_open(&chan, "a%s%n", NULL), ACH_INVALID_NAME);
    CHECK(strstr(ach_errstr(), "a%s%n"));
}

static void dump(void)
{
    FILE *out = tmpfile();
    int saved = dup(STDERR_FILENO);
    ach_channel_t chan;
    char text[4096];
    size_t n;

    REQUIRE(out && saved >= 0);
    make(5, 123);
    open_it(&chan);
    fflush(stderr);
    dup2(fileno(out), STDERR_FILENO);
    ach_dump(chan.shm);
    ach_dump(NULL);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(out);
    n = fread(text, 1, sizeof(text) - 1, out);
    text[n] = '\0';
    CHECK(strstr(text, "123") != NULL);
    fclose(out);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static const struct test tests[] = {
    {"text-status-names", status_names, ALL, NULL},
    {"text-status-masks", status_masks, ALL, NULL},
    {"text-numbers", numbers, ALL, NULL},
    {"text-error", error_text, ALL, NULL},
    {"text-error-long", error_text_long, ALL, NULL},
    {"text-dump", dump, ALL, NULL},
};
THEME(text_theme, tests);
