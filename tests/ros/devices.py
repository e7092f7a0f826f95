#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each interface of devices that ach-ros knows: the driver fake says something, ROS gets it.

devices.py ACH ACH_ROS BITMAP
"""
import math
import re
import struct
import sys

from support import LIMIT, Program, check, need, roscore, ros_environment, served

need({"roscore": "python3-roslaunch"},
     {"rospy": "python3-rospy", "geometry_msgs.msg": "python3-geometry-msgs",
      "nav_msgs.msg": "python3-nav-msgs", "sensor_msgs.msg": "python3-sensor-msgs"})
import rospy  # noqa: E402
from geometry_msgs.msg import PoseWithCovarianceStamped  # noqa: E402
from nav_msgs.msg import OccupancyGrid  # noqa: E402
from sensor_msgs.msg import (BatteryState, CompressedImage, Image, Imu, JointState, Joy,  # noqa: E402
                             LaserScan, NavSatFix, PointCloud2)

ACH, ACH_ROS, BITMAP = sys.argv[1:4]
CONFIG = """tcp (port 0)
driver
(
  name "fake"
  provides ["actarray:0" "camera:0" "camera:1" "gps:0" "imu:0" "imu:1" "joystick:0" "laser:2"
            "localize:0" "pointcloud3d:0" "power:0" "ranger:0"]
  publish (device "actarray:0" body "actuators[0].position=0.5 actuators[1].speed=-2")
  publish (device "camera:0" body "width=2 height=1 bpp=24 format=5 image=1,2,3,4,5,6")
  publish (device "camera:1" body "width=2 height=1 compression=1 image=255,216,7")
  publish (device "gps:0" body ["latitude=488583000 longitude=-22945000 altitude=35500 quality=2"
            "err_horz=2 err_vert=3"])
  publish (device "imu:0" message "QUAT" body "q0=1 calib_data.accel_z=9.5 calib_data.gyro_x=0.25")
  publish (device "imu:1" message "STATE" body "pose.pyaw=3.14159265")
  publish (device "joystick:0" body ["pos=5,0,0,0,0,0,0,0 scale=10,1,1,1,1,1,1,1 axes_count=1"
            "buttons=2"])
  publish (device "laser:2" body ["min_angle=-1 max_angle=1 resolution=1 max_range=8"
            "ranges=1,8,3 intensity=7,8,9"])
  publish (device "localize:0" body ["hypoths[0].alpha=0.1 hypoths[1].alpha=0.9"
            "hypoths[1].mean.px=4 hypoths[1].cov=1,2,3,4,5,6"])
  publish (device "pointcloud3d:0" body ["points[0].point.px=1 points[1].point.pz=2"
            "points[1].color.red=255"])
  publish (device "power:0" body "valid=25 volts=12 percent=50 charging=1")
  publish (device "ranger:0" body "ranges=1,2,3")
  answer (device "ranger:0" message "GET_CONFIG" body "min_angle=-0.5 max_angle=0.5 max_range=3")
  answer (device "ranger:0" message "GET_GEOM" body "pose.px=0.2")
)
driver
(
  name "mapfile"
  provides ["map:0"]
  filename "{bitmap}"
  resolution 0.1
)
"""
ADDRESSES = ("actarray:0 camera:0 camera:1 gps:0 imu:0 imu:1 joystick:0 laser:2:=rear localize:0"
             " pointcloud3d:0 power:0 ranger:0 map:0").split()


def joint_states(m):
    return list(m.name) == ["joint0", "joint1"] and m.position[0] == 0.5 and m.velocity[1] == -2


def image(m):
    return ((m.width, m.height, m.step, m.encoding, m.header.frame_id) ==
            (2, 1, 6, "rgb8", "camera") and m.data == bytes(range(1, 7)))


def jpeg(m):
    return m.format == "jpeg" and m.data == bytes((255, 216, 7))


def fix(m):
    return (abs(m.latitude - 48.8583) < 1e-9 and abs(m.longitude + 2.2945) < 1e-9 and
            m.altitude == 35.5 and m.status.status == 2 and m.position_covariance[8] == 9)


def imu(m):
    return (m.orientation.w == 1 and m.linear_acceleration.z == 9.5 and
            m.angular_velocity.x == 0.25)


def imu_state(m):
    return abs(m.orientation.z - 1) < 1e-6 and m.linear_acceleration_covariance[0] == -1


def joy(m):
    return list(m.axes) == [0.5] and list(m.buttons[:3]) == [0, 1, 0]


def rear_scan(m):
    return (list(m.ranges) == [1, math.inf, 3] and list(m.intensities) == [7, 8, 9] and
            (m.angle_min, m.angle_max, m.angle_increment) == (-1, 1, 1) and
            m.header.frame_id == "rear/laser")


def amcl_pose(m):
    c = m.pose.covariance
    return (m.pose.pose.position.x == 4 and [c[i] for i in (0, 7, 35, 1, 6, 11, 31, 5, 30)] ==
            [1, 2, 3, 4, 4, 5, 5, 6, 6])


def points(m):
    return (m.width == 2 and m.point_step == 16 and
            struct.unpack("<3f", m.data[:12]) == (1, 0, 0) and
            struct.unpack("<3f4B", m.data[16:]) == (0, 0, 2, 0, 0, 255, 0))


def battery(m):
    return (m.voltage == 12 and m.percentage == 0.5 and math.isnan(m.current) and
            m.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_CHARGING)


def ranger_scan(m):
    return (list(m.ranges) == [1, 2, math.inf] and m.angle_min == -0.5 and
            m.angle_increment == 0.5)


def grid(m):
    """The picture has a wall around it."""
    with open(BITMAP, "rb") as f:
        words = re.sub(rb"#.*", b"", f.read(200)).split()
    width, height = int(words[1]), int(words[2])
    free = sum(c == 0 for c in m.data)
    return (m.info.width, m.info.height, m.data[0]) == (width, height, 100) and free > width


WANTED = [("/joint_states", JointState, joint_states), ("/image_raw", Image, image),
          ("/camera1/image_raw/compressed", CompressedImage, jpeg), ("/fix", NavSatFix, fix),
          ("/imu/data", Imu, imu), ("/imu1/imu/data", Imu, imu_state), ("/joy", Joy, joy),
          ("/rear/scan", LaserScan, rear_scan),
          ("/amcl_pose", PoseWithCovarianceStamped, amcl_pose),
          ("/points", PointCloud2, points), ("/battery", BatteryState, battery),
          ("/scan", LaserScan, ranger_scan), ("/map", OccupancyGrid, grid)]


def main():
    with ros_environment() as (directory, port), roscore(directory, port):
        rospy.init_node("test", anonymous=True, disable_signals=True)
        with served(directory, ACH, CONFIG.format(bitmap=BITMAP)), \
                Program(directory, ACH_ROS, "device", *ADDRESSES) as bridge:
            for topic, kind, right in WANTED:
                try:
                    message = rospy.wait_for_message(topic, kind, LIMIT)
                except rospy.ROSException as e:
                    sys.exit(f"FAILED: {topic}: {e}: {bridge.output()}")
                check(right(message), f"{topic}: {str(message)[:2000]}")
            check(bridge.end() == 0, bridge.output())
        refused = Program(directory, ACH_ROS, "device", "speech:0")
        check(refused.process.wait(LIMIT) == 1 and "known interfaces are: actarray" in
              refused.output(), refused.output())
        rospy.signal_shutdown("the test ends")
    print("ok")


if __name__ == "__main__":
    main()
