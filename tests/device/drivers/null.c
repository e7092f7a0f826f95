/* SPDX-License-Identifier: BSD-3-Clause */
/* null.c - a null device accepts commands, refuses requests and publishes nothing */
#include <ach/interface/position2d.h>

#include "rig.h"

int main(void)
{
    struct rig *rig = rig_start("driver (name \"null\" provides [\"position2d:0\" \"laser:3\"])\n"
                                "driver (name \"null\" provides [\"opaque:0\"]\n"
                                "        requires [\"laser:3\"] alwayson 1)");
    struct ear *ear = ear_open(rig, "position2d:0");
    ach_position2d_cmd_vel_t vel = {.vel = {1, 2, 3}, .state = 1};

    CHECK_OK(ear_command(ear, ACH_POSITION2D_CMD_VEL, &vel));
    CHECK(!ear_acked(ear, ACH_POSITION2D_REQ_GET_GEOM, NULL));
    CHECK(!ear_next(ear, 0.05));
    CHECK(ach_robot_devices(rig_robot(rig), NULL, 0) == 3);
    ear_close(ear);
    rig_end(rig);
    return check_result();
}
