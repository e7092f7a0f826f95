// SPDX-License-Identifier: BSD-3-Clause
//
// interfaces.cc - the table of interfaces, and those whose data becomes one message each
#include "device.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <geometry_msgs/PoseWithCovarianceStamped.h>
#include <sensor_msgs/BatteryState.h>
#include <sensor_msgs/CompressedImage.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/Imu.h>
#include <sensor_msgs/JointState.h>
#include <sensor_msgs/Joy.h>
#include <sensor_msgs/LaserScan.h>
#include <sensor_msgs/NavSatFix.h>
#include <sensor_msgs/PointCloud2.h>

namespace
{

const float INFINITE = std::numeric_limits<float>::infinity();
const float UNKNOWN = std::numeric_limits<float>::quiet_NaN();

// One topic. Fill: make the message; false: there is none for this data.
template <class M> class Topic : public Outlet
{
  public:
    using Fill = bool (*)(const ach::Message &, M &);

    Topic(const DeviceContext &c, const char *topic, Fill fill)
        : frame_(c.frame), publisher_(c.advertise<M>(topic)), fill_(fill),
          latch_(c.bridge.settings.latch)
    {
    }

    bool data(const ach::Message &m) override
    {
        M out;

        if (publisher_.getNumSubscribers() == 0 && !latch_)
            return false;
        out.header = stamped(m, frame_);
        if (!fill_(m, out))
            return false;
        publisher_.publish(out);
        return true;
    }

  private:
    std::string frame_;
    ros::Publisher publisher_;
    Fill fill_;
    bool latch_;
};

// A ray without an echo has the largest range in devices, and infinity in ROS (REP 117).
float range_of(double range, double most)
{
    return most > 0 && range >= most ? INFINITE : static_cast<float>(range);
}

bool fill_laser(const ach::Message &m, sensor_msgs::LaserScan &out)
{
    const auto *scan = body_of<ach_laser_data_t>(m, ACH_LASER_DATA_SCAN);
    const auto *posed = body_of<ach_laser_data_scanpose_t>(m, ACH_LASER_DATA_SCANPOSE);

    if (posed)
        scan = &posed->scan;
    if (!scan || scan->ranges_count == 0)
        return false;
    out.angle_min = scan->min_angle;
    out.angle_increment = scan->resolution;
    out.angle_max = scan->min_angle + scan->resolution * static_cast<float>(scan->ranges_count - 1);
    out.range_max = scan->max_range;
    for (uint32_t i = 0; i < scan->ranges_count; i++)
        out.ranges.push_back(range_of(scan->ranges[i], scan->max_range));
    if (scan->intensity_count == scan->ranges_count)
        out.intensities.assign(scan->intensity, scan->intensity + scan->intensity_count);
    return true;
}

std::unique_ptr<Outlet> make_laser(const DeviceContext &c)
{
    const auto geom = ask<ach_laser_geom_t>(c.device, ACH_LASER_REQ_GET_GEOM);

    if (geom)
        c.mounted(geom->body<ach_laser_geom_t>().pose);
    return std::make_unique<Topic<sensor_msgs::LaserScan>>(c, "scan", fill_laser);
}

// Ranges come without angles, which are in the configuration.
class Ranger : public Outlet
{
  public:
    explicit Ranger(const DeviceContext &c)
        : frame_(c.frame), publisher_(c.advertise<sensor_msgs::LaserScan>("scan"))
    {
        const auto geom = ask<ach_ranger_geom_t>(c.device, ACH_RANGER_REQ_GET_GEOM);
        const auto config = ask<ach_ranger_config_t>(c.device, ACH_RANGER_REQ_GET_CONFIG);

        if (geom)
            c.mounted(geom->body<ach_ranger_geom_t>().pose);
        if (config)
            config_ = config->body<ach_ranger_config_t>();
    }

    bool data(const ach::Message &m) override
    {
        const auto *ranges = body_of<ach_ranger_data_range_t>(m, ACH_RANGER_DATA_RANGE);
        const auto *posed =
            body_of<ach_ranger_data_rangestamped_t>(m, ACH_RANGER_DATA_RANGESTAMPED);

        if (posed && posed->have_config)
            config_ = posed->config;
        if (posed)
            ranges = &posed->data;
        if (!ranges || ranges->ranges_count == 0)
            return false;
        publish(*ranges, m);
        return true;
    }

  private:
    void publish(const ach_ranger_data_range_t &ranges, const ach::Message &m)
    {
        sensor_msgs::LaserScan out;
        const uint32_t n = ranges.ranges_count;
        const double span = config_.max_angle - config_.min_angle;

        out.header = stamped(m, frame_);
        out.angle_min = static_cast<float>(config_.min_angle);
        out.angle_max = static_cast<float>(config_.max_angle);
        out.angle_increment = static_cast<float>(n > 1 ? span / (n - 1) : 0);
        out.range_min = static_cast<float>(config_.min_range);
        out.range_max = static_cast<float>(config_.max_range);
        for (uint32_t i = 0; i < n; i++)
            out.ranges.push_back(range_of(ranges.ranges[i], config_.max_range));
        publisher_.publish(out);
    }

    std::string frame_;
    ros::Publisher publisher_;
    ach_ranger_config_t config_{};
};

std::unique_ptr<Outlet> make_ranger(const DeviceContext &c)
{
    return std::make_unique<Ranger>(c);
}

void set_vector(geometry_msgs::Vector3 &v, double x, double y, double z)
{
    v.x = x;
    v.y = y;
    v.z = z;
}

void fill_calib(const ach_imu_data_calib_t &c, sensor_msgs::Imu &out)
{
    set_vector(out.linear_acceleration, c.accel_x, c.accel_y, c.accel_z);
    set_vector(out.angular_velocity, c.gyro_x, c.gyro_y, c.gyro_z);
}

// -1 as the first covariance means that there is no such measurement.
bool fill_imu(const ach::Message &m, sensor_msgs::Imu &out)
{
    if (const auto *c = body_of<ach_imu_data_calib_t>(m, ACH_IMU_DATA_CALIB)) {
        fill_calib(*c, out);
        out.orientation_covariance[0] = -1;
    } else if (const auto *q = body_of<ach_imu_data_quat_t>(m, ACH_IMU_DATA_QUAT)) {
        fill_calib(q->calib_data, out);
        out.orientation.w = q->q0;
        out.orientation.x = q->q1;
        out.orientation.y = q->q2;
        out.orientation.z = q->q3;
    } else if (const auto *e = body_of<ach_imu_data_euler_t>(m, ACH_IMU_DATA_EULER)) {
        fill_calib(e->calib_data, out);
        out.orientation =
            quaternion(e->orientation.proll, e->orientation.ppitch, e->orientation.pyaw);
    } else if (const auto *f = body_of<ach_imu_data_fullstate_t>(m, ACH_IMU_DATA_FULLSTATE)) {
        out.orientation = quaternion(f->pose.proll, f->pose.ppitch, f->pose.pyaw);
        set_vector(out.angular_velocity, f->vel.proll, f->vel.ppitch, f->vel.pyaw);
        set_vector(out.linear_acceleration, f->acc.px, f->acc.py, f->acc.pz);
    } else if (const auto *s = body_of<ach_imu_data_state_t>(m, ACH_IMU_DATA_STATE)) {
        out.orientation = quaternion(s->pose.proll, s->pose.ppitch, s->pose.pyaw);
        out.angular_velocity_covariance[0] = -1;
        out.linear_acceleration_covariance[0] = -1;
    } else {
        return false;
    }
    return true;
}

uint8_t charging_status(const ach_power_data_t &p)
{
    if (!(p.valid & ACH_POWER_MASK_CHARGING) || p.charging < 0)
        return sensor_msgs::BatteryState::POWER_SUPPLY_STATUS_UNKNOWN;
    return p.charging ? sensor_msgs::BatteryState::POWER_SUPPLY_STATUS_CHARGING
                      : sensor_msgs::BatteryState::POWER_SUPPLY_STATUS_DISCHARGING;
}

bool fill_power(const ach::Message &m, sensor_msgs::BatteryState &out)
{
    const auto *p = body_of<ach_power_data_t>(m, ACH_POWER_DATA_STATE);

    if (!p)
        return false;
    const bool volts = p->valid & ACH_POWER_MASK_VOLTS, watts = p->valid & ACH_POWER_MASK_WATTS;

    out.voltage = volts ? p->volts : UNKNOWN;
    out.current = volts && watts && p->volts > 0 ? -p->watts / p->volts : UNKNOWN;
    out.percentage = p->valid & ACH_POWER_MASK_PERCENT ? p->percent / 100 : UNKNOWN;
    out.charge = out.capacity = out.design_capacity = UNKNOWN;
    out.power_supply_status = charging_status(*p);
    out.present = true;
    return true;
}

bool fill_actarray(const ach::Message &m, sensor_msgs::JointState &out)
{
    const auto *a = body_of<ach_actarray_data_t>(m, ACH_ACTARRAY_DATA_STATE);

    if (!a)
        return false;
    for (uint32_t i = 0; i < a->actuators_count; i++) {
        out.name.push_back("joint" + std::to_string(i));
        out.position.push_back(a->actuators[i].position);
        out.velocity.push_back(a->actuators[i].speed);
    }
    return true;
}

bool fill_gps(const ach::Message &m, sensor_msgs::NavSatFix &out)
{
    const auto *g = body_of<ach_gps_data_t>(m, ACH_GPS_DATA_STATE);

    if (!g)
        return false;
    out.status.status = g->quality == 0   ? sensor_msgs::NavSatStatus::STATUS_NO_FIX
                        : g->quality == 1 ? sensor_msgs::NavSatStatus::STATUS_FIX
                                          : sensor_msgs::NavSatStatus::STATUS_GBAS_FIX;
    out.status.service = sensor_msgs::NavSatStatus::SERVICE_GPS;
    out.latitude = g->latitude / 1e7;
    out.longitude = g->longitude / 1e7;
    out.altitude = g->altitude / 1e3;
    if (g->err_horz > 0 && g->err_vert > 0) {
        out.position_covariance[0] = out.position_covariance[4] = g->err_horz * g->err_horz;
        out.position_covariance[8] = g->err_vert * g->err_vert;
        out.position_covariance_type = sensor_msgs::NavSatFix::COVARIANCE_TYPE_APPROXIMATED;
    }
    return true;
}

// How ROS calls a format; NULL: it does not know it.
const char *image_encoding(uint32_t format)
{
    switch (format) {
    case ACH_CAMERA_FORMAT_MONO8:
        return "mono8";
    case ACH_CAMERA_FORMAT_MONO16:
        return "mono16";
    case ACH_CAMERA_FORMAT_RGB888:
        return "rgb8";
    default:
        return nullptr;
    }
}

class Camera : public Outlet
{
  public:
    explicit Camera(const DeviceContext &c)
        : frame_(c.frame), raw_(c.advertise<sensor_msgs::Image>("image_raw")),
          compressed_(c.advertise<sensor_msgs::CompressedImage>("image_raw/compressed"))
    {
    }

    bool data(const ach::Message &m) override
    {
        const auto *image = body_of<ach_camera_data_t>(m, ACH_CAMERA_DATA_STATE);

        if (!image)
            return false;
        return image->compression == ACH_CAMERA_COMPRESS_JPEG ? publish_jpeg(m, *image)
                                                              : publish_raw(m, *image);
    }

  private:
    bool publish_jpeg(const ach::Message &m, const ach_camera_data_t &image)
    {
        sensor_msgs::CompressedImage out;

        out.header = stamped(m, frame_);
        out.format = "jpeg";
        out.data.assign(image.image, image.image + image.image_count);
        compressed_.publish(out);
        return true;
    }

    // Devices send two bytes in the order of the network.
    bool publish_raw(const ach::Message &m, const ach_camera_data_t &image)
    {
        const char *encoding = image_encoding(image.format);
        sensor_msgs::Image out;
        const uint64_t step = encoding ? uint64_t{image.width} * image.bpp / 8 : 0;

        if (step == 0 || image.height == 0 || image.image_count / step < image.height)
            return false;
        out.header = stamped(m, frame_);
        out.width = image.width;
        out.height = image.height;
        out.encoding = encoding;
        out.is_bigendian = 1;
        out.step = static_cast<uint32_t>(step);
        out.data.assign(image.image, image.image + step * image.height);
        raw_.publish(out);
        return true;
    }

    std::string frame_;
    ros::Publisher raw_, compressed_;
};

std::unique_ptr<Outlet> make_camera(const DeviceContext &c)
{
    return std::make_unique<Camera>(c);
}

bool fill_joystick(const ach::Message &m, sensor_msgs::Joy &out)
{
    const auto *j = body_of<ach_joystick_data_t>(m, ACH_JOYSTICK_DATA_STATE);
    const uint32_t most = sizeof(j->pos) / sizeof(j->pos[0]);

    if (!j)
        return false;
    for (uint32_t i = 0; i < std::min(j->axes_count, most); i++)
        out.axes.push_back(
            j->scale[i] ? static_cast<float>(j->pos[i]) / static_cast<float>(j->scale[i]) : 0);
    for (unsigned i = 0; i < 32; i++)
        out.buttons.push_back(j->buttons >> i & 1);
    return true;
}

// The hypothesis with the largest weight, with the covariance of x, y and the angle.
bool fill_localize(const ach::Message &m, geometry_msgs::PoseWithCovarianceStamped &out)
{
    const auto *l = body_of<ach_localize_data_t>(m, ACH_LOCALIZE_DATA_HYPOTHS);
    static const unsigned places[6][2] = {{0, 0}, {7, 7}, {35, 35}, {1, 6}, {11, 31}, {5, 30}};

    if (!l || l->hypoths_count == 0)
        return false;
    const ach_localize_hypoth_t *best = l->hypoths;

    for (uint32_t i = 1; i < l->hypoths_count; i++)
        if (l->hypoths[i].alpha > best->alpha)
            best = &l->hypoths[i];
    out.header.frame_id = "map";
    out.pose.pose = pose_of(best->mean);
    for (unsigned i = 0; i < 6; i++)
        out.pose.covariance[places[i][0]] = out.pose.covariance[places[i][1]] = best->cov[i];
    return true;
}

void add_point_field(sensor_msgs::PointCloud2 &out, const char *name, uint32_t offset)
{
    sensor_msgs::PointField field;

    field.name = name;
    field.offset = offset;
    field.datatype = sensor_msgs::PointField::FLOAT32;
    field.count = 1;
    out.fields.push_back(field);
}

bool fill_pointcloud(const ach::Message &m, sensor_msgs::PointCloud2 &out)
{
    const auto *cloud = body_of<ach_pointcloud3d_data_t>(m, ACH_POINTCLOUD3D_DATA_STATE);

    if (!cloud)
        return false;
    add_point_field(out, "x", 0);
    add_point_field(out, "y", 4);
    add_point_field(out, "z", 8);
    add_point_field(out, "rgb", 12);
    out.height = 1;
    out.width = cloud->points_count;
    out.point_step = 16;
    out.row_step = out.point_step * out.width;
    out.is_dense = true;
    out.data.resize(out.row_step);
    for (uint32_t i = 0; i < cloud->points_count; i++) {
        const ach_pointcloud3d_element_t &p = cloud->points[i];
        const float xyz[3] = {static_cast<float>(p.point.px), static_cast<float>(p.point.py),
                              static_cast<float>(p.point.pz)};
        const uint8_t bgr[4] = {p.color.blue, p.color.green, p.color.red, 0};

        memcpy(&out.data[size_t{16} * i], xyz, sizeof(xyz));
        memcpy(&out.data[size_t{16} * i + 12], bgr, sizeof(bgr));
    }
    return true;
}

template <class M>
std::unique_ptr<Outlet> make_topic(const DeviceContext &c, const char *topic,
                                   bool (*fill)(const ach::Message &, M &))
{
    return std::make_unique<Topic<M>>(c, topic, fill);
}

} // namespace

const DeviceInterface device_interfaces[] = {
    {ACH_ACTARRAY_CODE, "joint_states (sensor_msgs/JointState)",
     [](const DeviceContext &c) { return make_topic(c, "joint_states", fill_actarray); }},
    {ACH_CAMERA_CODE, "image_raw (sensor_msgs/Image), image_raw/compressed", make_camera},
    {ACH_GPS_CODE, "fix (sensor_msgs/NavSatFix)",
     [](const DeviceContext &c) { return make_topic(c, "fix", fill_gps); }},
    {ACH_IMU_CODE, "imu/data (sensor_msgs/Imu)",
     [](const DeviceContext &c) { return make_topic(c, "imu/data", fill_imu); }},
    {ACH_JOYSTICK_CODE, "joy (sensor_msgs/Joy)",
     [](const DeviceContext &c) { return make_topic(c, "joy", fill_joystick); }},
    {ACH_LASER_CODE, "scan (sensor_msgs/LaserScan), tf_static", make_laser},
    {ACH_LOCALIZE_CODE, "amcl_pose (geometry_msgs/PoseWithCovarianceStamped)",
     [](const DeviceContext &c) { return make_topic(c, "amcl_pose", fill_localize); }},
    {ACH_MAP_CODE, "map (nav_msgs/OccupancyGrid)", make_map},
    {ACH_POINTCLOUD3D_CODE, "points (sensor_msgs/PointCloud2)",
     [](const DeviceContext &c) { return make_topic(c, "points", fill_pointcloud); }},
    {ACH_POSITION2D_CODE, "odom (nav_msgs/Odometry), tf; from cmd_vel (geometry_msgs/Twist)",
     make_position2d},
    {ACH_POWER_CODE, "battery (sensor_msgs/BatteryState)",
     [](const DeviceContext &c) { return make_topic(c, "battery", fill_power); }},
    {ACH_RANGER_CODE, "scan (sensor_msgs/LaserScan), tf_static", make_ranger},
};
const size_t device_interface_count = sizeof(device_interfaces) / sizeof(device_interfaces[0]);
