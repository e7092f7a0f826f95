/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - to find the engine that a section asks for */
#ifndef ACHI_ENGINE_H
#define ACHI_ENGINE_H

#include <ach/physics.h>

/* Those that need no plug-in. */
extern const ach_physics_class_t achi_physics_pendulum, achi_physics_cartpole;

/*
 * The option "engine": one that is built in, or one of the plug-in that the option "plugin"
 * names, by default of physics-ENGINE. A plug-in stays loaded.
 */
ach_status_t achi_engine_find(ach_section_t *section, const ach_physics_class_t **engine);

#endif
