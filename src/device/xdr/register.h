/* SPDX-License-Identifier: BSD-3-Clause */
/* register.h - the built-in interfaces, and a look at foreign ones */
#ifndef ACHI_XDR_REGISTER_H
#define ACHI_XDR_REGISTER_H

#include <ach/interface.h>

/* By number; ends with NULL. Made by the generator. */
extern const ach_interface_t *const achi_builtin_interfaces[];

/* Is this a table that the codec can work with? ACH_OK or ACH_EINVAL. */
enum ach_status achi_interface_check(const ach_interface_t *interface);

#endif
