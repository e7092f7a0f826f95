/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - find the physics engine that a section names */
#ifndef PHYS_ENGINE_H
#define PHYS_ENGINE_H

#include <ach/physics.h>

/* Built-in engines. */
extern const ach_physics_class_t phys_pendulum, phys_cartpole;

/*
 * Reads the option "engine": the name of a built-in engine, or of one in the plug-in that the
 * option "plugin" names (default: physics-ENGINE). A plug-in stays loaded.
 */
ach_status_t phys_engine_find(ach_section_t *section, const ach_physics_class_t **engine);

#endif
