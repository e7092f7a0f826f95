/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver-process IN OUT MEMORY - one driver in its own process
 *
 * Started by servers, with the descriptors of two pipes and of shared memory; see
 * src/device/core/process/process.h.
 */
#include <ach.h>
#include <ach/drivers.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../device/core/process/child.h"

int main(int argc, char **argv)
{
    ach_robot_t *robot;
    ach_status_t status;

    if (argc != 4) {
        fprintf(stderr, "usage: driver-process IN OUT MEMORY; servers start it\n");
        return 2;
    }
    status = ach_robot_create(NULL, &robot);
    if (status == ACH_OK)
        status = ach_drivers_add(robot);
    if (status == ACH_OK)
        status = achi_process_child(robot, atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    if (status != ACH_OK)
        _exit(1); /* without cleanup: the server waits for this process to end */
    ach_robot_destroy(robot);
    return 0;
}
