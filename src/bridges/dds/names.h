/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h - the names of topics and types in DDS, as ROS 2 makes them or plain */
#ifndef ACHDDS_NAMES_H
#define ACHDDS_NAMES_H

#include <stdbool.h>

#define ACHDDS_NAME_MAX 256

/*
 * The topic in DDS: scan and /scan are rt/scan in ROS 2. False after complaining: the name is not
 * one of ROS 2, or of DDS.
 */
bool achdds_topic_name(char name[ACHDDS_NAME_MAX], const char *topic, bool ros2);

/*
 * The type in DDS of a type of ROS: sensor_msgs/msg/LaserScan is
 * sensor_msgs::msg::dds_::LaserScan_ in ROS 2, and otherwise sensor_msgs::msg::LaserScan. False
 * after complaining.
 */
bool achdds_type_name(char name[ACHDDS_NAME_MAX], const char *type, bool ros2);

#endif
