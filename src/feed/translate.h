/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * translate.h - data of interfaces as messages of ROS, by the conventions of ach-ros
 *
 * Each group of interfaces has a file with a table of rules. A rule writes a message into the CDR of the
 * sink and emits it. Data without a rule, and data that a rule refuses, is written field by field.
 */
#ifndef FEED_TRANSLATE_H
#define FEED_TRANSLATE_H

#include <ach/interfaces.h>
#include <ach/message.h>

#include "device.h"

#define FEED_FRAME_MAX 48

struct feed_device {
    const ach_interface_t *interface;
    unsigned robot, index;
    uint8_t type; /* of its messages: ACH_MSG_DATA or ACH_MSG_CMD */
    char name[FEED_DEVICE_NAME_MAX], address[FEED_DEVICE_NAME_MAX];
    char frame[FEED_FRAME_MAX], base[FEED_FRAME_MAX], odom[FEED_FRAME_MAX], map[FEED_FRAME_MAX];
    ach_ranger_config_t ranger; /* ranges come without angles, which are in the configuration */
    void *body;                 /* the decoded struct, kept for the next message */
    size_t room;
};

struct feed_translation {
    struct feed_device *device;
    const struct feed_device_sink *sink;
    struct feed_cdr *cdr; /* of the sink */
    double stamp;
};

/* False: write it field by field. */
typedef bool feed_translate_fun(const struct feed_translation *t, const void *body);

struct feed_rule {
    uint16_t interface;
    uint8_t subtype;
    feed_translate_fun *translate; /* NULL: the end of the table */
};

extern const struct feed_rule feed_rules_scan[], feed_rules_pose[], feed_rules_image[],
    feed_rules_state[];

void feed_translate_emit(const struct feed_translation *t, const char *suffix,
                         const struct feed_ros *ros);

/* As feed_translate_emit, and topics that are wanted later get it, too. */
void feed_translate_keep(const struct feed_translation *t, const char *suffix,
                         const struct feed_ros *ros);

/* Answers of interfaces whose devices are mounted on the robot. */
void feed_translate_mounted(const struct feed_translation *t, const ach_pose3d_t *pose);

/* Parts of messages. */
void feed_part_time(struct feed_cdr *c, double stamp);
void feed_part_header(const struct feed_translation *t, const char *frame);
void feed_part_vector(struct feed_cdr *c, double x, double y, double z);
void feed_part_quaternion(struct feed_cdr *c, double roll, double pitch, double yaw);
void feed_part_pose2d(struct feed_cdr *c, const ach_pose2d_t *pose);
void feed_part_pose3d(struct feed_cdr *c, const ach_pose3d_t *pose);
void feed_part_floats(struct feed_cdr *c, const float *values, uint32_t n);

/* A transform, as a whole message. */
void feed_part_tf(const struct feed_translation *t, const char *frame, const char *child,
                  const ach_pose3d_t *pose);

static inline ach_pose3d_t feed_part_flat(const ach_pose2d_t *p)
{
    return (ach_pose3d_t){.px = p->px, .py = p->py, .pyaw = p->pa};
}

#endif
