#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A camera for a robot that has only a laser: walls as far away as laser:0 sees them, 15 images per second.

camera.py CHANNEL    creates the channel of sensor_msgs/msg/Image, and removes it at SIGTERM
"""
import signal
import sys
import time

import ach
import numpy as np

WIDTH, HEIGHT, HALF = 320, 200, np.radians(35)  # HALF: of the angle that is seen
WALL = 0.9  # m: how far walls reach above and below the camera

IMAGE = ach.Type.from_text("sensor_msgs/msg/Image", """\
std_msgs/Header header
uint32 height
uint32 width
string encoding
uint8 is_bigendian
uint32 step
uint8[] data
===
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
===
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
""")


def draw(scan):
    """The image, (HEIGHT, WIDTH, 3) bytes, from the ranges in front."""
    focal = WIDTH / 2 / np.tan(HALF)
    angles = np.arctan((WIDTH / 2 - 0.5 - np.arange(WIDTH)) / focal)
    rays = np.asarray(scan.ranges)
    at = (angles - scan.min_angle) / scan.resolution
    far = np.interp(at, np.arange(rays.size), rays) * np.cos(angles)
    edge = focal * WALL / np.maximum(far, 0.1)
    row = np.arange(HEIGHT)[:, None] + 0.5 - HEIGHT / 2
    wall = np.abs(row) < edge
    steep = np.abs(np.gradient(far)) * focal / np.maximum(far, 0.1)  # walls along the view are darker
    light = np.clip(1.15 - 0.12 * far - 0.12 * np.minimum(steep, 3), 0.25, 1)
    depth = np.clip(np.abs(row) / (HEIGHT / 2), 0, 1)
    floor = np.where(row > 0, 1.0, 0.0)
    plain = depth[..., None] * np.where(floor[..., None] > 0, [128, 116, 100], [150, 172, 196]) + 60 * (1 - depth[..., None])
    return np.where(wall[..., None], light[..., None] * np.array([206, 190, 164]), plain).astype(np.uint8)


def main(name):
    laser = ach.device("laser:0")
    ach.create(name, type=IMAGE, timestamps=True, frame_count=4, frame_size=4 * WIDTH * HEIGHT, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with ach.Channel(name, type=IMAGE) as out:
            while True:
                pixels = draw(laser.get("SCAN", last=True))
                sec, rest = divmod(time.time_ns(), 10**9)
                out.put({"header": {"stamp": {"sec": sec, "nanosec": rest}, "frame_id": "camera"}, "height": HEIGHT,
                         "width": WIDTH, "encoding": "rgb8", "step": 3 * WIDTH, "data": pixels.reshape(-1)})
                time.sleep(1 / 15)
    finally:
        ach.unlink(name)


if __name__ == "__main__":
    main(*sys.argv[1:])
