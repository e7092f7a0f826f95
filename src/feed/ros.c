/* SPDX-License-Identifier: BSD-3-Clause */
#include "ros.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages that one definition uses, with those that these use. */
#define USES_MAX 16

#define USES(...) ((const struct feed_ros *const[]){__VA_ARGS__, NULL})

static const struct feed_ros ros_time = {
    .name = "builtin_interfaces/msg/Time",
    .fields = "int32 sec\nuint32 nanosec\n",
};

static const struct feed_ros ros_header = {
    .name = "std_msgs/msg/Header",
    .fields = "builtin_interfaces/Time stamp\nstring frame_id\n",
    .uses = USES(&ros_time),
};

static const struct feed_ros ros_vector3 = {
    .name = "geometry_msgs/msg/Vector3",
    .fields = "float64 x\nfloat64 y\nfloat64 z\n",
};

static const struct feed_ros ros_point = {
    .name = "geometry_msgs/msg/Point",
    .fields = "float64 x\nfloat64 y\nfloat64 z\n",
};

static const struct feed_ros ros_quaternion = {
    .name = "geometry_msgs/msg/Quaternion",
    .fields = "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n",
};

static const struct feed_ros ros_pose = {
    .name = "geometry_msgs/msg/Pose",
    .fields = "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n",
    .uses = USES(&ros_point, &ros_quaternion),
};

static const struct feed_ros ros_pose_uncertain = {
    .name = "geometry_msgs/msg/PoseWithCovariance",
    .fields = "geometry_msgs/Pose pose\nfloat64[36] covariance\n",
    .uses = USES(&ros_pose),
};

static const struct feed_ros ros_twist = {
    .name = "geometry_msgs/msg/Twist",
    .fields = "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n",
    .uses = USES(&ros_vector3),
};

static const struct feed_ros ros_twist_uncertain = {
    .name = "geometry_msgs/msg/TwistWithCovariance",
    .fields = "geometry_msgs/Twist twist\nfloat64[36] covariance\n",
    .uses = USES(&ros_twist),
};

static const struct feed_ros ros_transform = {
    .name = "geometry_msgs/msg/Transform",
    .fields = "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n",
    .uses = USES(&ros_vector3, &ros_quaternion),
};

static const struct feed_ros ros_transform_stamped = {
    .name = "geometry_msgs/msg/TransformStamped",
    .fields = "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
    .uses = USES(&ros_header, &ros_transform),
};

static const struct feed_ros ros_sat_status = {
    .name = "sensor_msgs/msg/NavSatStatus",
    .fields = "int8 status\nuint16 service\n",
};

static const struct feed_ros ros_point_field = {
    .name = "sensor_msgs/msg/PointField",
    .fields = "string name\nuint32 offset\nuint8 datatype\nuint32 count\n",
};

static const struct feed_ros ros_map = {
    .name = "nav_msgs/msg/MapMetaData",
    .fields = "builtin_interfaces/Time map_load_time\nfloat32 resolution\nuint32 width\n"
              "uint32 height\ngeometry_msgs/Pose origin\n",
    .uses = USES(&ros_time, &ros_pose),
};

const struct feed_ros feed_ros_laser_scan = {
    .name = "sensor_msgs/msg/LaserScan",
    .fields = "std_msgs/Header header\nfloat32 angle_min\nfloat32 angle_max\n"
              "float32 angle_increment\nfloat32 time_increment\nfloat32 scan_time\n"
              "float32 range_min\nfloat32 range_max\nfloat32[] ranges\nfloat32[] intensities\n",
    .uses = USES(&ros_header),
};

const struct feed_ros feed_ros_odometry = {
    .name = "nav_msgs/msg/Odometry",
    .fields = "std_msgs/Header header\nstring child_frame_id\n"
              "geometry_msgs/PoseWithCovariance pose\ngeometry_msgs/TwistWithCovariance twist\n",
    .uses = USES(&ros_header, &ros_pose_uncertain, &ros_twist_uncertain),
};

const struct feed_ros feed_ros_tf = {
    .name = "tf2_msgs/msg/TFMessage",
    .fields = "geometry_msgs/TransformStamped[] transforms\n",
    .uses = USES(&ros_transform_stamped),
};

const struct feed_ros feed_ros_imu = {
    .name = "sensor_msgs/msg/Imu",
    .fields = "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\n"
              "float64[9] orientation_covariance\ngeometry_msgs/Vector3 angular_velocity\n"
              "float64[9] angular_velocity_covariance\ngeometry_msgs/Vector3 linear_acceleration\n"
              "float64[9] linear_acceleration_covariance\n",
    .uses = USES(&ros_header, &ros_quaternion, &ros_vector3),
};

const struct feed_ros feed_ros_image = {
    .name = "sensor_msgs/msg/Image",
    .fields = "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\n"
              "uint8 is_bigendian\nuint32 step\nuint8[] data\n",
    .uses = USES(&ros_header),
};

const struct feed_ros feed_ros_compressed_image = {
    .name = "sensor_msgs/msg/CompressedImage",
    .fields = "std_msgs/Header header\nstring format\nuint8[] data\n",
    .uses = USES(&ros_header),
};

const struct feed_ros feed_ros_joint_state = {
    .name = "sensor_msgs/msg/JointState",
    .fields = "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
              "float64[] effort\n",
    .uses = USES(&ros_header),
};

const struct feed_ros feed_ros_pose_covariance = {
    .name = "geometry_msgs/msg/PoseWithCovarianceStamped",
    .fields = "std_msgs/Header header\ngeometry_msgs/PoseWithCovariance pose\n",
    .uses = USES(&ros_header, &ros_pose_uncertain),
};

const struct feed_ros feed_ros_nav_sat_fix = {
    .name = "sensor_msgs/msg/NavSatFix",
    .fields = "std_msgs/Header header\nsensor_msgs/NavSatStatus status\nfloat64 latitude\n"
              "float64 longitude\nfloat64 altitude\nfloat64[9] position_covariance\n"
              "uint8 position_covariance_type\n",
    .uses = USES(&ros_header, &ros_sat_status),
};

const struct feed_ros feed_ros_battery = {
    .name = "sensor_msgs/msg/BatteryState",
    .fields = "std_msgs/Header header\nfloat32 voltage\nfloat32 temperature\nfloat32 current\n"
              "float32 charge\nfloat32 capacity\nfloat32 design_capacity\nfloat32 percentage\n"
              "uint8 power_supply_status\nuint8 power_supply_health\n"
              "uint8 power_supply_technology\nbool present\nfloat32[] cell_voltage\n"
              "float32[] cell_temperature\nstring location\nstring serial_number\n",
    .uses = USES(&ros_header),
};

const struct feed_ros feed_ros_joy = {
    .name = "sensor_msgs/msg/Joy",
    .fields = "std_msgs/Header header\nfloat32[] axes\nint32[] buttons\n",
    .uses = USES(&ros_header),
};

const struct feed_ros feed_ros_point_cloud = {
    .name = "sensor_msgs/msg/PointCloud2",
    .fields = "std_msgs/Header header\nuint32 height\nuint32 width\n"
              "sensor_msgs/PointField[] fields\nbool is_bigendian\nuint32 point_step\n"
              "uint32 row_step\nuint8[] data\nbool is_dense\n",
    .uses = USES(&ros_header, &ros_point_field),
};

const struct feed_ros feed_ros_pose_stamped = {
    .name = "geometry_msgs/msg/PoseStamped",
    .fields = "std_msgs/Header header\ngeometry_msgs/Pose pose\n",
    .uses = USES(&ros_header, &ros_pose),
};

const struct feed_ros feed_ros_path = {
    .name = "nav_msgs/msg/Path",
    .fields = "std_msgs/Header header\ngeometry_msgs/PoseStamped[] poses\n",
    .uses = USES(&ros_header, &feed_ros_pose_stamped),
};

const struct feed_ros feed_ros_grid = {
    .name = "nav_msgs/msg/OccupancyGrid",
    .fields = "std_msgs/Header header\nnav_msgs/MapMetaData info\nint8[] data\n",
    .uses = USES(&ros_header, &ros_map),
};

const struct feed_ros *const feed_ros_all[] = {
    &feed_ros_laser_scan,   &feed_ros_odometry,
    &feed_ros_tf,           &feed_ros_imu,
    &feed_ros_image,        &feed_ros_compressed_image,
    &feed_ros_joint_state,  &feed_ros_pose_covariance,
    &feed_ros_nav_sat_fix,  &feed_ros_battery,
    &feed_ros_joy,          &feed_ros_point_cloud,
    &feed_ros_pose_stamped, &feed_ros_path,
    &feed_ros_grid,         NULL,
};

/* Each message once. */
struct uses {
    const struct feed_ros *all[USES_MAX];
    size_t n;
};

static bool uses_have(const struct uses *u, const struct feed_ros *m)
{
    size_t i;

    for (i = 0; i < u->n; i++)
        if (u->all[i] == m)
            return true;
    return false;
}

static void uses_add(struct uses *u, const struct feed_ros *m)
{
    const struct feed_ros *const *used;

    for (used = m->uses; used && *used; used++) {
        if (uses_have(u, *used) || u->n == USES_MAX)
            continue;
        u->all[u->n++] = *used;
        uses_add(u, *used);
    }
}

/* "std_msgs/msg/Header" is called "std_msgs/Header" in texts. */
static void ros_write_use(FILE *to, const struct feed_ros *m)
{
    const char *slash = strchr(m->name, '/'), *last = strrchr(m->name, '/');
    int i;

    for (i = 0; i < 80; i++)
        fputc('=', to);
    fprintf(to, "\nMSG: %.*s%s\n%s", (int)(slash - m->name), m->name, last, m->fields);
}

char *feed_ros_text(const struct feed_ros *message)
{
    struct uses uses = {.n = 0};
    char *text = NULL;
    size_t size, i;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return NULL;
    uses_add(&uses, message);
    fputs(message->fields, to);
    for (i = 0; i < uses.n; i++)
        ros_write_use(to, uses.all[i]);
    if (fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}
