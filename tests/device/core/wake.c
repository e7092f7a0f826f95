/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver that polls its descriptor is woken by a command that arrives during processing. */
#include <ach/interface/position2d.h>
#include <poll.h>

#include "rig.h"

static unsigned seen, let;

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_address_t address;

    (void)options;
    *state = NULL;
    return ach_driver_provide(driver, ACH_POSITION2D_CODE, NULL, &address);
}

/* Each call returns only when the test has released its message by let_go. */
static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    unsigned mine = __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST);

    (void)driver;
    (void)state;
    (void)message;
    while (__atomic_load_n(&let, __ATOMIC_SEQ_CST) < mine)
        check_sleep_ms(1);
    return ACH_OK;
}

static void run(ach_driver_t *driver, void *state)
{
    struct pollfd p = {.fd = ach_driver_fd(driver), .events = POLLIN};

    (void)state;
    while (ach_driver_wait(driver, 0))
        poll(&p, 1, -1);
}

static const ach_driver_class_t polling = {
    .version = ACH_DRIVER_VERSION,
    .name = "polling",
    .create = create,
    .process = process,
    .main = run,
};

static bool has_seen(unsigned n)
{
    return __atomic_load_n(&seen, __ATOMIC_SEQ_CST) == n;
}

static void let_go(unsigned n)
{
    __atomic_store_n(&let, n, __ATOMIC_SEQ_CST);
}

int main(void)
{
    const ach_position2d_cmd_vel_t stop = {0};
    struct rig *rig = rig_create(false);
    struct ear *ear;

    rig_add(rig, &polling);
    REQUIRE_OK(rig_load(rig, "driver (name \"polling\" provides [\"position2d:0\"])"));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    ear = ear_open(rig, "position2d:0");
    CHECK_OK(ear_command(ear, ACH_POSITION2D_CMD_VEL, &stop));
    EVENTUALLY(has_seen(1));
    CHECK_OK(ear_command(ear, ACH_POSITION2D_CMD_VEL, &stop));
    CHECK_OK(ear_command(ear, ACH_POSITION2D_CMD_VEL, &stop));
    let_go(1);
    EVENTUALLY(has_seen(2));
    /* One message is in process and one is queued, so the queue is not empty for this one. */
    CHECK_OK(ear_command(ear, ACH_POSITION2D_CMD_VEL, &stop));
    let_go(100);
    EVENTUALLY(has_seen(4));
    ear_close(ear);
    rig_end(rig);
    return check_result();
}
