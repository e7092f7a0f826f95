/* SPDX-License-Identifier: BSD-3-Clause */
/* go.c - the go: permission for a sink to compute */
#include "sim.h"

void sim_go_send(struct sim_sim *s, struct sim_sink *k, bool end, int64_t cpu)
{
    const struct sim_go go = {
        .version = SIM_VERSION,
        .end = end,
        .serial = k->serial,
        .time = k->time,
        .cpu = cpu,
        .horizon = end ? SIM_NEVER : sim_sink_horizon(s, k),
        .posts = s->posts,
        .model = k->child->plan->model,
        .timed = k->timed,
        .cost = k->child->plan->cost,
        .slot = k->slot,
        .away = k->phase == SIM_AWAY,
    };

    ach_put(&k->go, &go, sizeof(go));
}
