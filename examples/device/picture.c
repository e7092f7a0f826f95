/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * picture.c - replays a log, compares it with what was driven, and draws it
 *
 * usage: picture HOST:PORT PATH-FILE PICTURE.png
 *
 * The map, the path and the last scan come from the devices of the server. The
 * file is what drive has written: each of its positions must come again.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas.h"
#include "replayed.h"

#define PIXELS 8    /* of a cell of the map */
#define ROBOT 0.2   /* m: the radius to draw it with */
#define SAME 0.0011 /* the log has three decimals */
#define MARGIN 24   /* pixels from the corner to the scale */

static const struct colour FLOOR = {250, 250, 248}, GRID = {236, 236, 232}, WALL = {92, 96, 102},
                           UNKNOWN = {205, 205, 200}, SCAN = {255, 193, 84}, HIT = {214, 96, 0},
                           BEGIN = {22, 148, 86}, GOAL = {200, 30, 60}, ROBOT_BODY = {40, 44, 52},
                           WHITE = {255, 255, 255}, INK = {40, 44, 52};

struct picture {
    struct canvas canvas;
    const struct replayed *world;
    double scale; /* pixels of a metre */
};

static double column(const struct picture *p, double x)
{
    return (x - p->world->info.origin.px) * p->scale;
}

static double row(const struct picture *p, double y)
{
    return p->canvas.height - (y - p->world->info.origin.py) * p->scale;
}

static void draw_grid(struct picture *p)
{
    double i;

    for (i = p->scale; i < p->canvas.width; i += p->scale)
        canvas_box(&p->canvas, (int)i, 0, 1, p->canvas.height, GRID);
    for (i = p->scale; i < p->canvas.height; i += p->scale)
        canvas_box(&p->canvas, 0, p->canvas.height - (int)i, p->canvas.width, 1, GRID);
}

static void draw_map(struct picture *p)
{
    int x, y, width = (int)p->world->info.width, height = (int)p->world->info.height;

    for (y = 0; y < height; y++)
        for (x = 0; x < width; x++) {
            int8_t cell = p->world->cells[y * width + x];

            if (cell >= 0)
                canvas_box(&p->canvas, x * PIXELS, (height - 1 - y) * PIXELS, PIXELS, PIXELS,
                           cell > 0 ? WALL : UNKNOWN);
        }
}

static ach_pose2d_t laser_pose(const struct replayed *w)
{
    ach_pose2d_t robot = replayed_pose(w, w->scan_time);
    double c = cos(robot.pa), s = sin(robot.pa);

    return (ach_pose2d_t){.px = robot.px + c * w->laser.px - s * w->laser.py,
                          .py = robot.py + s * w->laser.px + c * w->laser.py,
                          .pa = robot.pa + w->laser.pa};
}

/* How far the ray goes that comes nearest to this direction; 0: the scanner does not look there. */
static double seen(const struct replayed *w, double direction)
{
    double off = remainder(direction, 2 * M_PI);
    double i = round((off - w->scan.min_angle) / w->scan.resolution);

    return i >= 0 && i < w->scan.ranges_count ? w->ranges[(size_t)i] : 0;
}

/* What the scanner sees is free up to the ends of its rays. */
static void draw_scan(struct picture *p)
{
    const struct replayed *w = p->world;
    ach_pose2d_t at = laser_pose(w);
    double x0 = column(p, at.px), y0 = row(p, at.py);
    int x, y;
    uint32_t i;

    for (y = 0; y < p->canvas.height; y++)
        for (x = 0; x < p->canvas.width; x++) {
            double dx = x + 0.5 - x0, dy = y0 - y - 0.5;

            if (hypot(dx, dy) < seen(w, atan2(dy, dx) - at.pa) * p->scale)
                canvas_blend(&p->canvas, x, y, SCAN, 0.28);
        }
    for (i = 0; i < w->scan.ranges_count; i++) {
        double angle = at.pa + w->scan.min_angle + i * w->scan.resolution;

        if (w->ranges[i] < w->scan.max_range - 0.1)
            canvas_disk(&p->canvas, x0 + cos(angle) * w->ranges[i] * p->scale,
                        y0 - sin(angle) * w->ranges[i] * p->scale, 2.2, HIT);
    }
}

/* From blue to red as time goes on. */
static struct colour moment(double part)
{
    return (struct colour){(uint8_t)(40 + 160 * part), (uint8_t)(110 - 70 * part),
                           (uint8_t)(220 - 130 * part)};
}

static void draw_path(struct picture *p)
{
    const struct position *path = p->world->path;
    size_t i;

    for (i = 1; i < p->world->count; i++)
        canvas_line(&p->canvas, column(p, path[i - 1].pose.px), row(p, path[i - 1].pose.py),
                    column(p, path[i].pose.px), row(p, path[i].pose.py), 4,
                    moment((double)i / (double)p->world->count));
}

/* The robot, looking where it looks. */
static void draw_robot(struct picture *p, const ach_pose2d_t *pose, struct colour mark)
{
    double x = column(p, pose->px), y = row(p, pose->py), r = ROBOT * p->scale;

    canvas_disk(&p->canvas, x, y, r, ROBOT_BODY);
    canvas_disk(&p->canvas, x, y, r - 3, mark);
    canvas_line(&p->canvas, x, y, x + cos(pose->pa) * r, y - sin(pose->pa) * r, 3, WHITE);
    canvas_ring(&p->canvas, x, y, r + 5, 2.5, mark);
}

/* Rows of five pixels, the leftmost the highest bit. */
static void draw_glyph(struct picture *p, int x, int y, const uint8_t rows[7])
{
    int i, j;

    for (j = 0; j < 7; j++)
        for (i = 0; i < 5; i++)
            if (rows[j] >> (4 - i) & 1)
                canvas_box(&p->canvas, x + 2 * i, y + 2 * j, 2, 2, INK);
}

/* Two metres, in halves. */
static void draw_scale(struct picture *p)
{
    static const uint8_t two[7] = {14, 17, 1, 2, 4, 8, 31}, m[7] = {0, 0, 26, 21, 21, 21, 21};
    int i, half = (int)(p->scale / 2), x = MARGIN + 16, y = p->canvas.height - MARGIN - 30;

    canvas_box(&p->canvas, x - 10, y - 10, 4 * half + 56, 34, WHITE);
    canvas_box(&p->canvas, x - 2, y, 4 * half + 4, 14, INK);
    for (i = 0; i < 4; i += 2)
        canvas_box(&p->canvas, x + (i + 1) * half, y + 2, half, 10, WHITE);
    draw_glyph(p, x + 4 * half + 12, y, two);
    draw_glyph(p, x + 4 * half + 28, y, m);
}

static bool draw(const struct replayed *w, const char *path)
{
    struct picture p = {.world = w, .scale = PIXELS / (double)w->info.scale};
    bool ok;

    if (!canvas_init(&p.canvas, (int)w->info.width * PIXELS, (int)w->info.height * PIXELS, FLOOR))
        return false;
    draw_grid(&p);
    draw_scan(&p);
    draw_map(&p);
    draw_path(&p);
    draw_robot(&p, &w->path[0].pose, BEGIN);
    draw_robot(&p, &w->path[w->count - 1].pose, GOAL);
    draw_scale(&p);
    ok = canvas_save(&p.canvas, path);
    canvas_finish(&p.canvas);
    return ok;
}

static bool same(const struct position *a, const struct position *b)
{
    return fabs(a->time - b->time) < SAME && fabs(a->pose.px - b->pose.px) < SAME &&
           fabs(a->pose.py - b->pose.py) < SAME && fabs(a->pose.pa - b->pose.pa) < SAME;
}

/* Each position that the driving program saw comes again, at its time, unless it was lost. */
static bool compare(const struct replayed *w, FILE *driven)
{
    struct position p;
    size_t at = 0, n = 0, missing = 0;

    while (fscanf(driven, "%lf %lf %lf %lf", &p.time, &p.pose.px, &p.pose.py, &p.pose.pa) == 4) {
        n++;
        while (at < w->count && w->path[at].time < p.time - SAME)
            at++;
        missing += at == w->count || !same(&w->path[at], &p);
    }
    printf("  %zu positions were driven, %zu of them came again at their times\n", n, n - missing);
    return n > 0 && missing <= w->lost;
}

int main(int argc, char **argv)
{
    struct replayed w;
    FILE *driven = argc == 4 ? fopen(argv[2], "r") : NULL;
    bool good;

    if (!driven) {
        fprintf(stderr, "picture: give a server, what drive has written, and a picture's name\n");
        return 1;
    }
    replayed_get(&w, argv[1]);
    good = compare(&w, driven);
    fclose(driven);
    if (!good)
        fprintf(stderr, "picture: the replayed path is another one; %" PRIu64 " lost\n", w.lost);
    else if (!w.ranges || !(good = draw(&w, argv[3])))
        fprintf(stderr, "picture: cannot draw %s\n", argv[3]);
    good = good && w.ranges;
    replayed_finish(&w);
    return good ? 0 : 1;
}
