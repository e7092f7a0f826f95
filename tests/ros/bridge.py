#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach-ros with a real roscore: topics, channels, and a robot that is driven.

bridge.py ACH ACH_ROS BITMAP
"""
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import xmlrpc.client

from support import (Program, check, eventually, need, roscore, ros_environment, run,
                     simulated_robot)

need({"roscore": "python3-roslaunch", "rostopic": "python3-rostopic", "rosmsg": "python3-rosmsg"},
     {"rospy": "python3-rospy", "geometry_msgs.msg": "python3-geometry-msgs",
      "nav_msgs.msg": "python3-nav-msgs", "sensor_msgs.msg": "python3-sensor-msgs",
      "tf2_msgs.msg": "python3-tf2-msgs"})
import rospy  # noqa: E402
from geometry_msgs.msg import PointStamped  # noqa: E402

ACH, ACH_ROS, BITMAP = sys.argv[1:4]
TWIST = "/usr/share/geometry_msgs/msg/Twist.msg"
JOINTS = """# as in ROS 2
std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
===
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
"""


def make_channels(directory):
    definition = os.path.join(directory, "JointState.msg")
    with open(definition, "w") as f:
        f.write(JOINTS)
    run(ACH, "mk", "--type", "geometry_msgs/msg/Twist", "--schema", TWIST, "-I", "/usr/share",
        "velocity")
    run(ACH, "mk", "--type", "sensor_msgs/msg/JointState", "--encoding", "cdr", "--schema-encoding",
        "ros2msg", "--schema", definition, "state")


def held(channel):
    """The newest message of a channel; None: there is no channel, or it is empty."""
    try:
        done = subprocess.run([ACH, "echo", "--json", "--no-wait", "--count", "1", "--last",
                               channel], capture_output=True, text=True, timeout=5)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout) if done.stdout else None


def test_usage():
    for words, text in ((["push"], "expected push, pull or device"),
                        (["scan"], "found 'scan'"),
                        (["push", "a", "pull", "/a"], "both pushed and pulled"),
                        (["--queue", "x", "push", "a"], "--queue: expected a number"),
                        (["--timeout", "-1", "push", "a"], "--timeout: expected")):
        done = subprocess.run([ACH_ROS, *words], capture_output=True, text=True, timeout=60)
        check(done.returncode == 2 and text in done.stderr, f"ach-ros {words}: {done}")
    check("position2d" in run(ACH_ROS, "--help"), "--help lists the interfaces")


def test_push(directory):
    """rostopic echo, type, hz, and the definition, of channels of ROS 1 and ROS 2."""
    with Program(directory, ACH, "pub", "--rate", "50", "velocity", "linear.x=0.25"), \
            Program(directory, ACH, "pub", "--rate", "50", "state", "name[0]=hello",
                    "position=1,2.5", "header.frame_id=here"):
        echo = run("rostopic", "echo", "-n", "1", "/velocity")
        check(re.search(r"x: 0\.25", echo), f"rostopic echo: {echo}")
        check(run("rostopic", "type", "/velocity") == "geometry_msgs/Twist\n", "rostopic type")
        echo = run("rostopic", "echo", "-n", "2", "/arm/state")
        check('- hello' in echo and "[1.0, 2.5]" in echo and 'frame_id: "here"' in echo,
              f"rostopic echo: {echo}")
        seq = [int(n) for n in re.findall(r"seq: (\d+)", echo)]
        check(len(seq) == 2 and seq[1] > seq[0], f"seq does not count: {echo}")
        with Program(directory, "rostopic", "hz", "-w", "5", "/velocity") as hz:
            hz.says("average rate")


def test_pull():
    """rostopic pub to a channel that does not exist, and one that does."""
    run("rostopic", "pub", "-1", "/goal", "geometry_msgs/PointStamped",
        "{header: {frame_id: map}, point: {x: 1, y: 2, z: 3}}")
    goal = eventually(lambda: held("goal"), "the channel goal has no message")["message"]
    check(goal["point"] == {"x": 1, "y": 2, "z": 3}, f"{goal}")
    check(goal["header"]["frame_id"] == "map" and "seq" not in goal["header"],
          f"{goal}")
    check("geometry_msgs/msg/PointStamped" in run(ACH, "info", "goal"), "the type of goal")


class Garbage(PointStamped):
    """Claims to be a PointStamped, and sends any bytes."""
    _type, _md5sum, _full_text = PointStamped._type, PointStamped._md5sum, PointStamped._full_text

    def __init__(self, data=b""):
        super().__init__()
        self.data = data

    def serialize(self, buff):
        buff.write(self.data)


def test_hostile(bridge):
    """Bytes that are not such a message are refused, and those after them are copied."""
    publisher = rospy.Publisher("/goal", Garbage, queue_size=100)
    eventually(lambda: publisher.get_num_connections() > 0, "ach-ros does not subscribe")
    good = io.BytesIO()
    message = PointStamped()
    message.point.x = 7
    message.serialize(good)
    good = good.getvalue()
    refusals = 0
    for data in (b"", good[:-1], good + b"\0",
                 good[:12] + struct.pack("<I", 0xffffffff) + good[16:],
                 good[:12] + struct.pack("<I", 1 << 20) + b"x" * (1 << 20) + good[16:]):
        publisher.publish(Garbage(data))
        refusals += 1  # each for another reason
        eventually(lambda: bridge.output().count("a message is not copied") == refusals,
                   f"{data[:40]} is not refused: {bridge.output()}")
    bridge.says("channel 'goal' cannot hold a message of this size")
    eventually(lambda: publisher.publish(Garbage(good)) or
               held("goal")["message"]["point"]["x"] == 7, "a good message is not copied")
    publisher.unregister()


def test_loop():
    """Messages that were pushed to a topic do not come back, others do."""
    run(ACH, "pub", "velocity", "linear.x=1")
    run("rostopic", "pub", "-1", "/velocity", "geometry_msgs/Twist", "{linear: {x: 3}}")
    back = eventually(lambda: held("back"), "the channel back has no message")
    check(back["message"]["linear"]["x"] == 3 and back["sequence"] == 1, f"{back}")


def idle_wakes(bridge):
    """How often the main thread has slept."""
    with open(f"/proc/{bridge.process.pid}/task/{bridge.process.pid}/status") as f:
        return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", f.read(), re.M).group(1))


def test_idle(bridge):
    def idle():
        before = idle_wakes(bridge)
        time.sleep(1)
        return idle_wakes(bridge) == before

    eventually(idle, "the main thread wakes although nothing happens")


def test_replaced(directory, bridge):
    """A channel that is removed and created again, or replaced, is followed."""
    make = (ACH, "mk", "-t", "--type", "geometry_msgs/msg/Twist", "--schema", TWIST, "-I",
            "/usr/share", "velocity")
    run(ACH, "rm", "velocity")
    bridge.says("channel 'velocity' was removed")
    run(*make)
    bridge.says("push velocity:=velocity: connected")
    run(*make)
    bridge.says("push velocity:=velocity: channel 'velocity' was replaced; waiting for it")
    eventually(lambda: bridge.output().count("push velocity:=velocity: connected") == 2,
               f"it does not come back: {bridge.output()}")
    with Program(directory, ACH, "pub", "--rate", "50", "velocity", "linear.y=0.5"):
        check("y: 0.5" in run("rostopic", "echo", "-n", "1", "/velocity"), "after replacement")


def end_bridge(bridge, words):
    check(bridge.end() == 0, f"at SIGTERM: {bridge.output()}")
    for word in words:
        check(re.search(word, bridge.output()), f"no '{word}' in: {bridge.output()}")


def odometry(field):
    """A number of the topic odom."""
    return float(run("rostopic", "echo", "-n", "1", f"/odom/{field}").split()[0])


def test_killed(directory):
    """rosnode kill ends it."""
    with Program(directory, ACH_ROS, "--node", "victim", "push", "velocity") as bridge:
        eventually(lambda: "/velocity" in run("rostopic", "list").split(), "no topic velocity")
        master = xmlrpc.client.ServerProxy(os.environ["ROS_MASTER_URI"])
        uri = master.lookupNode("/test", "/victim")[2]
        xmlrpc.client.ServerProxy(uri).shutdown("/test", "enough")
        bridge.says("asked to end: enough")
        eventually(lambda: bridge.process.poll() == 0, "it does not end")


def test_drive(directory):
    """cmd_vel drives the robot; without it, or with a velocity that is no number, it stops."""
    with simulated_robot(directory, ACH, BITMAP), \
            Program(directory, ACH_ROS, "--timeout", "0.3", "device", "position2d:0",
                    "laser:0") as bridge:
        scan = run("rostopic", "echo", "-n", "1", "/scan")
        check('frame_id: "laser"' in scan and "range_max: 6.0" in scan, scan)
        check('child_frame_id: "laser"' in run("rostopic", "echo", "-n", "1", "/tf_static"), "tf")
        check('child_frame_id: "base_link"' in run("rostopic", "echo", "-n", "1", "/tf"), "tf")
        check(abs(odometry("pose/pose/position/x")) < 1e-6, "the robot moves without a command")
        with Program(directory, "rostopic", "pub", "-r", "20", "/cmd_vel", "geometry_msgs/Twist",
                     "{linear: {x: 0.3}}"):
            eventually(lambda: odometry("pose/pose/position/x") > 0.3, "the robot does not move")
        bridge.says("no command for 0.3")
        eventually(lambda: odometry("twist/twist/linear/x") == 0, "the robot does not stop")
        run("rostopic", "pub", "-1", "/cmd_vel", "geometry_msgs/Twist",
            "{linear: {x: .nan}, angular: {z: 1}}")
        bridge.says("no finite number")
        check(odometry("twist/twist/angular/z") == 0, "a velocity that is no number has an effect")
        end_bridge(bridge, [r"device laser:0: copied \d+, missed 0, refused 0"])


def test_stop_at_end(directory):
    """When ach-ros ends, the robot stops."""
    with simulated_robot(directory, ACH, BITMAP), \
            Program(directory, ACH_ROS, "--timeout", "100000", "device", "position2d:0") as bridge:
        run("rostopic", "pub", "-1", "/cmd_vel", "geometry_msgs/Twist", "{angular: {z: 0.5}}")
        eventually(lambda: odometry("twist/twist/angular/z") != 0, "the robot does not move")
        end_bridge(bridge, [r"copied \d+"])
        with Program(directory, ACH_ROS, "device", "position2d:0"):
            eventually(lambda: odometry("twist/twist/angular/z") == 0, "the robot does not stop")


def test_channels(directory):
    with Program(directory, ACH_ROS, "--node", "pushing", "push", "velocity",
                 "state:=/arm/state", "pull", "/goal", "/velocity:=back") as bridge:
        test_push(directory)
        test_pull()
        test_hostile(bridge)
        test_loop()
        test_idle(bridge)
        test_replaced(directory, bridge)
        end_bridge(bridge, [r"push state:=/arm/state: copied [1-9]\d*",
                            r"pull /goal:=goal: copied [1-9]\d*, missed 0, refused [1-9]"])


def test_master(directory, port):
    """Without a master it waits for one, and ends at a signal."""
    with Program(directory, ACH_ROS, "push", "velocity") as bridge:
        bridge.says(f"there is no ROS master at http://127.0.0.1:{port}")
        check(bridge.end(signal.SIGINT) == 0, bridge.output())
    with Program(directory, ACH_ROS, "push", "velocity") as bridge:
        bridge.says("there is no ROS master")
        with roscore(directory, port):
            eventually(lambda: "/velocity" in run("rostopic", "list").split(), "no topic velocity")


def main():
    with ros_environment() as (directory, port):
        try:
            test_usage()
            make_channels(directory)
            test_master(directory, port)
            with roscore(directory, port):
                rospy.init_node("test", anonymous=True, disable_signals=True)
                test_channels(directory)
                test_killed(directory)
                test_drive(directory)
                test_stop_at_end(directory)
                rospy.signal_shutdown("the test ends")
        finally:
            for channel in ("velocity", "state", "goal", "back"):
                subprocess.run([ACH, "rm", channel], stderr=subprocess.DEVNULL, timeout=60)
    print("ok")


if __name__ == "__main__":
    main()
