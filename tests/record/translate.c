/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * translate.c - data of devices as messages of ROS
 *
 * Each message is decoded again with the definition that its topic has. The definitions are compared
 * with those that ROS 1 installs, which are the same but for the header.
 */
#include <ach/definition.h>
#include <ach/interfaces.h>
#include <ach/message.h>
#include <math.h>

#include "check.h"
#include "device.h"
#include "path.h"
#include "tables.h"

#define TOPICS_MAX 4

/* What the last message became. */
static struct outcome {
    char suffix[64], type[80];
    ach_definition_t *definition;
    void *body;
} outcomes[TOPICS_MAX];
static size_t n_outcomes;
static struct feed_cdr cdr;

static void forget(void)
{
    while (n_outcomes) {
        struct outcome *o = &outcomes[--n_outcomes];

        ach_definition_free(o->definition);
        free(o->body);
    }
}

static void emit(void *context, const struct feed_device_topic *topic)
{
    static const uint8_t head[4] = {0, 1, 0, 0};
    struct outcome *o = &outcomes[n_outcomes];
    char *name = NULL, *text = NULL;
    size_t used;

    (void)context;
    REQUIRE(n_outcomes < TOPICS_MAX);
    n_outcomes++;
    if (topic->ros)
        text = feed_ros_text(topic->ros);
    else
        REQUIRE(feed_device_definition(topic->table, &name, &text));
    snprintf(o->suffix, sizeof(o->suffix), "%s", topic->suffix);
    snprintf(o->type, sizeof(o->type), "%s", name ? name : topic->ros->name);
    REQUIRE_OK(ach_definition_new(o->type, text, strlen(text), &o->definition));
    CHECK(!cdr.failed && cdr.used > 4 && memcmp(cdr.bytes, head, 4) == 0);
    CHECK_OK(ach_cdr_check(ach_definition_type(o->definition), cdr.bytes + 4, cdr.used - 4, &used));
    CHECK(used == cdr.used - 4);
    REQUIRE_OK(ach_cdr_decode_new(ach_definition_type(o->definition), cdr.bytes + 4, cdr.used - 4,
                                  &o->body));
    free(name);
    free(text);
}

static struct feed_odometry odometry;
static const struct feed_device_sink sink = {.cdr = &cdr, .odometry = &odometry, .emit = emit};

/* Translate a struct as if it came from a device's channel. */
static bool take(struct feed_device *d, unsigned code, unsigned type, unsigned subtype,
                 const void *body)
{
    const ach_message_def_t *def =
        ach_interface_message(ach_interface_by_code(code), type, subtype);
    ach_header_t h = {.address = {.robot = 6665, .interf = (uint16_t)code},
                      .type = (uint8_t)type,
                      .subtype = (uint8_t)subtype,
                      .timestamp = 12.5};
    unsigned char *bytes;
    size_t size;
    bool ok;

    forget();
    REQUIRE(def);
    REQUIRE_OK(ach_encoded_size(def->body, body, &size));
    bytes = malloc(ACH_FRAME_HEADER + size);
    REQUIRE(bytes);
    ach_frame_write(&h, (uint32_t)size, bytes);
    REQUIRE_OK(ach_encode(def->body, body, bytes + ACH_FRAME_HEADER, size, &size));
    ok = feed_device_take(d, &sink, bytes, ACH_FRAME_HEADER + size);
    free(bytes);
    return ok;
}

/* A number by its path in the message of a topic; NaN: there is none. */
static double number(const char *suffix, const char *path)
{
    struct value_tree t = {.root = {.kind = VALUE_NULL}};
    double x = NAN;
    struct value v;
    size_t i;

    for (i = 0; i < n_outcomes; i++)
        if (strcmp(outcomes[i].suffix, suffix) == 0 &&
            value_from_body(&t.arena, ach_definition_type(outcomes[i].definition), outcomes[i].body,
                            &t.root) == ACH_OK &&
            value_find(&t.root, path, &v) == ACH_OK && !value_real(&v, &x))
            x = NAN;
    value_tree_finish(&t);
    return x;
}

static bool is(const char *suffix, const char *path, double want)
{
    double got = number(suffix, path);

    if (fabs(got - want) < 1e-6 || got == want)
        return true;
    fprintf(stderr, "%s: %s is %g, not %g\n", suffix, path, got, want);
    return false;
}

static bool became(const char *suffix, const char *type)
{
    size_t i;

    for (i = 0; i < n_outcomes; i++)
        if (strcmp(outcomes[i].suffix, suffix) == 0)
            return strcmp(outcomes[i].type, type) == 0;
    return false;
}

static struct feed_device *device(const char *interface)
{
    char channel[64];
    struct feed_device *d;

    snprintf(channel, sizeof(channel), "dev.6665.%s.0.data", interface);
    d = feed_device_new(channel);
    REQUIRE(d);
    return d;
}

static void scans(void)
{
    float ranges[] = {1, 2, 8, 9};
    double far[] = {1, 8};
    uint8_t bright[] = {1, 2, 3, 4};
    const ach_laser_data_t laser = {.min_angle = -1,
                                    .max_angle = 0.5f,
                                    .resolution = 0.5f,
                                    .max_range = 8,
                                    .ranges_count = 4,
                                    .ranges = ranges,
                                    .intensity_count = 4,
                                    .intensity = bright};
    const ach_laser_data_scanpose_t posed = {.scan = laser};
    ach_ranger_data_rangestamped_t ranger = {.data = {.ranges_count = 2, .ranges = far}};
    struct feed_device *d = device("laser");

    CHECK(take(d, ACH_LASER_CODE, ACH_MSG_DATA, ACH_LASER_DATA_SCAN, &laser) && n_outcomes == 1);
    CHECK(became("scan", "sensor_msgs/msg/LaserScan"));
    CHECK(is("scan", "header.stamp.sec", 12) && is("scan", "header.stamp.nanosec", 500000000));
    CHECK(is("scan", "angle_min", -1) && is("scan", "angle_max", 0.5));
    CHECK(is("scan", "ranges[1]", 2) && is("scan", "ranges[2]", INFINITY));
    CHECK(is("scan", "ranges[3]", INFINITY) && is("scan", "intensities[3]", 4));
    CHECK(take(d, ACH_LASER_CODE, ACH_MSG_DATA, ACH_LASER_DATA_SCANPOSE, &posed));
    CHECK(became("scan", "sensor_msgs/msg/LaserScan"));
    feed_device_free(d);

    d = device("ranger");
    CHECK(take(d, ACH_RANGER_CODE, ACH_MSG_DATA, ACH_RANGER_DATA_RANGE, &ranger.data));
    CHECK(became("range", "ach/msg/RangerDataRange")); /* its angles are not known yet */
    ranger.have_config = ranger.have_geom = 1;
    ranger.config = (ach_ranger_config_t){.min_angle = -1, .max_angle = 1, .max_range = 8};
    ranger.geom.pose.px = 0.25;
    CHECK(take(d, ACH_RANGER_CODE, ACH_MSG_DATA, ACH_RANGER_DATA_RANGESTAMPED, &ranger));
    CHECK(is("scan", "angle_increment", 2) && is("scan", "ranges[1]", INFINITY));
    CHECK(is("tf_static", "transforms[0].transform.translation.x", 0.25));
    CHECK(take(d, ACH_RANGER_CODE, ACH_MSG_DATA, ACH_RANGER_DATA_RANGE, &ranger.data));
    CHECK(became("scan", "sensor_msgs/msg/LaserScan"));
    feed_device_free(d);
}

static void poses(void)
{
    const ach_position2d_data_t flat = {.pos = {1, 2, M_PI / 2}, .vel = {0.5, 0, 0.1}};
    const ach_position3d_data_t solid = {.pos = {.pz = 3, .pyaw = M_PI}, .vel = {.proll = 1}};
    ach_localize_hypoth_t hypoths[] = {
        {.alpha = 0.2}, {.mean = {4, 5, 0}, .cov = {1, 2, 3, 4, 5, 6}, .alpha = 0.7}};
    const ach_localize_data_t where = {.hypoths_count = 2, .hypoths = hypoths};
    const ach_planner_data_t plan = {.valid = 1, .pos = {1, 1, 0}, .goal = {9, 8, 0}};
    const ach_gps_data_t gps = {
        .latitude = 485000000, .altitude = 1500, .quality = 2, .err_horz = 2, .err_vert = 3};
    struct feed_device *d = device("position2d");

    CHECK(take(d, ACH_POSITION2D_CODE, ACH_MSG_DATA, ACH_POSITION2D_DATA_STATE, &flat));
    CHECK(became("odom", "nav_msgs/msg/Odometry") && became("tf", "tf2_msgs/msg/TFMessage"));
    CHECK(is("odom", "pose.pose.position.y", 2) && is("odom", "twist.twist.angular.z", 0.1));
    CHECK(is("tf", "transforms[0].transform.rotation.z", sqrt(0.5)));
    CHECK(is("tf", "transforms[0].transform.rotation.w", sqrt(0.5)));
    feed_device_free(d);
    d = device("position3d");
    CHECK(take(d, ACH_POSITION3D_CODE, ACH_MSG_DATA, ACH_POSITION3D_DATA_STATE, &solid));
    CHECK(is("odom", "pose.pose.position.z", 3) && is("odom", "twist.twist.angular.x", 1));
    feed_device_free(d);
    d = device("localize");
    CHECK(take(d, ACH_LOCALIZE_CODE, ACH_MSG_DATA, ACH_LOCALIZE_DATA_HYPOTHS, &where));
    CHECK(is("pose", "pose.pose.position.x", 4) && is("pose", "pose.covariance[7]", 2));
    CHECK(is("pose", "pose.covariance[30]", 6) && is("pose", "pose.covariance[31]", 5));
    /* It is at (4, 5) and looks along x, while its odometry says (1, 2) and along y. */
    CHECK(is("tf", "transforms[0].transform.translation.x", 2));
    CHECK(is("tf", "transforms[0].transform.translation.y", 6));
    CHECK(is("tf", "transforms[0].transform.rotation.z", -sqrt(0.5)));
    feed_device_free(d);
    d = device("planner");
    CHECK(take(d, ACH_PLANNER_CODE, ACH_MSG_DATA, ACH_PLANNER_DATA_STATE, &plan));
    CHECK(is("goal", "pose.position.x", 9) && is("path", "poses[2].pose.position.y", 8));
    feed_device_free(d);
    d = device("gps");
    CHECK(take(d, ACH_GPS_CODE, ACH_MSG_DATA, ACH_GPS_DATA_STATE, &gps));
    CHECK(is("fix", "latitude", 48.5) && is("fix", "altitude", 1.5) &&
          is("fix", "status.status", 2));
    CHECK(is("fix", "position_covariance[4]", 4) && is("fix", "position_covariance[8]", 9));
    feed_device_free(d);
}

static void images(void)
{
    uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
    ach_camera_data_t camera = {.width = 2,
                                .height = 1,
                                .bpp = 24,
                                .image_count = 6,
                                .image = pixels,
                                .format = ACH_CAMERA_FORMAT_RGB888};
    ach_pointcloud3d_element_t points[] = {{.point = {1, 2, 3}}, {.color = {.red = 7}}};
    const ach_pointcloud3d_data_t cloud = {.points_count = 2, .points = points};
    struct feed_device *d = device("camera");

    CHECK(take(d, ACH_CAMERA_CODE, ACH_MSG_DATA, ACH_CAMERA_DATA_STATE, &camera));
    CHECK(is("image_raw", "step", 6) && is("image_raw", "data[5]", 6));
    camera.height = 2; /* more than there is: as it is */
    CHECK(take(d, ACH_CAMERA_CODE, ACH_MSG_DATA, ACH_CAMERA_DATA_STATE, &camera));
    CHECK(became("state", "ach/msg/CameraData"));
    camera.compression = ACH_CAMERA_COMPRESS_JPEG;
    CHECK(take(d, ACH_CAMERA_CODE, ACH_MSG_DATA, ACH_CAMERA_DATA_STATE, &camera));
    CHECK(became("image_raw/compressed", "sensor_msgs/msg/CompressedImage"));
    feed_device_free(d);
    d = device("pointcloud3d");
    CHECK(take(d, ACH_POINTCLOUD3D_CODE, ACH_MSG_DATA, ACH_POINTCLOUD3D_DATA_STATE, &cloud));
    CHECK(is("points", "width", 2) && is("points", "data[30]", 7) && is("points", "data[7]", 64));
    feed_device_free(d);
}

static void states(void)
{
    const ach_imu_data_quat_t quat = {.calib_data = {.gyro_z = 2}, .q0 = 0.5f, .q3 = 0.25f};
    const ach_imu_data_state_t turn = {.pose = {.pyaw = M_PI}};
    ach_actarray_actuator_t joints[] = {{.position = 1}, {.speed = 2}};
    const ach_actarray_data_t arm = {.actuators_count = 2, .actuators = joints};
    const ach_power_data_t power = {
        .valid = ACH_POWER_MASK_VOLTS | ACH_POWER_MASK_WATTS, .volts = 10, .watts = 20};
    const ach_joystick_data_t joystick = {.pos = {5}, .scale = {10}, .buttons = 4, .axes_count = 1};
    struct feed_device *d = device("imu");

    CHECK(take(d, ACH_IMU_CODE, ACH_MSG_DATA, ACH_IMU_DATA_QUAT, &quat));
    CHECK(is("data", "orientation.z", 0.25) && is("data", "angular_velocity.z", 2));
    CHECK(is("data", "orientation_covariance[0]", 0));
    CHECK(take(d, ACH_IMU_CODE, ACH_MSG_DATA, ACH_IMU_DATA_STATE, &turn));
    CHECK(is("data", "orientation.z", 1) && is("data", "angular_velocity_covariance[0]", -1));
    feed_device_free(d);
    d = device("actarray");
    CHECK(take(d, ACH_ACTARRAY_CODE, ACH_MSG_DATA, ACH_ACTARRAY_DATA_STATE, &arm));
    CHECK(is("joint_states", "position[0]", 1) && is("joint_states", "velocity[1]", 2));
    feed_device_free(d);
    d = device("power");
    CHECK(take(d, ACH_POWER_CODE, ACH_MSG_DATA, ACH_POWER_DATA_STATE, &power));
    CHECK(is("battery", "voltage", 10) && is("battery", "current", -2));
    CHECK(isnan(number("battery", "percentage")));
    feed_device_free(d);
    d = device("joystick");
    CHECK(take(d, ACH_JOYSTICK_CODE, ACH_MSG_DATA, ACH_JOYSTICK_DATA_STATE, &joystick));
    CHECK(is("joy", "axes[0]", 0.5) && is("joy", "buttons[2]", 1));
    feed_device_free(d);
}

/* All data and commands of all interfaces, with all fields 0, become something. */
static void everything(void)
{
    const ach_interface_t *i;
    size_t at, k;

    for (at = 0; (i = ach_interface_at(at)) != NULL; at++) {
        for (k = 0; k < i->message_count; k++) {
            const ach_message_def_t *m = &i->messages[k];
            const bool command = m->type == ACH_MSG_CMD;
            char channel[64];
            struct feed_device *d;
            void *body;

            if (!m->body || (m->type != ACH_MSG_DATA && !command))
                continue;
            snprintf(channel, sizeof(channel), "dev.7000.%s.3.%s", i->name,
                     command ? "cmd" : "data");
            d = feed_device_new(channel);
            body = calloc(1, m->body->body_size);
            REQUIRE(d && body);
            if (!CHECK(take(d, i->code, m->type, m->subtype, body)) || !CHECK(n_outcomes > 0))
                fprintf(stderr, "%s %s\n", i->name, m->name);
            free(body);
            feed_device_free(d);
        }
    }
}

/* Cut off anywhere and changed anywhere, a message is refused or translated. */
static void garbage(void)
{
    float ranges[50] = {0};
    const ach_laser_data_t laser = {.ranges_count = 50, .ranges = ranges};
    ach_header_t h = {.address = {.interf = ACH_LASER_CODE},
                      .type = ACH_MSG_DATA,
                      .subtype = ACH_LASER_DATA_SCAN};
    struct feed_device *d = device("laser");
    unsigned char bytes[1024], copy[1024];
    size_t size, i;
    unsigned bit;

    REQUIRE_OK(ach_encode(&ach_laser_data_type, &laser, bytes + ACH_FRAME_HEADER, 900, &size));
    ach_frame_write(&h, (uint32_t)size, bytes);
    size += ACH_FRAME_HEADER;
    for (i = 0; i < size; i++)
        CHECK(!feed_device_take(d, &sink, bytes, i));
    for (i = 0; i < size; i++)
        for (bit = 0; bit < 8; bit++) {
            memcpy(copy, bytes, size);
            copy[i] ^= (unsigned char)(1u << bit);
            forget();
            feed_device_take(d, &sink, copy, size);
        }
    feed_device_free(d);
}

/* The file of a message that ROS 1 installs: /usr/share/sensor_msgs/msg/LaserScan.msg. */
static char *installed(const char *name)
{
    char path[256], *text = NULL;
    const char *slash = strchr(name, '/');
    size_t room = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/usr/share/%.*s%s.msg", (int)(slash - name), name, slash);
    f = fopen(path, "re");
    if (!f || getdelim(&text, &room, '\0', f) < 0) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

/* The next line of a definition that is a field, without comment and spaces. */
static const char *next_field(const char *at, char type[64], char name[64])
{
    while (at && *at) {
        char line[512];
        const char *end = strchr(at, '\n');
        size_t n = end ? (size_t)(end - at) : strlen(at);

        snprintf(line, sizeof(line), "%.*s", (int)(n < 511 ? n : 511), at);
        at = end ? end + 1 : at + n;
        line[strcspn(line, "#")] = '\0';
        if (!strchr(line, '=') && sscanf(line, "%63s %63s", type, name) == 2)
            return at;
    }
    return NULL;
}

/* ROS 1 leaves out packages, and has `time`. */
static bool same_type(const char *ros1, const char *ours)
{
    const char *slash = strrchr(ours, '/');

    return strcmp(ros1, ours) == 0 || (slash && strcmp(ros1, slash + 1) == 0) ||
           (strcmp(ros1, "time") == 0 && strcmp(ours, "builtin_interfaces/Time") == 0);
}

static bool same_fields(const struct feed_ros *m, const char *ros1)
{
    char ours_type[64], ours_name[64], type[64], name[64];
    const char *a = m->fields, *b = ros1;

    for (;;) {
        a = next_field(a, ours_type, ours_name);
        b = next_field(b, type, name);
        if (!a || !b)
            return a == b;
        if (strcmp(ours_name, name) != 0 || !same_type(type, ours_type)) {
            fprintf(stderr, "%s: %s %s, not %s %s\n", m->name, ours_type, ours_name, type, name);
            return false;
        }
    }
}

/* The last part of "sensor_msgs/msg/Imu" is in /usr/share/sensor_msgs/msg/Imu.msg. */
static size_t definitions(const struct feed_ros *const *messages)
{
    size_t compared = 0;

    for (; messages && *messages; messages++) {
        char *text = installed((*messages)->name);

        if (text && strcmp((*messages)->name, "std_msgs/msg/Header") != 0)
            CHECK(same_fields(*messages, text));
        compared += text != NULL;
        free(text);
        compared += definitions((*messages)->uses);
    }
    return compared;
}

static void names(void)
{
    struct feed_device *d = feed_device_new("dev.7000.laser.2.data");
    char channel[ACH_CHAN_NAME_MAX];

    REQUIRE(d);
    CHECK(strcmp(feed_device_name(d), "7000:laser:2") == 0);
    feed_device_free(d);
    CHECK(!feed_device_new("dev.6665.req") && !feed_device_new("dev.6665.laser.0.datax"));
    CHECK(!feed_device_new("dev.6665.nothing.0.data") && !feed_device_new("imu"));
    unsetenv("ACH_ROBOT");
    CHECK(feed_device_channel("laser:1", channel, sizeof(channel)));
    CHECK(strcmp(channel, "dev.6665.laser.1.data") == 0);
    CHECK(feed_device_channel("7000:map:0", channel, sizeof(channel)));
    CHECK(strcmp(channel, "dev.7000.map.0.data") == 0);
    setenv("ACH_ROBOT", "7001", 1);
    CHECK(feed_device_channel("laser:1", channel, sizeof(channel)));
    CHECK(strcmp(channel, "dev.7001.laser.1.data") == 0);
    CHECK(!feed_device_channel("robot.local:6665:laser:0", channel, sizeof(channel)));
    CHECK(!feed_device_channel("laser", channel, sizeof(channel)));
}

int main(void)
{
    names();
    scans();
    poses();
    images();
    states();
    everything();
    garbage();
    if (definitions(feed_ros_all) == 0)
        puts("not compared: no definitions of ROS are installed");
    forget();
    feed_cdr_finish(&cdr);
    return check_result();
}
