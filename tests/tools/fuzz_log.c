/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_log.c - reading arbitrary bytes as a log does no harm
 *
 * The property for a fuzzer, and for log_distrust.c, which feeds it damaged logs.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
    if (!ok)
        abort();
}

static void touch(const struct log_message *msg)
{
    const unsigned char *p = msg->data;
    volatile unsigned char sum = 0;
    size_t i;

    for (i = 0; i < msg->size; i++)
        sum = (unsigned char)(sum + p[i]);
}

/* The buffer stays in proportion to the bytes read, whatever sizes the log claims. */
static bool frugal(const struct log_reader *r)
{
    return r->room <= 2 * r->offset + STREAM_BUFFER;
}

static void read_log(struct log_reader *r, int fd)
{
    enum log_result result = log_reader_init(r, fd);
    struct log_message msg;
    int64_t realtime_ns;

    if (result == LOG_OK)
        require(strlen(r->info.channel) < ACH_CHAN_NAME_MAX);
    while (result == LOG_OK && (result = log_reader_next(r, &msg)) == LOG_OK) {
        touch(&msg);
        log_realtime(&r->info, msg.time_ns, &realtime_ns);
        require(frugal(r));
    }
    require(frugal(r));
    require((result == LOG_BAD) == (r->error[0] != '\0'));
    log_reader_finish(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct log_reader *r = malloc(sizeof(*r));
    int fd = memfd_create("log", MFD_CLOEXEC);

    require(r && fd >= 0 && write(fd, data, size) == (ssize_t)size);
    lseek(fd, 0, SEEK_SET);
    read_log(r, fd);
    close(fd);
    free(r);
    return 0;
}
