/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * writelog - record the messages of devices
 *
 * Each message of the required devices becomes a line of a file. Their geometry and configuration
 * are requested when a file begins. The provided log device starts and stops the recording, and
 * names the file.
 */
#include <ach.h>
#include <ach/interface/localize.h>
#include <ach/interface/log.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../drivers.h"
#include "../log/line.h"
#include "file.h"
#include "image.h"

#define FILES_PER_HOUR 100

/* Seconds after which an answer is not expected any more. */
#define PATIENCE 5.0

/* A required device. */
struct writelog_device {
    ach_address_t address;
    double asked;     /* when its particles were requested; negative: no answer is expected */
    unsigned images;  /* number of its next image */
    bool image_fails; /* the last image could not be saved */
};

struct writelog {
    ach_address_t here;
    struct writelog_device *there;
    size_t count;
    bool log_images, save_images; /* of cameras */
    bool particles;               /* record those of localize devices */
    bool record;                  /* start recording at setup */
    bool recording;
    int files;      /* number of files that may be created in an hour */
    double unused;  /* number of them that are left */
    double counted; /* when unused was updated */
    struct drv_logfile file;
    struct drv_entry configured; /* the file that the config file names */
    struct drv_text text;
};

static void writelog_destroy(ach_driver_t *driver, void *state)
{
    struct writelog *l = state;

    (void)driver;
    free(l->text.data);
    free(l->there);
    free(l);
}

/* The date, as Player writes it in names. */
static void date_text(char *date, size_t size)
{
    time_t now = time(NULL);
    struct tm tm;

    *date = '\0';
    if (localtime_r(&now, &tm))
        strftime(date, size, "%Y_%m_%d_%H_%M_%S", &tm);
}

/* The default name: basename, date, extension. */
static void default_name(ach_section_t *options, const char *date, char *name, size_t size)
{
    const char *base = ach_section_string(options, "basename", "writelog_");
    const char *extension = ach_section_string(options, "extension", ".log");
    bool timestamp = ach_section_bool(options, "timestamp", true);

    snprintf(name, size, "%s%s%s", base, timestamp ? date : "", extension);
}

static void writelog_read_options(ach_section_t *options, struct writelog *l)
{
    bool dated = ach_section_bool(options, "timestamp_directory", false);
    char name[512], date[32];

    date_text(date, sizeof(date));
    default_name(options, date, name, sizeof(name));
    if (dated && !ach_section_has(options, "log_directory"))
        ach_section_refuse(options, "timestamp_directory", 0, "no, or a log_directory as well");
    drv_entry_read(&l->configured, options, name, dated ? date : "");
    l->file.entry = l->configured;
    l->record = ach_section_bool(options, "autorecord", true);
    l->files = ach_section_int(options, "files_per_hour", FILES_PER_HOUR);
    if (l->files < 1)
        ach_section_refuse(options, "files_per_hour", 0, "a number above 0");
    l->unused = l->files;
    l->log_images = ach_section_bool(options, "camera_log_images", true);
    l->save_images = ach_section_bool(options, "camera_save_images", false);
    l->particles = ach_section_bool(options, "write_particles", false);
    l->file.sync = ach_section_double(options, "sync", 0);
    if (!(l->file.sync >= 0))
        ach_section_refuse(options, "sync", 0, "0, or a number of seconds above 0");
}

static ach_status_t writelog_claim(ach_driver_t *driver, ach_section_t *options, struct writelog *l)
{
    static const uint8_t requests[] = {ACH_LOG_REQ_SET_WRITE_STATE, ACH_LOG_REQ_GET_STATE,
                                       ACH_LOG_REQ_SET_FILENAME};
    ach_status_t status = ach_driver_provide(driver, ACH_LOG_CODE, NULL, &l->here);
    size_t i, n = ach_section_tuple_count(options, "requires");

    for (i = 0; i < sizeof(requests) && status == ACH_OK; i++)
        status = ach_driver_handles(driver, &l->here, ACH_MSG_REQ, requests[i]);
    if (status != ACH_OK)
        return status;
    if (!n) {
        ach_section_refuse(options, "requires", 0, "one device or more");
        return ACH_EINVAL;
    }
    l->there = calloc(n, sizeof(*l->there));
    if (!l->there)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    while (l->count < n && status == ACH_OK) {
        l->there[l->count].asked = -1;
        status = ach_driver_require(driver, 0, NULL, &l->there[l->count++].address);
    }
    return status;
}

static ach_status_t writelog_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct writelog *l = calloc(1, sizeof(*l));
    ach_status_t status;

    if (!l)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    l->file.fd = -1;
    writelog_read_options(options, l);
    status = writelog_claim(driver, options, l);
    if (status != ACH_OK)
        writelog_destroy(driver, l);
    *state = l;
    return status;
}

/* The answers arrive in process. A device without this request answers with a NACK: ignored. */
static void ask_one(ach_driver_t *driver, const ach_address_t *to, const char *name)
{
    const ach_interface_t *interf = ach_interface_by_code(to->interf);
    const ach_message_def_t *def = ach_interface_message_named(interf, ACH_MSG_REQ, name);
    ach_header_t h = {.address = *to, .type = ACH_MSG_REQ};
    ach_message_t *m;

    if (!def)
        return;
    h.subtype = def->subtype;
    h.timestamp = ach_driver_time(driver);
    if (ach_message_create(&h, NULL, &m) == ACH_OK) {
        ach_driver_send(driver, to, m);
        ach_message_unref(m);
    }
}

static void ask_geometry(ach_driver_t *driver, const struct writelog *l)
{
    static const char *const names[] = {"GET_GEOM", "GEOM", "POSE", "GET_CONFIG"};
    size_t i, j;

    for (i = 0; i < l->count; i++)
        for (j = 0; j < sizeof(names) / sizeof(names[0]); j++)
            ask_one(driver, &l->there[i].address, names[j]);
}

/* Clients create files by requests and by subscribing: limit the rate, to protect the disk. */
static ach_status_t open_file(ach_driver_t *driver, struct writelog *l)
{
    double now = ach_driver_time(driver), passed = now > l->counted ? now - l->counted : 0;
    ach_status_t status;

    l->unused += passed / 3600 * l->files;
    if (l->unused > l->files)
        l->unused = l->files;
    l->counted = now;
    if (l->unused < 1)
        return ach_errstr_set(ACH_EACCES,
                              "%d files were created within an hour; set the option files_per_hour "
                              "of the driver to allow more",
                              l->files);
    status = drv_logfile_open(driver, &l->file);
    if (status == ACH_OK)
        l->unused--;
    return status;
}

static ach_status_t start(ach_driver_t *driver, struct writelog *l)
{
    ach_status_t status;

    if (l->file.fd < 0) {
        status = open_file(driver, l);
        if (status != ACH_OK)
            return status;
        l->text.size = 0;
        drv_line_head(&l->text);
        drv_logfile_append(driver, &l->file, l->text.data, l->text.size);
        ask_geometry(driver, l);
        ach_driver_log(driver, ACH_LOG_INFO, "recording to %s", l->file.entry.path);
    }
    l->recording = true;
    return ACH_OK;
}

/* Block SIGXFSZ: exceeding the file size limit is a write error and must not end the process. */
static ach_status_t writelog_setup(ach_driver_t *driver, void *state)
{
    struct writelog *l = state;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return l->record ? start(driver, l) : ACH_OK;
}

static void writelog_shut_down(ach_driver_t *driver, void *state)
{
    struct writelog *l = state;

    l->recording = false;
    drv_logfile_close(driver, &l->file);
    l->file.entry = l->configured; /* a client's name is valid until shutdown only */
}

static struct writelog_device *writelog_device_of(const struct writelog *l, const ach_message_t *m)
{
    size_t i = 0;

    while (i < l->count &&
           !ach_address_equal(&l->there[i].address, &ach_message_header(m)->address))
        i++;
    return i < l->count ? &l->there[i] : NULL;
}

static ach_status_t append(ach_driver_t *driver, struct writelog *l, const ach_message_t *m)
{
    ach_status_t status;

    l->text.size = 0;
    status = drv_line_write(&l->text, m, ach_driver_robot_number(driver));
    if (status == ACH_OK)
        drv_logfile_append(driver, &l->file, l->text.data, l->text.size);
    return status;
}

static ach_status_t append_without_image(ach_driver_t *driver, struct writelog *l,
                                         const ach_message_t *m, const ach_camera_data_t *image)
{
    ach_camera_data_t rest = *image;
    ach_message_t *line;
    ach_status_t status;

    rest.image_count = 0;
    rest.image = NULL;
    status = ach_message_create(ach_message_header(m), &rest, &line);
    if (status == ACH_OK) {
        status = append(driver, l, line);
        ach_message_unref(line);
    }
    return status;
}

static void save_image(ach_driver_t *driver, struct writelog *l, struct writelog_device *d,
                       const ach_camera_data_t *image)
{
    bool ok = drv_image_save(&l->file.entry, d->address.index, &d->images, image) == ACH_OK;

    if (!ok && !d->image_fails)
        ach_driver_log(driver, ACH_LOG_WARNING, "%s", ach_errstr());
    d->image_fails = !ok;
}

static ach_status_t record_image(ach_driver_t *driver, struct writelog *l, const ach_message_t *m)
{
    const ach_camera_data_t *image = ach_message_body(m);
    struct writelog_device *d = writelog_device_of(l, m);

    if (image && d && l->save_images)
        save_image(driver, l, d, image);
    return image && !l->log_images ? append_without_image(driver, l, m, image)
                                   : append(driver, l, m);
}

/* The particles belong to each estimate, but are sent only on request. One at a time. */
static void ask_particles(ach_driver_t *driver, struct writelog *l, const ach_message_t *m)
{
    struct writelog_device *d = writelog_device_of(l, m);
    double now = ach_driver_time(driver);

    if (!d || (d->asked >= 0 && now - d->asked < PATIENCE))
        return;
    d->asked = now;
    ask_one(driver, &d->address, "GET_PARTICLES");
}

static ach_status_t record(ach_driver_t *driver, struct writelog *l, const ach_message_t *m)
{
    if (!l->recording)
        return ACH_OK;
    if (ach_message_is(m, NULL, ACH_MSG_DATA, ACH_CAMERA_DATA_STATE) &&
        ach_message_header(m)->address.interf == ACH_CAMERA_CODE)
        return record_image(driver, l, m);
    if (l->particles && ach_message_is(m, NULL, ACH_MSG_DATA, ACH_LOCALIZE_DATA_HYPOTHS) &&
        ach_message_header(m)->address.interf == ACH_LOCALIZE_CODE)
        ask_particles(driver, l, m);
    return append(driver, l, m);
}

static void note_answer(struct writelog *l, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    struct writelog_device *d = writelog_device_of(l, m);

    if (d && h->address.interf == ACH_LOCALIZE_CODE && h->subtype == ACH_LOCALIZE_REQ_GET_PARTICLES)
        d->asked = -1;
}

static ach_status_t rename_file(ach_driver_t *driver, struct writelog *l,
                                const ach_log_set_filename_t *body)
{
    struct drv_entry entry = l->file.entry;
    ach_status_t status;

    if (l->recording)
        return ach_errstr_set(ACH_EINVAL,
                              "the file name cannot be changed while the file is written");
    status = drv_entry_rename(&entry, body);
    if (status == ACH_OK) {
        drv_logfile_close(driver, &l->file); /* logs losses with the old name */
        l->file.entry = entry;
    }
    return status;
}

static ach_status_t writelog_request(ach_driver_t *driver, struct writelog *l,
                                     const ach_message_t *m)
{
    const void *body = ach_message_body(m);
    ach_log_get_state_t now = {.type = ACH_LOG_TYPE_WRITE, .state = l->recording};
    ach_status_t status = ACH_OK;

    switch (ach_message_header(m)->subtype) {
    case ACH_LOG_REQ_GET_STATE:
        return ach_driver_reply(driver, m, ACH_MSG_ACK, &now);
    case ACH_LOG_REQ_SET_WRITE_STATE:
        if (!body)
            return ACH_ENOTSUP;
        if (((const ach_log_set_write_state_t *)body)->state)
            status = start(driver, l);
        else
            l->recording = false;
        break;
    case ACH_LOG_REQ_SET_FILENAME:
        status = rename_file(driver, l, body);
        break;
    default:
        return ACH_ENOTSUP;
    }
    return status == ACH_OK ? ach_driver_reply(driver, m, ACH_MSG_ACK, NULL) : status;
}

static ach_status_t writelog_process(ach_driver_t *driver, void *state,
                                     const ach_message_t *message)
{
    struct writelog *l = state;
    size_t size;

    switch (ach_message_header(message)->type) {
    case ACH_MSG_DATA:
        return record(driver, l, message);
    case ACH_MSG_NACK:
        note_answer(l, message);
        return ACH_OK;
    case ACH_MSG_ACK:
        note_answer(l, message);
        ach_message_bytes(message, &size);
        return size ? record(driver, l, message) : ACH_OK;
    case ACH_MSG_REQ:
        return writelog_request(driver, l, message);
    default:
        return ACH_OK;
    }
}

const ach_driver_class_t drv_driver_writelog = {
    .version = ACH_DRIVER_VERSION,
    .name = "writelog",
    .create = writelog_create,
    .destroy = writelog_destroy,
    .setup = writelog_setup,
    .shutdown = writelog_shut_down,
    .process = writelog_process,
};
