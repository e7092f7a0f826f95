/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/* control.h - /dev/achctrl, which creates and removes channels */
#ifndef ACHK_CONTROL_H
#define ACHK_CONTROL_H

int achk_control_init(void);
void achk_control_exit(void);

#endif
