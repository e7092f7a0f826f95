/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

static bool is_special(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

bool whole_file_open(struct whole_file *w, const char *path)
{
    int fd;

    *w = (struct whole_file){.path = path};
    if (is_special(path)) {
        w->f = fopen(path, "w");
        return w->f != NULL;
    }
    if (snprintf(w->draft, sizeof(w->draft), "%s.XXXXXX", path) >= (int)sizeof(w->draft)) {
        errno = ENAMETOOLONG;
        return false;
    }
    fd = mkostemp(w->draft, O_CLOEXEC);
    if (fd < 0)
        return false;
    fchmod(fd, 0644);
    w->f = fdopen(fd, "w");
    return w->f != NULL;
}

bool whole_file_close(struct whole_file *w)
{
    bool ok = !ferror(w->f);

    ok = fclose(w->f) == 0 && ok;
    w->f = NULL;
    if (ok && w->draft[0])
        ok = rename(w->draft, w->path) == 0;
    if (!ok)
        whole_file_drop(w);
    return ok;
}

void whole_file_drop(struct whole_file *w)
{
    int saved = errno;

    if (w->f)
        fclose(w->f);
    if (w->draft[0])
        unlink(w->draft);
    errno = saved;
}
