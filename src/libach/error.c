/* SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __thread char text[384];

const char *ach_errstr(void)
{
    return text;
}

ach_status_t ach_errstr_set(ach_status_t status, const char *format, ...)
{
    char sentence[sizeof(text)]; /* the arguments may point into text */
    int saved = errno;
    va_list ap;

    va_start(ap, format);
    vsnprintf(sentence, sizeof(sentence), format, ap);
    va_end(ap);
    memcpy(text, sentence, sizeof(text));
    errno = saved;
    return status;
}

static enum ach_status status_of_errno(int e)
{
    switch (e) {
    case EEXIST:
        return ACH_EEXIST;
    case ENOENT:
        return ACH_ENOENT;
    case EACCES:
    case EPERM:
    case EROFS:
        return ACH_EACCES;
    default:
        return ACH_FAILED_SYSCALL;
    }
}

enum ach_status achi_fail_errno(const char *format, ...)
{
    int saved = errno;
    size_t used;
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    used = strlen(text);
    snprintf(text + used, sizeof(text) - used, ": %s", strerror(saved));
    errno = saved;
    return status_of_errno(saved);
}

const char *ach_result_to_string(ach_status_t status)
{
    static const char *const names[] = {
        [ACH_OK] = "ACH_OK",
        [ACH_OVERFLOW] = "ACH_OVERFLOW",
        [ACH_INVALID_NAME] = "ACH_INVALID_NAME",
        [ACH_BAD_SHM_FILE] = "ACH_BAD_SHM_FILE",
        [ACH_FAILED_SYSCALL] = "ACH_FAILED_SYSCALL",
        [ACH_EAGAIN] = "ACH_EAGAIN",
        [ACH_MISSED_FRAME] = "ACH_MISSED_FRAME",
        [ACH_TIMEOUT] = "ACH_TIMEOUT",
        [ACH_EEXIST] = "ACH_EEXIST",
        [ACH_ENOENT] = "ACH_ENOENT",
        [ACH_CLOSED] = "ACH_CLOSED",
        [ACH_BUG] = "ACH_BUG",
        [ACH_EINVAL] = "ACH_EINVAL",
        [ACH_CORRUPT] = "ACH_CORRUPT",
        [ACH_BAD_HEADER] = "ACH_BAD_HEADER",
        [ACH_EACCES] = "ACH_EACCES",
        [ACH_CANCELED] = "ACH_CANCELED",
        [ACH_EFAULT] = "ACH_EFAULT",
        [ACH_EINTR] = "ACH_EINTR",
        [ACH_ENOTSUP] = "ACH_ENOTSUP",
        [ACH_BAD_TYPE] = "ACH_BAD_TYPE",
    };

    if ((unsigned)status >= sizeof(names) / sizeof(names[0]))
        return "UNKNOWN";
    return names[status];
}
