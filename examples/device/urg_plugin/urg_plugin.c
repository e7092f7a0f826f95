/* SPDX-License-Identifier: BSD-3-Clause */
/* urg_plugin.c - the Hokuyo URG laser scanner as a plug-in; ach-driver-urg_laser(7) does more */
#include <ach.h>
#include <ach/driver.h>
#include <ach/interface/laser.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { FIRST = 44, LAST = 725, FRONT = 384, COUNT = LAST - FIRST + 1 };
#define STEP (2 * M_PI / 1024)

struct urg {
    ach_address_t address;
    ach_laser_geom_t geom;
    const char *port;
    FILE *tty;
    float ranges[COUNT];
};

/* The robot is built: read the options. */
static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct urg *u = *state = calloc(1, sizeof(*u));

    if (!u || ach_driver_provide(driver, ACH_LASER_CODE, NULL, &u->address) != ACH_OK) {
        free(u);
        return ach_errstr_set(ACH_EINVAL, "no laser to provide, or no memory");
    }
    u->port = ach_section_string(options, "port", "/dev/ttyACM0");
    u->geom.pose.px = ach_section_tuple_length(options, "pose", 0, 0);
    u->geom.pose.py = ach_section_tuple_length(options, "pose", 1, 0);
    u->geom.pose.pyaw = ach_section_tuple_angle(options, "pose", 2, 0);
    return ACH_OK;
}

static void destroy(ach_driver_t *driver, void *state)
{
    free(state);
}

/* Somebody subscribed: open the device. A read that takes longer than a second ends. */
static ach_status_t setup(ach_driver_t *driver, void *state)
{
    struct urg *u = state;
    struct termios t;
    int fd = open(u->port, O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (fd < 0 || tcgetattr(fd, &t) != 0 || !(u->tty = fdopen(fd, "r+"))) {
        close(fd);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "%s is no serial line", u->port);
    }
    cfmakeraw(&t);
    t.c_cc[VMIN] = 0;
    t.c_cc[VTIME] = 10;
    tcsetattr(fd, TCSANOW, &t);
    setvbuf(u->tty, NULL, _IONBF, 0);
    fputs("BM\n", u->tty);
    return ACH_OK;
}

static void shut_down(ach_driver_t *driver, void *state)
{
    fclose(((struct urg *)state)->tty);
}

/* A message came: say where the laser is. */
static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    struct urg *u = state;

    if (ach_message_is(message, &u->address, ACH_MSG_REQ, ACH_LASER_REQ_GET_GEOM))
        return ach_driver_reply(driver, message, ACH_MSG_ACK, &u->geom);
    return ACH_ENOTSUP;
}

/* Wait for a scan: lines of 64 characters and a checksum, three characters for each range. */
static int read_scan(struct urg *u)
{
    char line[80], data[3 * COUNT + sizeof(line)];
    size_t n = 0, i, lines = 0;

    clearerr(u->tty);
    fprintf(u->tty, "GD%04d%04d01\n", FIRST, LAST);
    fflush(u->tty);
    while (fgets(line, sizeof(line), u->tty) && strncmp(line, "GD", 2) != 0)
        ;
    while (n < 3 * COUNT && fgets(line, sizeof(line), u->tty) && strlen(line) > 2)
        if (++lines > 2) { /* behind the status and the time */
            memcpy(data + n, line, strlen(line) - 2);
            n += strlen(line) - 2;
        }
    for (i = 0; i < COUNT && n == 3 * COUNT; i++) {
        int mm = (data[3 * i] - 48) * 4096 + (data[3 * i + 1] - 48) * 64 + data[3 * i + 2] - 48;

        u->ranges[i] = (float)(mm < 20 ? 4095 : mm) / 1000;
    }
    return n == 3 * COUNT;
}

/* Process messages, read the device, publish. */
static void run(ach_driver_t *driver, void *state)
{
    struct urg *u = state;
    ach_laser_data_t data = {
        (FIRST - FRONT) * STEP, (LAST - FRONT) * STEP, STEP, 4.095, COUNT, u->ranges, 0, NULL, 0};

    for (; ach_driver_wait(driver, 0) && !ferror(u->tty); data.id++) /* lost: set up again later */
        if (read_scan(u))
            ach_driver_publish(driver, &u->address, ACH_LASER_DATA_SCAN, &data);
}

static const ach_driver_class_t urg = {
    ACH_DRIVER_VERSION, 0, "urg_plugin", create, destroy, setup, shut_down, process, run};
ACH_DRIVER_PLUGIN(&urg)
