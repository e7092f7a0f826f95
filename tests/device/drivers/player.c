/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * player.c - the options of Player's drivers are understood, or the porting page lists them
 *
 * usage: driver-player PAGE
 */
#include "rig.h"

/* The devices of each driver, and its options in Player 3 with a value. */
static const struct {
    const char *driver, *devices;
    const char *options[32];
} drivers[] = {
    {"cameracompress",
     "provides [\"camera:1\"] requires [\"camera:0\"]",
     {"check_timestamps 1", "save 1", "image_quality 0.5", "request_only 1"}},
    {"cmdsplitter",
     "provides [\"camera:1\"] requires [\"0:::camera:0\"]",
     {"devices 1", "rq_first_device_only 1"}},
    {"dummy", "provides [\"camera:1\"]", {"rate 5.0"}},
    {"fakelocalize",
     "provides [\"localize:0\"] requires [\"simulation:0\"] model \"robot\"",
     {"sleep_nsec 1000000"}},
    {"laserbarcode",
     "provides [\"fiducial:0\"] requires [\"laser:0\"]",
     {"bit_count 5", "bit_width 0.1", "max_depth 0.1", "accept_thresh 1.0", "zero_thresh 0.5",
      "one_thresh 0.5"}},
    {"lasertoranger",
     "provides [\"ranger:1\"] requires [\"laser:0\"]",
     {"buggy_geom 1", "force_config [-90 90 1 8 0.01]"}},
    {"localbb", "provides [\"blackboard:0\"]", {"alwayson 1"}},
    {"mapfile",
     "provides [\"map:0\"] filename \"%s\" resolution 0.1",
     {"negate 1", "origin [0 0 0]"}},
    {"passthrough",
     "provides [\"laser:1\"] requires [\"laser:0\"]",
     {"alwayson 0", "remote_host \"localhost\"", "remote_port 6665", "connect 1"}},
    {"rangertolaser", "provides [\"laser:1\"] requires [\"ranger:0\"]", {"alwayson 0"}},
    {"readlog",
     "provides [\"laser:1\"] filename \"%s\"",
     {"speed 2.0", "autoplay 0", "autorewind 1"}},
    {"relay", "provides [\"opaque:0\"]", {"alwayson 0"}},
    {"sonartoranger", "provides [\"ranger:1\"] requires [\"sonar:0\"]", {"buggy_geom 1"}},
    {"vfh",
     "provides [\"position2d:1\"] requires [\"position2d:0\" \"laser:0\"]",
     {"cell_size 0.1",
      "window_diameter 61",
      "sector_angle 5",
      "safety_dist_0ms 0.1",
      "safety_dist_1ms 0.2",
      "max_speed 0.3",
      "max_speed_narrow_opening 0.1",
      "max_speed_wide_opening 0.3",
      "max_acceleration 0.2",
      "min_turnrate 10",
      "max_turnrate_0ms 40",
      "max_turnrate_1ms 30",
      "min_turn_radius_safety_factor 1.0",
      "free_space_cutoff_0ms 2000000.0",
      "free_space_cutoff_1ms 1000000.0",
      "obs_cutoff_0ms 2000000.0",
      "obs_cutoff_1ms 1000000.0",
      "weight_desired_dir 5.0",
      "weight_current_dir 3.0",
      "distance_epsilon 0.5",
      "angle_epsilon 10",
      "escape_speed 0.1",
      "escape_time 1.0",
      "escape_max_turnrate 20",
      "synchronous 1"}},
    {"writelog",
     "provides [\"log:0\"] requires [\"camera:0\"]",
     {"log_directory \"/tmp\"", "log_directory \"/tmp\" timestamp_directory 1", "basename \"b\"",
      "timestamp 0", "extension \".log\"", "filename \"f.log\"", "autorecord 1",
      "camera_log_images 0", "camera_save_images 1", "write_particles 1"}},
};

static const char others[] =
    "driver (name \"null\" provides [\"camera:0\" \"laser:0\" \"ranger:0\"\n"
    "        \"sonar:0\" \"position2d:0\" \"simulation:0\"])\n";

static char image[] = "/tmp/achmap.XXXXXX";
static char *page;

/* Does a row of the page name the driver and the option? The option is the last word of a name. */
static bool listed(const char *driver, const char *option)
{
    char first[80], second[80];
    const char *row, *end;

    snprintf(first, sizeof(first), "`%s`", driver);
    snprintf(second, sizeof(second), "`%s`", option);
    for (row = strstr(page, first); row; row = strstr(row + 1, first)) {
        end = strchr(row, '\n');
        if (end && memmem(row, (size_t)(end - row), second, strlen(second)))
            return true;
    }
    return false;
}

/* The name of the option, which is the last but one word. */
static void option_name(const char *option, char *name, size_t size)
{
    const char *last = strstr(option, "timestamp_directory");

    snprintf(name, size, "%s", last ? last : option);
    name[strcspn(name, " ")] = '\0';
}

static bool understood(const char *driver, const char *devices, const char *option,
                       const char *name)
{
    struct rig *rig = rig_create(false);
    char with[512], text[2048], warning[80];
    bool ok;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(with, sizeof(with), devices, image);
#pragma GCC diagnostic pop
    snprintf(text, sizeof(text), "%sdriver (name \"%s\" %s %s)", others, driver, with, option);
    snprintf(warning, sizeof(warning), "'%s'", name);
    ok = rig_load(rig, text) == ACH_OK && rig_count(rig, warning) == 0 &&
         rig_count(rig, "no effect") == 0;
    rig_end(rig);
    return ok;
}

static char *read_page(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    REQUIRE(f && getdelim(&text, &size, 0, f) > 0);
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    static const char pixels[] = "P2 1 1 1 0\n";
    unsigned same = 0, different = 0;
    int fd = mkstemp(image);
    size_t i, k;

    REQUIRE(argc == 2);
    page = read_page(argv[1]);
    REQUIRE(fd >= 0 && write(fd, pixels, strlen(pixels)) == (ssize_t)strlen(pixels));
    close(fd);
    for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
        for (k = 0; k < 32 && drivers[i].options[k]; k++) {
            const char *option = drivers[i].options[k];
            char name[64];

            option_name(option, name, sizeof(name));
            if (understood(drivers[i].driver, drivers[i].devices, option, name))
                same++;
            else if (CHECK(listed(drivers[i].driver, name)))
                different++;
            else
                fprintf(stderr, "%s %s: not understood, and not in the page\n", drivers[i].driver,
                        option);
        }
    CHECK(!understood("dummy", "provides [\"camera:1\"]", "colour 1", "colour"));
    CHECK(!listed("dummy", "colour"));
    printf("%u options understood, %u in the page\n", same, different);
    unlink(image);
    free(page);
    return check_result();
}
