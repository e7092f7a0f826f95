/* SPDX-License-Identifier: BSD-3-Clause */
/* A robot of that time: a daemon and a controller share a reference and a state. */
#include "ach2.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#define JOINTS 40
#define REF_NAME "robot-ref"
#define STATE_NAME "robot-state"

typedef struct {
    double ref[JOINTS];
    int16_t mode[JOINTS];
} robot_ref_t;

typedef struct {
    double pos[JOINTS];
    double time;
} robot_state_t;

static ach_channel_t chan_ref, chan_state;

/* Follows the newest reference, and tells the state. */
static void daemon_loop(void)
{
    robot_ref_t H_ref;
    robot_state_t H_state;
    size_t fs;
    int r, i;

    memset(&H_ref, 0, sizeof(H_ref));
    memset(&H_state, 0, sizeof(H_state));
    r = ach_open(&chan_ref, REF_NAME, NULL);
    assert(ACH_OK == r);
    r = ach_open(&chan_state, STATE_NAME, NULL);
    assert(ACH_OK == r);
    for (;;) {
        r = ach_get(&chan_ref, &H_ref, sizeof(H_ref), &fs, NULL, ACH_O_LAST);
        if (r != ACH_OK && r != ACH_MISSED_FRAME && r != ACH_STALE_FRAMES) {
            printf("daemon: %s\n", ach_result_to_string((ach_status_t)r));
            exit(EXIT_FAILURE);
        }
        if (r != ACH_STALE_FRAMES)
            assert(sizeof(H_ref) == fs);
        for (i = 0; i < JOINTS; i++)
            H_state.pos[i] += 0.5 * (H_ref.ref[i] - H_state.pos[i]);
        H_state.time += 0.005;
        r = ach_put(&chan_state, &H_state, sizeof(H_state));
        if (r != ACH_OK)
            exit(EXIT_FAILURE);
        usleep(1000);
    }
}

static double reach(double target)
{
    robot_ref_t H_ref;
    robot_state_t H_state;
    size_t fs;
    int r, tries;

    memset(&H_ref, 0, sizeof(H_ref));
    memset(&H_state, 0, sizeof(H_state));
    ach_flush(&chan_state);
    for (tries = 0; tries < 100000 && fabs(H_state.pos[7] - target) > 0.01; tries++) {
        H_ref.ref[7] = target;
        ach_put(&chan_ref, &H_ref, sizeof(H_ref));
        r = ach_get(&chan_state, &H_state, sizeof(H_state), &fs, NULL, ACH_O_WAIT | ACH_O_LAST);
        CHECK((ACH_OK == r || ACH_MISSED_FRAME == r) && fs == sizeof(H_state));
    }
    return H_state.pos[7];
}

int main(void)
{
    ach_create_attr_t attr;
    int status;
    pid_t pid;

    ach_create_attr_init(&attr);
    attr.truncate = 1;
    CHECK(ach_create(REF_NAME, 10, sizeof(robot_ref_t), &attr) == ACH_OK);
    CHECK(ach_create(STATE_NAME, 10, sizeof(robot_state_t), &attr) == ACH_OK);
    pid = fork();
    if (pid == 0)
        daemon_loop();
    CHECK(pid > 0);
    CHECK(ach_open(&chan_ref, REF_NAME, NULL) == ACH_OK);
    CHECK(ach_open(&chan_state, STATE_NAME, NULL) == ACH_OK);
    CHECK(fabs(reach(1.0) - 1.0) < 0.02);
    CHECK(fabs(reach(-0.3) + 0.3) < 0.02);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);
    CHECK(ach_put(&chan_ref, "x", 1) == ACH_OK); /* whatever the daemon was doing */
    ach_close(&chan_ref);
    ach_close(&chan_state);
    CHECK(ach_unlink(REF_NAME) == ACH_OK && ach_unlink(STATE_NAME) == ACH_OK);
    return 0;
}
