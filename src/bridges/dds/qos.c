/* SPDX-License-Identifier: BSD-3-Clause */
#include "qos.h"

#include <string.h>

#include "common.h"

/* rmw/qos_profiles.h: rmw_qos_profile_default, _sensor_data and _parameters. */
static const struct {
    const char *name;
    bool reliable;
    int32_t depth;
} profiles[] = {{"default", true, 10}, {"sensor", false, 5}, {"parameters", true, 1000}};

bool achdds_qos_profile(struct achdds_qos *q, const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
        if (strcmp(profiles[i].name, name) == 0) {
            q->reliable = profiles[i].reliable;
            q->depth = profiles[i].depth;
            q->transient_local = false;
            return true;
        }
    tool_complain("'%s' is not a profile: give default, sensor or parameters", name);
    return false;
}

/* As rmw_cyclonedds_cpp does, and without readers and writers of the same participant. */
dds_qos_t *achdds_qos_new(const struct achdds_qos *q)
{
    dds_qos_t *qos = dds_create_qos();

    dds_qset_writer_data_lifecycle(qos, false);
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, q->depth);
    if (q->reliable)
        dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
    else
        dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
    if (q->transient_local) {
        dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
        dds_qset_durability_service(qos, 0, DDS_HISTORY_KEEP_LAST, q->depth, DDS_LENGTH_UNLIMITED,
                                    DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
    }
    dds_qset_ignorelocal(qos, DDS_IGNORELOCAL_PARTICIPANT);
    dds_qset_data_representation(qos, 1,
                                 (dds_data_representation_id_t[]){DDS_DATA_REPRESENTATION_XCDR1});
    return qos;
}

const char *achdds_qos_policy(uint32_t id)
{
    switch (id) {
    case DDS_RELIABILITY_QOS_POLICY_ID:
        return "reliability";
    case DDS_DURABILITY_QOS_POLICY_ID:
        return "durability";
    case DDS_DEADLINE_QOS_POLICY_ID:
        return "deadline";
    case DDS_LIVELINESS_QOS_POLICY_ID:
        return "liveliness";
    case DDS_DATA_REPRESENTATION_QOS_POLICY_ID:
        return "data representation";
    default:
        return "another policy";
    }
}
