/* SPDX-License-Identifier: BSD-3-Clause */
#include "translate.h"

void feed_translate_emit(const struct feed_translation *t, const char *suffix,
                         const struct feed_ros *ros)
{
    const struct feed_device_topic topic = {.suffix = suffix, .ros = ros};

    if (!t->cdr->failed)
        t->sink->emit(t->sink->context, &topic);
}

void feed_translate_keep(const struct feed_translation *t, const char *suffix,
                         const struct feed_ros *ros)
{
    const struct feed_device_topic topic = {.suffix = suffix, .ros = ros, .keep = true};

    if (!t->cdr->failed)
        t->sink->emit(t->sink->context, &topic);
}

void feed_translate_mounted(const struct feed_translation *t, const ach_pose3d_t *pose)
{
    feed_part_tf(t, t->device->base, t->device->frame, pose);
    feed_translate_keep(t, "tf_static", &feed_ros_tf);
}
