/* SPDX-License-Identifier: BSD-3-Clause */
/* plans.c - the formats of Player's logs, for messages that have one */
#include "plan.h"

#define POSE2(p, f) p "px" f " " p "py" f " " p "pa" f
#define POSE3(p, f)                                                                                \
    p "px" f " " p "py" f " " p "pz" f " " p "proll" f " " p "ppitch" f " " p "pyaw" f
#define SIZE3(p, f) p "sw" f " " p "sl" f " " p "sh" f

/* A pose in the plane, and a length and width. */
#define FLAT_GEOM(f, g) "pose.px" f " pose.py" f " pose.pyaw" g " size.sl" g " size.sw" g

#define SCAN(p)                                                                                    \
    p "min_angle%+07.4f " p "max_angle%+07.4f " p "resolution%+.8f " p "max_range%+07.4f #" p      \
      "ranges%04u { " p "ranges@%.3f " p "intensity@%2u }"

#define RANGER_GEOM(p)                                                                             \
    POSE3(p "pose.", "%+07.3f")                                                                    \
    " " SIZE3(p "size.", "%+07.3f") " #" p "element_poses%04u { " POSE3(                           \
        p "element_poses@", "%+07.3f") " } #" p "element_sizes%04u { " SIZE3(p "element_sizes@",   \
                                                                             "%+07.3f") " }"
#define RANGER_CONFIG(p, f)                                                                        \
    p "min_angle" f " " p "max_angle" f " " p "angular_res" f " " p "min_range" f " " p            \
      "max_range" f " " p "range_res" f " " p "frequency" f
#define STAMPED                                                                                    \
    " have_geom%u ?have_geom{ " RANGER_GEOM(                                                       \
        "geom.") " } have_config~%u ?have_config{ " RANGER_CONFIG("config.", "%.4f") " }"

#define POSES(a) "#" a "%u { " a "@px%+07.3f " a "@py%+07.3f " a "@pyaw%+07.4f }"
#define BUMPERS                                                                                    \
    "#bumper_def%u { bumper_def@pose.px%+07.3f bumper_def@pose.py%+07.3f "                         \
    "bumper_def@pose.pyaw%+07.4f bumper_def@length%+07.4f bumper_def@radius%+07.4f }"
#define CALIB(p)                                                                                   \
    p "accel_x%f " p "accel_y%f " p "accel_z%f " p "gyro_x%f " p "gyro_y%f " p "gyro_z%f " p       \
      "magn_x%f " p "magn_y%f " p "magn_z%f"
#define SPACE_GEOM POSE3("pose.", "%+.4f") " " SIZE3("size.", "%+.4f")
#define COOP(p) p "id%u " p "parent_id%u " p "origin%u"

const struct drv_plan drv_plans[] = {
    {"laser", ACH_MSG_DATA, "SCAN", "id%04u " SCAN("")},
    {"laser", ACH_MSG_DATA, "SCANPOSE", "scan.id%04u " POSE2("pose.", "%+07.3f") " " SCAN("scan.")},
    {"laser", ACH_MSG_DATA, "SCANANGLE",
     "id%04u max_range%+07.4f #ranges%04u { ranges@%.3f angles@%.3f intensity@%2u }"},
    {"laser", ACH_MSG_ACK, "GET_GEOM", FLAT_GEOM("%+7.3f", "%7.3f")},

    {"ranger", ACH_MSG_DATA, "RANGE", "#ranges%04u { ranges@%.3f }"},
    {"ranger", ACH_MSG_DATA, "RANGESTAMPED", "#data.ranges%04u { data.ranges@%.3f }" STAMPED},
    {"ranger", ACH_MSG_DATA, "INTNS", "#intensities%04u { intensities@%.3f }"},
    {"ranger", ACH_MSG_DATA, "INTNSSTAMPED",
     "#data.intensities%04u { data.intensities@%.3f }" STAMPED},
    {"ranger", ACH_MSG_DATA, "GEOM", RANGER_GEOM("")},
    {"ranger", ACH_MSG_ACK, "GET_GEOM", RANGER_GEOM("")},
    {"ranger", ACH_MSG_ACK, "GET_CONFIG", RANGER_CONFIG("", "%f")},

    {"sonar", ACH_MSG_DATA, "RANGES", "#ranges%u { ranges@%.3f }"},
    {"sonar", ACH_MSG_DATA, "GEOM", POSES("poses")},
    {"sonar", ACH_MSG_ACK, "GET_GEOM", POSES("poses")},

    {"position2d", ACH_MSG_DATA, "STATE",
     "pos.px%+07.3f pos.py%+07.3f pos.pa%+04.3f " POSE2("vel.", "%+07.3f") " stall%u"},
    {"position2d", ACH_MSG_DATA, "GEOM",
     "pose.px%+07.3f pose.py%+07.3f pose.pyaw%+04.3f size.sl%+07.3f size.sw%+07.3f"},
    {"position2d", ACH_MSG_ACK, "GET_GEOM",
     "pose.px%+07.3f pose.py%+07.3f pose.pyaw%+04.3f size.sl%+07.3f size.sw%+07.3f"},

    {"position3d", ACH_MSG_DATA, "STATE",
     POSE3("pos.", "%+.4f") " " POSE3("vel.", "%+.4f") " stall%u"},
    {"position3d", ACH_MSG_DATA, "GEOMETRY", SPACE_GEOM},
    {"position3d", ACH_MSG_ACK, "GET_GEOM", SPACE_GEOM},

    {"localize", ACH_MSG_DATA, "HYPOTHS",
     "pending_count%10u pending_time%+07.3f #hypoths%2u { hypoths@mean.px%+7.3f "
     "hypoths@mean.py%+7.3f hypoths@mean.pa%7.3f hypoths@cov[0]%7.3f hypoths@cov[1]%7.3f "
     "hypoths@cov[2]%7.3f hypoths@cov[3]%7.3f hypoths@cov[4]%7.3f hypoths@cov[5]%7.3f "
     "hypoths@alpha%7.3f }"},
    {"localize", ACH_MSG_ACK, "GET_PARTICLES",
     "mean.px%+7.3f mean.py%+7.3f mean.pa%7.3f variance%7.3f #particles%10u { "
     "particles@pose.px%+7.3f particles@pose.py%+7.3f particles@pose.pa%7.3f "
     "particles@alpha%7.3f }"},

    {"ptz", ACH_MSG_DATA, "STATE",
     "pan%+07.3f tilt%+07.3f zoom%+04.3f panspeed%+07.3f tiltspeed%+07.3f"},
    {"opaque", ACH_MSG_DATA, "STATE", "#data%04u { data@%03u }"},
    {"aio", ACH_MSG_DATA, "STATE", "#voltages%04u { voltages@%.3f }"},
    {"dio", ACH_MSG_DATA, "VALUES", "bits:count%b"},
    {"ir", ACH_MSG_DATA, "RANGES", "#ranges%u { ranges@%3.3f }"},
    {"ir", ACH_MSG_ACK, "POSE", POSES("poses")},
    {"bumper", ACH_MSG_DATA, "STATE", "#bumpers%u { bumpers@%u }"},
    {"bumper", ACH_MSG_DATA, "GEOM", BUMPERS},
    {"bumper", ACH_MSG_ACK, "GET_GEOM", BUMPERS},
    {"rfid", ACH_MSG_DATA, "TAGS", "#tags%04u { tags@type%04u tags@guid%x }"},
    {"camera", ACH_MSG_DATA, "STATE",
     "width%u height%u bpp%u format%u compression%u #image%u image%x"},
    {"joystick", ACH_MSG_DATA, "STATE",
     "pos[0]%+d pos[1]%+d pos[2]%+d scale[0]%d scale[1]%d scale[2]%d buttons%X"},
    {"power", ACH_MSG_DATA, "STATE",
     "volts&1%.3f percent&8%.3f joules&4%.3f watts&2%.3f charging&16%d valid%u"},
    {"gps", ACH_MSG_DATA, "STATE",
     "time_sec+time_usec%t latitude/1e7%.7f longitude/1e7%.7f altitude/1e3%.7f utm_e%.3f "
     "utm_n%.3f hdop/10%.3f vdop/10%.3f err_horz%.3f err_vert%.3f quality%u num_sats%u"},

    {"imu", ACH_MSG_DATA, "STATE", POSE3("pose.", "%f")},
    {"imu", ACH_MSG_DATA, "CALIB", CALIB("")},
    {"imu", ACH_MSG_DATA, "QUAT", CALIB("calib_data.") " q0%f q1%f q2%f q3%f"},
    {"imu", ACH_MSG_DATA, "EULER",
     CALIB("calib_data.") " orientation.proll%f orientation.ppitch%f orientation.pyaw%f"},
    {"imu", ACH_MSG_DATA, "FULLSTATE",
     POSE3("pose.", "%f") " " POSE3("vel.", "%f") " acc.px%f acc.py%f acc.pz%f"},

    {"pointcloud3d", ACH_MSG_DATA, "STATE",
     "#points%u { points@point.px%f points@point.py%f points@point.pz%f }"},
    {"actarray", ACH_MSG_DATA, "STATE",
     "#actuators%u { actuators@position%f actuators@speed%f actuators@acceleration%f "
     "actuators@current%f actuators@state%u } motor_state%u"},
    {"blobfinder", ACH_MSG_DATA, "BLOBS",
     "width%u height%u #blobs%u { blobs@id%u blobs@color%u blobs@area%u blobs@x%u blobs@y%u "
     "blobs@left%u blobs@right%u blobs@top%u blobs@bottom%u blobs@range%f }"},
    {"fiducial", ACH_MSG_DATA, "SCAN",
     "#fiducials%u { fiducials@id%d " POSE3("fiducials@pose.", "%+07.3f") " " POSE3(
         "fiducials@upose.", "%+07.3f") " }"},
    {"fiducial", ACH_MSG_ACK, "GET_GEOM",
     POSE3("pose.", "%+7.3f") " size.sl%+7.3f size.sw%+7.3f size.sh%+7.3f "
                              "fiducial_size.sl%+7.3f fiducial_size.sw%+7.3f"},
    {"wifi", ACH_MSG_DATA, "STATE",
     "#links%04u { links@mac%s links@ip%s links@essid%s links@mode%u links@freq%u "
     "links@encrypt%u links@qual%u links@level%u links@noise%u }"},
    {"wsn", ACH_MSG_DATA, "STATE",
     "node_type%u node_id%u node_parent_id%u data_packet.light%f data_packet.mic%f "
     "data_packet.accel_x%f data_packet.accel_y%f data_packet.accel_z%f data_packet.magn_x%f "
     "data_packet.magn_y%f data_packet.magn_z%f data_packet.temperature%f data_packet.battery%f"},

    {"coopobject", ACH_MSG_DATA, "HEALTH", COOP("")},
    {"coopobject", ACH_MSG_DATA, "RSSI",
     COOP("header.") " sender_id%u rssi%u stamp%u nodeTimeHigh%u nodeTimeLow%u x%f y%f z%f"},
    {"coopobject", ACH_MSG_DATA, "SENSOR", COOP("header.") " #data%u { data@type%u data@value%d }"},
    {"coopobject", ACH_MSG_DATA, "ALARM", COOP("header.") " #data%u { data@type%u data@value%d }"},
    {"coopobject", ACH_MSG_DATA, "USERDEFINED", COOP("header.") " type%u #data%u { data@%u }"},
    {"coopobject", ACH_MSG_DATA, "REQUEST",
     COOP("header.") " request%u #parameters%u { parameters@%u }"},
    {"coopobject", ACH_MSG_DATA, "COMMAND",
     COOP("header.") " command%u #parameters%u { parameters@%u }"},
};

const size_t drv_plan_count = sizeof(drv_plans) / sizeof(drv_plans[0]);
