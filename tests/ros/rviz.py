#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rviz, without a screen, shows the scan of a simulated robot.

rviz.py ACH ACH_ROS BITMAP OUTPUT

Xvfb keeps its screen in a file. Pixels of the colour of the scan must appear there, and only after
ach-ros runs. The last screen becomes the picture OUTPUT, a PNG.
"""
import os
import struct
import sys
import zlib

from support import (Program, check, eventually, need, roscore, ros_environment, simulated_robot)

need({"roscore": "python3-roslaunch", "rviz": "rviz", "Xvfb": "xvfb"}, {})
ACH, ACH_ROS, BITMAP, OUTPUT = sys.argv[1:5]
WIDTH, HEIGHT = 800, 600
SCAN = (255, 0, 128)  # a colour that nothing else on the screen has
ENOUGH = 200  # pixels of the scan, which has 271 rays

CONFIG = """Panels: []
Visualization Manager:
  Class: ""
  Displays:
    - Class: rviz/LaserScan
      Color: {colour}
      Color Transformer: FlatColor
      Enabled: true
      Name: LaserScan
      Position Transformer: XYZ
      Size (Pixels): 4
      Style: Points
      Topic: /scan
      Value: true
    - Class: rviz/Odometry
      Enabled: true
      Name: Odometry
      Topic: /odom
      Value: true
      Covariance:
        Value: false
  Enabled: true
  Global Options:
    Background Color: 48; 48; 48
    Fixed Frame: odom
    Frame Rate: 5
  Name: root
  Tools:
    - Class: rviz/MoveCamera
  Value: true
  Views:
    Current:
      Class: rviz/TopDownOrtho
      Scale: 50
      Target Frame: base_link
      X: 0
      Y: 0
Window Geometry:
  Height: {height}
  Width: {width}
  X: 0
  Y: 0
"""


def screen(path):
    """Width and rows of the screen in a file of Xvfb, which has the format of xwd(1)."""
    with open(path, "rb") as f:
        data = f.read()
    head = struct.unpack(">25I", data[:100])
    size, width, height, bits, line, colours = (head[i] for i in (0, 4, 5, 11, 12, 19))
    check(bits == 32, f"a pixel has {bits} bits")
    pixels = data[size + 12 * colours:]
    return width, [pixels[y * line:y * line + 4 * width] for y in range(height)]


def count(path, colour):
    blue_green_red = bytes(reversed(colour))
    return sum(row[i:i + 3] == blue_green_red for row in screen(path)[1]
               for i in range(0, len(row), 4))


def write_png(path, to):
    width, rows = screen(path)
    raw = b"".join(b"\0" + b"".join(row[i:i + 3][::-1] for i in range(0, len(row), 4))
                   for row in rows)

    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))

    with open(to, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" +
                chunk(b"IHDR", struct.pack(">2I5B", width, len(rows), 8, 2, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def start_screen(directory):
    """An X server at a display that it chooses; returns it with the path of its screen."""
    number = os.path.join(directory, "display")
    open(number, "w").close()
    server = Program(directory, "sh", "-c",
                     f"exec Xvfb -displayfd 3 -nolisten tcp -fbdir {directory}"
                     f" -screen 0 {WIDTH}x{HEIGHT}x24 3>{number}")
    eventually(lambda: os.path.getsize(number) > 0 or server.process.poll() is not None,
               "Xvfb does not start")
    with open(number) as f:
        display = f.read().strip()
    check(display, f"Xvfb ended: {server.output()}")
    os.environ.update(DISPLAY=f":{display}", LIBGL_ALWAYS_SOFTWARE="1", QT_QPA_PLATFORM="xcb")
    return server, os.path.join(directory, "Xvfb_screen0")


def show(directory, path):
    config = os.path.join(directory, "scan.rviz")
    with open(config, "w") as f:
        f.write(CONFIG.format(colour="; ".join(map(str, SCAN)), width=WIDTH, height=HEIGHT))
    with Program(directory, "rviz", "-d", config) as rviz:
        eventually(lambda: count(path, (48, 48, 48)) > WIDTH * HEIGHT / 10 or
                   check(rviz.process.poll() is None, rviz.output()), "rviz shows nothing")
        check(count(path, SCAN) == 0, "rviz shows a scan before there is one")
        with Program(directory, ACH_ROS, "device", "position2d:0", "laser:0"):
            eventually(lambda: count(path, SCAN) > ENOUGH, f"rviz shows no scan: {rviz.output()}")
            print(f"{count(path, SCAN)} pixels of the scan")
            write_png(path, OUTPUT)


def main():
    with ros_environment() as (directory, port):
        server, path = start_screen(directory)
        with server, roscore(directory, port), simulated_robot(directory, ACH, BITMAP):
            show(directory, path)
    print(f"a picture: {OUTPUT}")


if __name__ == "__main__":
    main()
