/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c - bodies printed, as JSON, and read from JSON and words */
#include "check.h"

#include <ach/interfaces.h>
#include <locale.h>
#include <math.h>

static char *printed(const ach_type_t *type, const void *body, bool json)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    REQUIRE(f);
    if (json)
        ach_body_json(type, body, f);
    else
        ach_body_print(type, body, 2, f);
    REQUIRE(fclose(f) == 0);
    return text;
}

static void check_text(const ach_type_t *type, const void *body, bool json, const char *want)
{
    char *text = printed(type, body, json);

    if (!check_that(strcmp(text, want) == 0, __FILE__, __LINE__, type->name))
        fprintf(stderr, "got:  %s\nwant: %s\n", text, want);
    free(text);
}

static void lines(void)
{
    float ranges[] = {0.1f, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    uint8_t intensity[] = {1, 2};
    ach_laser_data_scanpose_t scan = {.scan = {.min_angle = -1.5f,
                                               .ranges_count = 10,
                                               .ranges = ranges,
                                               .intensity_count = 2,
                                               .intensity = intensity,
                                               .id = 7},
                                      .pose = {.px = 1, .py = -2.5}};
    ach_sonar_geom_t empty = {.poses_count = 0};
    char name[] = "a\tb\xc2\x9b\x9b\xc3\xa9"; /* U+009B controls a terminal */
    ach_player_driverinfo_t info = {.driver_name_count = sizeof(name), .driver_name = name};

    check_text(&ach_laser_data_scanpose_type, &scan, false,
               "  scan\n"
               "    min_angle  -1.5\n"
               "    max_angle  0\n"
               "    resolution 0\n"
               "    max_range  0\n"
               "    ranges     [10] 0.1 2 3 4 5 6 7 8 ...\n"
               "    intensity  [2] 1 2\n"
               "    id         7\n"
               "  pose px=1 py=-2.5 pa=0\n");
    check_text(&ach_sonar_geom_type, &empty, false, "  poses [0]\n");
    check_text(&ach_player_driverinfo_type, &info, false,
               "  addr        host=0 robot=0 interf=0 index=0\n"
               "  driver_name \"a\\x09b\\xc2\\x9b\\x9b\xc3\xa9\"\n");
}

static void json(void)
{
    double ranges[] = {0.1, NAN, INFINITY, -INFINITY, 1.0 / 3};
    ach_ranger_data_range_t data = {.ranges_count = 5, .ranges = ranges};
    char name[] = "\"\\\n\xc3\xa9\xff\xc2\x9b";
    ach_simulation_pose2d_req_t pose = {
        .name_count = sizeof(name), .name = name, .pose = {.pa = 3}};
    ach_map_data_t map = {.data_count = 2, .data = (int8_t[]){-1, 1}, .data_range = 1};

    check_text(&ach_ranger_data_range_type, &data, true,
               "{\"ranges\": [0.1, null, 1e999, -1e999, 0.3333333333333333]}");
    check_text(&ach_simulation_pose2d_req_type, &pose, true,
               "{\"name\": \"\\\"\\\\\\u000a\xc3\xa9\xef\xbf\xbd\\u009b\", "
               "\"pose\": {\"px\": 0, \"py\": 0, \"pa\": 3}}");
    check_text(&ach_map_data_type, &map, true,
               "{\"col\": 0, \"row\": 0, \"width\": 0, \"height\": 0, \"data_range\": 1, "
               "\"data\": [-1, 1]}");
}

static void read_json(void)
{
    ach_vectormap_layer_data_t *layer;
    ach_ranger_data_range_t *ranger;
    void *body;

    REQUIRE_OK(ach_body_from_json(&ach_ranger_data_range_type,
                                  "{\"ranges\": [-1e999, Infinity, 1e308, null]}", &body));
    ranger = body;
    CHECK(ranger->ranges[0] == -INFINITY && ranger->ranges[1] == INFINITY);
    CHECK(ranger->ranges[2] == 1e308 && isnan(ranger->ranges[3]));
    free(body);
    REQUIRE_OK(ach_body_from_json(
        &ach_vectormap_layer_data_type,
        " { \"features\" : [ {\"wkb\": [1, 2,3 ], \"name\":\"\\u00e9\\ud83d\\ude00\\n\"},{}],\n"
        "\t\"name\": \"roads\" } ",
        &body));
    layer = body;
    CHECK(layer->name_count == 6 && strcmp(layer->name, "roads") == 0);
    REQUIRE(layer->features_count == 2);
    CHECK(layer->features[0].wkb_count == 3 && layer->features[0].wkb[2] == 3);
    CHECK(strcmp(layer->features[0].name, "\xc3\xa9\xf0\x9f\x98\x80\n") == 0);
    CHECK(layer->features[0].name_count == 8);
    CHECK(layer->features[1].name_count == 0 && layer->features[1].name[0] == 0);
    CHECK(layer->features[1].wkb == NULL);
    free(body);
    REQUIRE_OK(ach_body_from_json(&ach_vectormap_layer_data_type,
                                  "{\"name\": \"\\ud83d-\\udc00\\/\"}", &body));
    layer = body;
    CHECK(strcmp(layer->name, "\xef\xbf\xbd-\xef\xbf\xbd/") == 0); /* half a pair: U+FFFD */
    free(body);
}

/* The error message for a bad JSON text contains @why. */
static void bad_json(const ach_type_t *type, const char *text, const char *why)
{
    void *body = &body;

    CHECK_STATUS(ach_body_from_json(type, text, &body), ACH_EINVAL);
    CHECK(body == &body);
    if (!check_that(strstr(ach_errstr(), why) != NULL, __FILE__, __LINE__, text))
        fprintf(stderr, "got: %s\nwant: %s\n", ach_errstr(), why);
}

static void all_bad_json(void)
{
    const ach_type_t *pos = &ach_position2d_data_type, *filter = &ach_laser_set_filter_config_type;

    bad_json(pos, "", "expected '{', found the end");
    bad_json(pos, "[]", "expected '{', found '[]'");
    bad_json(pos, "{\"pos\": 1}", "expected '{', found '1}'");
    bad_json(pos, "{\"pos\": {\"px\": }}", "px: expected a number (double), found '}}'");
    bad_json(pos, "{\"nothing\": 1}", "there is no field \"nothing\"");
    bad_json(pos, "{\"stall\": 256}", "stall: 256 does not fit uint8");
    bad_json(pos, "{\"stall\": -1}", "stall: -1 does not fit uint8");
    bad_json(pos, "{\"pos\": {\"px\": 1e400}}", "px: 1e400 does not fit double");
    bad_json(&ach_laser_data_type, "{\"ranges\": [1, -1e300]}",
             "ranges: -1e300 does not fit float");
    bad_json(pos, "{\"stall\" 1}", "expected ':'");
    bad_json(pos, "{\"stall\": 1", "expected ',' or '}', found the end");
    bad_json(pos, "{\"stall\": 1} x", "expected nothing more");
    bad_json(filter, "{\"parameters_count\": 1}", "the length of its array sets it");
    bad_json(filter, "{\"parameters\": [1,2,3,4,5,6,7,8,9]}", "9 elements, at most 8");
    bad_json(filter, "{\"parameters\": [1,,2]}", "expected a number");
    bad_json(filter, "{\"parameters\": [1,2", "expected ',' or ']', found the end");
    bad_json(filter, "{\"parameters\": 3}", "expected '['");
    bad_json(&ach_localize_set_pose_type, "{\"cov\": [1, 2]}", "2 elements, exactly 6");
    bad_json(&ach_speech_cmd_type, "{\"string\": \"\\x\"}", "expected a string");
    bad_json(&ach_speech_cmd_type, "{\"string\": \"a\\u0000b\"}",
             "string: a string must not contain NUL");
    bad_json(&ach_wifi_iwspy_addr_req_type, "{\"address\": \"a\\u0000\"}", "must not contain NUL");
    bad_json(&ach_speech_cmd_type, "{\"string\": \"abc", "expected a string");
    bad_json(&ach_wifi_iwspy_addr_req_type, "{\"address\": \"123456789012345678901234567890123\"}",
             "at most 32");
}

static void words(void)
{
    static const char *const scan[] = {"ranges=1,2.5,-3e2", "intensity=[7,0x10]", "ranges[1]=9",
                                       "id=0xff"};
    static const char *const geom[] = {"poses[2].pyaw=0.5", "poses[0]={\"px\": 4}"};
    static const char *const say[] = {"string=[hello], \"world\"=x"};
    ach_laser_data_t *laser;
    ach_sonar_geom_t *sonar;
    ach_speech_cmd_t *speech;
    void *body;

    REQUIRE_OK(ach_body_from_words(&ach_laser_data_type, scan, 4, &body));
    laser = body;
    CHECK(laser->ranges_count == 3 && laser->ranges[1] == 9 && laser->ranges[2] == -300);
    CHECK(laser->intensity_count == 2 && laser->intensity[1] == 16 && laser->id == 255);
    free(body);
    REQUIRE_OK(ach_body_from_words(&ach_sonar_geom_type, geom, 2, &body));
    sonar = body;
    CHECK(sonar->poses_count == 3 && sonar->poses[2].pyaw == 0.5 && sonar->poses[0].px == 4);
    free(body);
    REQUIRE_OK(ach_body_from_words(&ach_speech_cmd_type, say, 1, &body));
    speech = body;
    CHECK(strcmp(speech->string, "[hello], \"world\"=x") == 0 && speech->string_count == 19);
    free(body);
    REQUIRE_OK(ach_body_from_words(&ach_speech_cmd_type, NULL, 0, &body));
    speech = body;
    CHECK(speech->string_count == 0 && speech->string[0] == 0);
    free(body);
}

static void bad_word(const ach_type_t *type, const char *word, const char *why)
{
    void *body = &body;

    CHECK_STATUS(ach_body_from_words(type, &word, 1, &body), ACH_EINVAL);
    if (!check_that(strstr(ach_errstr(), why) != NULL, __FILE__, __LINE__, word))
        fprintf(stderr, "got: %s\nwant: %s\n", ach_errstr(), why);
}

static void all_bad_words(void)
{
    const ach_type_t *pos = &ach_position2d_data_type, *laser = &ach_laser_data_type;

    bad_word(pos, "stall", "expected NAME=VALUE, found 'stall'; the names are: pos {px, py, pa}");
    bad_word(
        pos, "stalled=1",
        "position2d.data has no field 'stalled'; did you mean 'stall'? It has: pos {px, py, pa}, "
        "vel {px, py, pa}, stall");
    bad_word(pos, "elephant=1", "no field 'elephant'; it has: pos {px, py, pa}");
    bad_word(pos, "pos.x=1", "pose2d has no field 'x'; did you mean 'px'? It has: px, py, pa");
    bad_word(pos, "pos=1,2", "pos is a pose2d {px, py, pa}: write pos.px=1 pos.py=2");
    bad_word(pos, "pos=", "pos is a pose2d {px, py, pa}: write pos.px=...");
    bad_word(&ach_sonar_geom_type, "poses=1, 2",
             "poses is an array of pose3d {px, py, pz, proll, ppitch, pyaw}: write "
             "poses[0].px=1 poses[0].py=2");
    bad_word(&ach_sonar_geom_type, "poses[3]=1",
             "poses is a pose3d {px, py, pz, proll, ppitch, pyaw}: write poses[3].px=1");
    bad_word(laser, "range=1", "did you mean 'ranges'?");
    bad_word(pos, "stall.x=1", "stall: expected '=', found '.x=1'");
    bad_word(pos, "pos.px=abc", "px: expected a number (double), found 'abc'");
    bad_word(pos, "pos.px=nan", "px: expected a finite number (double), found 'nan'");
    bad_word(pos, "pos.px=1e400", "px: 1e400 does not fit double");
    bad_word(pos, "pos.px=1e999", "px: expected a finite number (double), found '1e999'");
    bad_word(laser, "ranges=1,-1e40", "ranges: -1e40 does not fit float");
    bad_word(pos, "pos.px=1x", "expected nothing after the value, found 'x'");
    bad_word(pos, "stall[0]=1", "stall is not an array");
    bad_word(laser, "ranges_count=3", "the length of its array sets it");
    bad_word(laser, "ranges=1;2", "expected nothing after");
    bad_word(laser, "ranges=1,2,", "expected a number");
    bad_word(laser, "ranges[100000]=1", "expected an index below 100000");
    bad_word(laser, "ranges[-1]=1", "expected an index");
    bad_word(&ach_localize_set_pose_type, "cov=1,2", "expected 6 numbers, found 2");
}

/* Numbers have a decimal point also in a locale with decimal commas. */
static void other_locale(void)
{
    static const char *const word[] = {"angle=0.5"};
    ach_position2d_cmd_car_t *car;
    void *body;

    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8"))
        printf("no locale with a decimal comma here\n");
    REQUIRE_OK(ach_body_from_words(&ach_position2d_cmd_car_type, word, 1, &body));
    car = body;
    CHECK(car->angle == 0.5);
    check_text(&ach_position2d_cmd_car_type, body, true, "{\"velocity\": 0, \"angle\": 0.5}");
    free(body);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    lines();
    json();
    read_json();
    all_bad_json();
    words();
    all_bad_words();
    other_locale();
    return check_result();
}
