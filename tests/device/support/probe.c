/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe.h"

#include <ach/interface/opaque.h>

#include "check.h"
#include "rig.h"

struct probe_counts probe_counts[PROBES_MAX];

struct probe {
    struct probe_counts *counts;
    int fail_setups;
    bool fail_later;
    int setup_ms;
    double tick;
    ach_address_t address, required;
    ach_message_t *kept;
    bool die;
    bool last_words;
};

void probe_reset(void)
{
    unsigned i;

    for (i = 0; i < PROBES_MAX; i++)
        probe_counts[i] = (struct probe_counts){0};
}

struct rig *probe_start(const char *config)
{
    struct rig *rig = rig_create(false);

    probe_reset();
    rig_add(rig, &probe_class);
    REQUIRE_OK(rig_load(rig, config));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    return rig;
}

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct probe *p = calloc(1, sizeof(*p));
    ach_address_t more;
    ach_status_t status;

    REQUIRE(p);
    *state = p;
    p->counts = &probe_counts[(unsigned)ach_section_int(options, "number", 0) % PROBES_MAX];
    p->fail_setups = ach_section_int(options, "fail_setups", 0);
    p->fail_later = ach_section_bool(options, "fail_later", false);
    p->setup_ms = ach_section_int(options, "setup_ms", 0);
    p->tick = ach_section_double(options, "tick", 0);
    CHECK_OK(ach_driver_property_double(driver, "speed", 1.5));
    CHECK_OK(ach_driver_property_string(driver, "title", "probe"));
    CHECK_STATUS(ach_driver_property_int(driver, "speed", 1), ACH_EEXIST);
    status = ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &p->address);
    if (status != ACH_OK) {
        free(p);
        return status;
    }
    CHECK_OK(ach_driver_handles(driver, &p->address, ACH_MSG_CMD, ACH_OPAQUE_CMD_DATA));
    while (ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &more) == ACH_OK)
        ;
    while (ach_driver_require(driver, 0, NULL, &more) == ACH_OK)
        p->required = more;
    p->last_words = ach_section_bool(options, "last_words", false);
    return ACH_OK;
}

static void destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

static ach_status_t setup(ach_driver_t *driver, void *state)
{
    struct probe *p = state;

    (void)driver;
    p->counts->setups_tried++;
    check_sleep_ms(p->setup_ms);
    if (p->fail_setups-- > 0)
        return ach_errstr_set(ACH_EACCES, "the probe is not in the mood");
    p->counts->setups++;
    if (p->fail_later)
        p->fail_setups = 1;
    p->fail_later = false;
    p->die = false;
    return ACH_OK;
}

static void shut_down(ach_driver_t *driver, void *state)
{
    uint8_t echo = PROBE_ECHO;
    struct probe *p = state;

    if (p->last_words)
        CHECK_OK(ach_driver_command(driver, &p->required, ACH_OPAQUE_CMD_DATA,
                                    &(ach_opaque_data_t){.data_count = 1, .data = &echo}));
    ach_message_unref(p->kept);
    p->kept = NULL;
    p->counts->shutdowns++;
}

static void publish_many(ach_driver_t *driver, const struct probe *p)
{
    uint8_t i;

    for (i = 0; i < 100; i++)
        CHECK_OK(ach_driver_publish(driver, &p->address, ACH_OPAQUE_DATA_STATE,
                                    &(ach_opaque_data_t){.data_count = 1, .data = &i}));
}

static void hold(struct probe_counts *counts)
{
    counts->held = true;
    EVENTUALLY(!counts->held);
}

static ach_status_t command(ach_driver_t *driver, struct probe *p, const ach_message_t *m,
                            uint8_t what)
{
    switch (what) {
    case PROBE_ECHO:
        return ach_driver_forward(driver, &ach_message_header(m)->address, m);
    case PROBE_ANSWER:
        CHECK_OK(ach_driver_reply(driver, p->kept, ACH_MSG_ACK, NULL));
        ach_message_unref(p->kept);
        p->kept = NULL;
        return ACH_OK;
    case PROBE_DIE:
        p->die = true;
        return ACH_OK;
    case PROBE_COUNT:
        publish_many(driver, p);
        return ACH_OK;
    case PROBE_STALL:
        check_sleep_ms(50);
        return ACH_OK;
    case PROBE_HOLD:
        hold(p->counts);
        return ACH_OK;
    case PROBE_FORGET:
        return ACH_OK;
    default:
        return ACH_ENOTSUP;
    }
}

static ach_status_t request(ach_driver_t *driver, struct probe *p, const ach_message_t *m,
                            uint8_t what)
{
    switch (what) {
    case PROBE_ECHO:
        return ach_driver_reply(driver, m, ACH_MSG_ACK, ach_message_body(m));
    case PROBE_FORGET:
        return ACH_OK;
    case PROBE_KEEP:
        ach_message_unref(p->kept);
        p->kept = ach_message_ref(m);
        return ACH_OK;
    case PROBE_TWICE:
        CHECK_OK(ach_driver_reply(driver, m, ACH_MSG_ACK, NULL));
        CHECK_STATUS(ach_driver_reply(driver, m, ACH_MSG_NACK, NULL), ACH_EEXIST);
        return ACH_OK;
    default:
        return ACH_ENOTSUP;
    }
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    struct probe *p = state;
    const ach_header_t *h = ach_message_header(message);
    const ach_opaque_data_t *body = ach_message_body(message);
    uint8_t what = body && body->data_count ? body->data[0] : PROBE_UNKNOWN;

    if (h->type == ACH_MSG_DATA) {
        p->counts->data++;
        return ACH_OK;
    }
    p->counts->messages++;
    return h->type == ACH_MSG_CMD ? command(driver, p, message, what)
                                  : request(driver, p, message, what);
}

static void run(ach_driver_t *driver, void *state)
{
    struct probe *p = state;
    double next = ach_driver_time(driver);

    while (!p->die) {
        if (!(p->tick > 0)) {
            if (!ach_driver_wait(driver, 0.01))
                return;
            continue;
        }
        next += p->tick;
        if (!ach_driver_wait_until(driver, next))
            return;
        p->counts->time = ach_driver_time(driver);
        p->counts->ticks++;
    }
}

const ach_driver_class_t probe_class = {
    .version = ACH_DRIVER_VERSION,
    .name = "probe",
    .create = create,
    .destroy = destroy,
    .setup = setup,
    .shutdown = shut_down,
    .process = process,
    .main = run,
};
