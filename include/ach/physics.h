/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * physics.h - for authors of physics engines
 *
 * A mechanism is one world of one engine: joints that can be driven, bodies whose
 * state can be read. An engine is a table of functions; the table is what a plug-in
 * exports:
 *
 *     static const ach_physics_class_t ode = {
 *         .version = ACH_PHYSICS_VERSION, .name = "ode", .create = create, ...
 *     };
 *     ACH_PHYSICS_PLUGIN(&ode)
 *
 * Time
 *     The simulation calls step with a duration in integer nanoseconds. The drives of
 *     the joints are constant during a step. An engine may step back and forth
 *     internally; its state is read only after step returns. Steps have any length from
 *     1 ns up to the option "step" of the config file: a command takes effect at the
 *     time it was given, even between two steps of the grid.
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

/* Version of this header. A plug-in built for another version is refused. */
#define ACH_PHYSICS_VERSION 1u

/* The kind of a joint. */
enum ach_joint_kind { ACH_JOINT_TURNS, ACH_JOINT_SLIDES };

/* What drives a joint. */
enum ach_drive {
    ACH_DRIVE_EFFORT,   /* a torque or force */
    ACH_DRIVE_VELOCITY, /* a velocity, with as much effort as needed, up to the joint's strength */
    ACH_DRIVE_POSITION  /* a position, with as much effort as needed, up to the joint's strength */
};

/* Properties of a joint; unknown ones are 0, or infinite. */
typedef struct ach_joint_info {
    const char *name;
    enum ach_joint_kind kind;
    double lowest, highest; /* position */
    double strength;        /* the largest effort */
    double axis[3];         /* in the world, as it is now */
} ach_joint_info_t;

/* The present state of a joint. */
typedef struct ach_joint_state {
    double position, velocity, acceleration;
    double effort; /* torque or force that drives it */
} ach_joint_state_t;

/* The present state of a body. */
typedef struct ach_body_state {
    double position[3];
    double orientation[4];  /* a unit quaternion: w, x, y, z */
    double velocity[3];     /* in the world */
    double rotation[3];     /* angular velocity, in the world */
    double acceleration[3]; /* in the world, without gravity: at rest it is 0 */
} ach_body_state_t;

/* An engine: its name and functions. A function may be NULL only where it says so. */
typedef struct ach_physics_class {
    uint32_t version; /* ACH_PHYSICS_VERSION */
    const char *name; /* as the config file calls it */

    /* Create a mechanism. Not ACH_OK: the simulation does not start; ach_errstr says why. */
    ach_status_t (*create)(ach_section_t *options, void **mechanism);
    void (*destroy)(void *mechanism);

    /* Advance by duration nanoseconds. Not ACH_OK: the simulation ends; ach_errstr says why. */
    ach_status_t (*step)(void *mechanism, int64_t duration);

    size_t (*joints)(void *mechanism);
    void (*joint_info)(void *mechanism, size_t joint, ach_joint_info_t *info);
    void (*joint_get)(void *mechanism, size_t joint, ach_joint_state_t *state);

    /* Drive a joint from now on. ACH_ENOTSUP: this joint cannot be driven in that way. */
    ach_status_t (*joint_drive)(void *mechanism, size_t joint, enum ach_drive how, double value);

    size_t (*bodies)(void *mechanism);
    const char *(*body_name)(void *mechanism, size_t body);
    void (*body_get)(void *mechanism, size_t body, ach_body_state_t *state);

    /* Move a body to a pose, at rest. May be NULL. */
    ach_status_t (*body_put)(void *mechanism, size_t body, const double position[3],
                             const double orientation[4]);

    /*
     * The distance in metres at which a ray hits anything but that body; the limit if it hits
     * nothing. The direction has length 1. May be NULL: no ray hits anything.
     */
    double (*ray)(void *mechanism, size_t body, const double from[3], const double direction[3],
                  double limit);

    /* The sum of potential and kinetic energy, to check accuracy. May be NULL. */
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
