/* SPDX-License-Identifier: BSD-3-Clause */
/* ros.h - the messages of ROS 2 that data of devices becomes */
#ifndef FEED_ROS_H
#define FEED_ROS_H

/* A message without comments, constants and defaults. */
struct feed_ros {
    const char *name;                   /* "sensor_msgs/msg/LaserScan" */
    const char *fields;                 /* a line each */
    const struct feed_ros *const *uses; /* NULL: none; else terminated by NULL */
};

extern const struct feed_ros feed_ros_laser_scan, feed_ros_odometry, feed_ros_tf, feed_ros_imu,
    feed_ros_image, feed_ros_compressed_image, feed_ros_joint_state, feed_ros_pose_covariance,
    feed_ros_nav_sat_fix, feed_ros_battery, feed_ros_joy, feed_ros_point_cloud, feed_ros_path,
    feed_ros_pose_stamped, feed_ros_grid;

/* All of these, terminated by NULL. */
extern const struct feed_ros *const feed_ros_all[];

/* The definition with those that it uses, as a schema `ros2msg`; free it. NULL: no memory. */
char *feed_ros_text(const struct feed_ros *message);

#endif
