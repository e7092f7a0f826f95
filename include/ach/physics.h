/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * physics.h - for who brings a physics engine
 *
 * A mechanism is one world of one engine: joints that can be driven, bodies that
 * can be seen. An engine is a table of functions; the table is what a plug-in
 * exports:
 *
 *     static const ach_physics_class_t ode = {
 *         .version = ACH_PHYSICS_VERSION, .name = "ode", .create = create, ...
 *     };
 *     ACH_PHYSICS_PLUGIN(&ode)
 *
 * Time
 *     The simulation tells an engine how far to go, in integer nanoseconds, and
 *     what drives the joints is constant on the way. An engine may step back and
 *     forth inside; nobody sees it before step returns. Steps come in any length from
 *     1 ns up to the option "step" of the config file: a command acts when it was
 *     given, also between two steps of the grid.
 *
 * Threads
 *     All functions of one mechanism run one after the other. Two mechanisms may run at
 *     the same time.
 *
 * Units are SI: metres, radians, kilograms, newtons, seconds. x is forward, y
 * left, z up. Poses are of bodies in the world.
 */
#ifndef ACH_PHYSICS_H
#define ACH_PHYSICS_H

#include <ach/config.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Of this header. A plug-in made for another one is refused. */
#define ACH_PHYSICS_VERSION 1u

/* What moves at a joint. */
enum ach_joint_kind { ACH_JOINT_TURNS, ACH_JOINT_SLIDES };

/* What drives a joint. */
enum ach_drive {
    ACH_DRIVE_EFFORT,   /* a torque or force */
    ACH_DRIVE_VELOCITY, /* whatever it takes, up to the joint's strength, for that velocity */
    ACH_DRIVE_POSITION  /* the same, for that position */
};

/* What a joint is; what cannot be said is 0, or infinite. */
typedef struct ach_joint_info {
    const char *name;
    enum ach_joint_kind kind;
    double lowest, highest; /* position */
    double strength;        /* the largest effort */
    double axis[3];         /* in the world, as it is now */
} ach_joint_info_t;

/* How a joint is now. */
typedef struct ach_joint_state {
    double position, velocity, acceleration;
    double effort; /* what drives it */
} ach_joint_state_t;

/* How a body is now. */
typedef struct ach_body_state {
    double position[3];
    double orientation[4];  /* a unit quaternion: w, x, y, z */
    double velocity[3];     /* in the world */
    double rotation[3];     /* angular velocity, in the world */
    double acceleration[3]; /* in the world, without gravity: at rest it is 0 */
} ach_body_state_t;

/* What an engine is made of. What may be NULL says so. */
typedef struct ach_physics_class {
    uint32_t version; /* ACH_PHYSICS_VERSION */
    const char *name; /* as the config file calls it */

    /* Build a mechanism. Not ACH_OK: no simulation, with ach_errstr. */
    ach_status_t (*create)(ach_section_t *options, void **mechanism);
    void (*destroy)(void *mechanism);

    /* Go on by so many nanoseconds. Not ACH_OK: the simulation ends, with ach_errstr. */
    ach_status_t (*step)(void *mechanism, int64_t duration);

    size_t (*joints)(void *mechanism);
    void (*joint_info)(void *mechanism, size_t joint, ach_joint_info_t *info);
    void (*joint_get)(void *mechanism, size_t joint, ach_joint_state_t *state);

    /* From now on. ACH_ENOTSUP: this joint cannot be driven so. */
    ach_status_t (*joint_drive)(void *mechanism, size_t joint, enum ach_drive how, double value);

    size_t (*bodies)(void *mechanism);
    const char *(*body_name)(void *mechanism, size_t body);
    void (*body_get)(void *mechanism, size_t body, ach_body_state_t *state);

    /* Put a body somewhere, at rest. May be NULL. */
    ach_status_t (*body_put)(void *mechanism, size_t body, const double position[3],
                             const double orientation[4]);

    /*
     * How far a ray goes until it meets something else than that body, in metres; the limit
     * if nothing. The direction has length 1. May be NULL: nothing is ever met.
     */
    double (*ray)(void *mechanism, size_t body, const double from[3], const double direction[3],
                  double limit);

    /* Potential and kinetic energy, for who looks at accuracy. May be NULL. */
    double (*energy)(void *mechanism);
} ach_physics_class_t;

/* What a plug-in exports: the engines that it has. */
typedef struct ach_physics_plugin {
    uint32_t version; /* ACH_PHYSICS_VERSION */
    uint32_t count;
    const ach_physics_class_t *const *engines;
} ach_physics_plugin_t;

/* A plug-in with these engines: ACH_PHYSICS_PLUGIN(&one, &another) */
#define ACH_PHYSICS_PLUGIN(...)                                                                    \
    static const ach_physics_class_t *const ach_plugin_engines[] = {__VA_ARGS__};                  \
    __attribute__((visibility("default"))) extern const ach_physics_plugin_t ach_physics_plugin;   \
    const ach_physics_plugin_t ach_physics_plugin = {                                              \
        ACH_PHYSICS_VERSION, sizeof(ach_plugin_engines) / sizeof(ach_plugin_engines[0]),           \
        ach_plugin_engines};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
