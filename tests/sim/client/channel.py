# SPDX-License-Identifier: BSD-3-Clause
"""Use channels by ctypes: a get waits for the put of another thread. usage: channel.py LIBACH"""
import ctypes
import sys
import threading
import time

WAIT, RELTIME = 1, 8


class Timespec(ctypes.Structure):
    _fields_ = [("sec", ctypes.c_long), ("nsec", ctypes.c_long)]


lib = ctypes.CDLL(sys.argv[1])
lib.ach_result_to_string.restype = ctypes.c_char_p
source, sink = ctypes.create_string_buffer(128), ctypes.create_string_buffer(128)
name, buf, size = b"ctypes", ctypes.create_string_buffer(16), ctypes.c_size_t()


def check(status, want):
    if lib.ach_result_to_string(status) != want:
        sys.exit(f"{lib.ach_result_to_string(status)}, not {want}")


def get(limit_ms):
    start = time.monotonic()
    limit = Timespec(0, limit_ms * 1000000)
    status = lib.ach_get(sink, buf, ctypes.c_size_t(16), ctypes.byref(size), ctypes.byref(limit),
                         WAIT | RELTIME)
    return status, round((time.monotonic() - start) * 1e6)


def put():
    time.sleep(0.05)
    check(lib.ach_put(source, b"hello", ctypes.c_size_t(6)), b"ACH_OK")


check(lib.ach_create(name, ctypes.c_size_t(8), ctypes.c_size_t(16), None), b"ACH_OK")
check(lib.ach_open(source, name, None), b"ACH_OK")
check(lib.ach_open(sink, name, None), b"ACH_OK")
status, took = get(125)
check(status, b"ACH_TIMEOUT")
thread = threading.Thread(target=put)
thread.start()
status, took_put = get(900)
check(status, b"ACH_OK")
thread.join()
check(lib.ach_close(source), b"ACH_OK")
check(lib.ach_close(sink), b"ACH_OK")
check(lib.ach_unlink(name), b"ACH_OK")
if buf.value != b"hello" or took != 125000 or took_put != 50000:
    sys.exit(f"{buf.value}, after {took} and {took_put} us")
