/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sine CHANNEL AMPLITUDE FREQUENCY RATE
 *
 * Put a sine into a channel of {float64 time, float64 value}. Each message has the time that the value is of,
 * so that a reader can check it however late it was put.
 */
#include <ach.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static enum ach_status put(ach_channel_t *chan, double amplitude, double frequency)
{
    const double time = now();
    const double message[] = {time, amplitude * sin(2 * M_PI * frequency * time)};

    return ach_put(chan, message, sizeof(message));
}

int main(int argc, char **argv)
{
    struct timespec pause = {0, 0};
    ach_channel_t chan;

    if (argc != 5)
        return 2;
    signal(SIGTERM, end);
    if (ach_open(&chan, argv[1], NULL) != ACH_OK) {
        fprintf(stderr, "sine: %s\n", ach_errstr());
        return 1;
    }
    pause.tv_nsec = (long)(1e9 / atof(argv[4]));
    while (!ended && put(&chan, atof(argv[2]), atof(argv[3])) == ACH_OK)
        nanosleep(&pause, NULL);
    return ach_close(&chan) == ACH_OK ? 0 : 1;
}
