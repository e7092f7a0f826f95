/* SPDX-License-Identifier: BSD-3-Clause */
/* Macros, types and headers that sources for Ach 2 name. */
#include <ach/generic.h>
#include <ach/klinux_generic.h>

#include "ach2.h"

#include <sys/ioctl.h>

static enum ach_status ACH_WARN_UNUSED copy(char *ACH_RESTRICT to, const char *ACH_RESTRICT from)
{
    strcpy(to, from);
    return ACH_OK;
}

int old_name(void) ACH_DEPRECATED("use new_name");

static int is_news(ach_status_t r)
{
    enum ach_mask mask = ACH_MASK_OK;
    ach_mask_t both = ACH_MASK_OK | ACH_MASK_MISSED_FRAME;

    return ach_status_match(r, mask) || ach_status_match(r, both);
}

int main(void)
{
    struct ach_ctrl_create_ch request;
    achk_opt_t options;
    ach_get_opts_t how = ACH_O_LAST;
    char text[16];

    memset(&request, 0, sizeof(request));
    memset(&options, 0, sizeof(options));
    options.options = how;
    options.reltime.tv_sec = 1;
    CHECK(copy(text, "copied") == ACH_OK && strcmp(text, "copied") == 0);
    CHECK(is_news(ACH_OK) && is_news(ACH_MISSED_FRAME) && !is_news(ACH_TIMEOUT));
    CHECK((ACH_MASK_ALL & ACH_STATUS_MASK(ACH_ENOTSUP)) != 0);
    CHECK(_IOC_SIZE(ACH_CTRL_CREATE_CH) == sizeof(request));
    CHECK(_IOC_NR(ACH_CH_CANCEL) == 7);
    return 0;
}
