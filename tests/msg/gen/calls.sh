#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# calls.sh ACH CALLS DEFINITIONS: a channel of ach mk has the type of the generated header.
set -e
trap '"$1" rm -f gen-scan gen-everything' EXIT
"$1" mk --type demo_msgs/msg/Scan --schema "$3/Scan.msg" gen-scan
"$1" mk --type demo_msgs/msg/Everything --schema "$3/Everything.msg" gen-everything
"$2" gen-scan gen-everything
