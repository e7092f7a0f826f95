/* SPDX-License-Identifier: BSD-3-Clause */
#include "user.h"

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Users are cached: the database may be remote, and a client may cause many look-ups. */
#define KEEP_SECONDS 10
#define KEEP_USERS 8u

#define PASSWD_MAX (1u << 20)

static struct {
    struct dev_user user;
    time_t until;
} kept[KEEP_USERS];
static unsigned next_kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static time_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static bool remember(uid_t uid, struct dev_user *user)
{
    bool found = false;
    unsigned i;

    pthread_mutex_lock(&lock);
    for (i = 0; i < KEEP_USERS && !found; i++)
        if (kept[i].until > now() && kept[i].user.uid == uid) {
            *user = kept[i].user;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep(const struct dev_user *user)
{
    pthread_mutex_lock(&lock);
    kept[next_kept].user = *user;
    kept[next_kept].until = now() + KEEP_SECONDS;
    next_kept = (next_kept + 1) % KEEP_USERS;
    pthread_mutex_unlock(&lock);
}

static void look_up(uid_t uid, struct dev_user *user)
{
    struct passwd entry, *found = NULL;
    size_t size = 1024;
    char *buffer = NULL;
    int error = ERANGE;

    while (error == ERANGE && size <= PASSWD_MAX) {
        free(buffer);
        size *= 2;
        buffer = malloc(size);
        error = buffer ? getpwuid_r(uid, &entry, buffer, size, &found) : ENOMEM;
    }
    user->count = DEV_USER_GROUPS;
    user->known = !error && found &&
                  getgrouplist(entry.pw_name, entry.pw_gid, user->groups, &user->count) >= 0;
    if (!user->known)
        user->count = 0;
    free(buffer);
}

void dev_user_find(uid_t uid, struct dev_user *user)
{
    if (remember(uid, user))
        return;
    user->uid = uid;
    look_up(uid, user);
    keep(user);
}

bool dev_user_in(const struct dev_user *user, gid_t group)
{
    int i;

    for (i = 0; i < user->count; i++)
        if (user->groups[i] == group)
            return true;
    return false;
}
