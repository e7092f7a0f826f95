#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Images as numpy arrays, without a copy: image.py

The camera writes images into the channel, and the viewer reads them in place. Here both are in one
program; usually they are two processes.
"""
import numpy as np

import ach

HEIGHT, WIDTH = 480, 640

ach.create("image", 4, HEIGHT * WIDTH, single_writer=True, truncate=True)
with ach.Channel("image", source=True) as camera, ach.Channel("image") as viewer:
    for brightness in (10, 20, 30):
        with camera.reserve(HEIGHT * WIDTH) as buffer:
            image = np.frombuffer(buffer, dtype=np.uint8).reshape(HEIGHT, WIDTH)
            image[:] = brightness
            image[100:200, 100:200] = 255
            del image  # nobody may write to the message after it was put

        with viewer.view(last=True) as view:
            image = np.frombuffer(view, dtype=np.uint8).reshape(HEIGHT, WIDTH)
            mean = image.mean()
        print(f"{mean:.1f}")  # valid: no writer has overwritten it, or the block had raised
ach.unlink("image")
