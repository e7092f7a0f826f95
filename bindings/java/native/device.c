/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - the native methods of devices and of definitions */
#include "common.h"

#include <ach/definition.h>
#include <ach/device.h>
#include <stdlib.h>
#include <string.h>

/* Devices in a list at most. */
#define LIST_MAX 1024

/* A message of the device's interface by its name. */
static const ach_message_def_t *def_find(const ach_device_t *device, unsigned type,
                                         const char *name)
{
    const ach_interface_t *interface = ach_interface_by_code(ach_device_address(device)->interf);
    const ach_message_def_t *def = name ? ach_interface_message_named(interface, type, name) : NULL;

    if (!def)
        ach_errstr_set(ACH_EINVAL, "%s has no such message: %s",
                       interface ? interface->name : "the interface", name ? name : "(null)");
    return def;
}

NATIVE(jint, deviceOpen, jbyteArray address, jbyteArray transport, jdouble timeout, jint messages,
       jlongArray result)
{
    char *where = jni_text(env, address), *way = jni_text(env, transport);
    ach_device_attr_t attr = {.size = sizeof(attr),
                              .transport = way,
                              .timeout = timeout,
                              .messages = messages > 0 ? (unsigned)messages : 0};
    ach_device_t *device = NULL;
    enum ach_status r = ach_device_open(where, &attr, &device);
    jlong handle = (jlong)(uintptr_t)device;

    free(where);
    free(way);
    return r == ACH_OK ? jni_set_longs(env, result, &handle, 1, ACH_OK) : (jint)r;
}

NATIVE(jint, deviceClose, jlong device)
{
    return (jint)ach_device_close(POINTER(device));
}

/* The message as Message.java reads it: name, timestamp, and the fields if it has a body. */
static void message_write(FILE *to, const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);
    const ach_message_def_t *def =
        ach_interface_message(ach_interface_by_code(h->address.interf), h->type, h->subtype);
    const char *name = def ? def->name : "";
    const void *body = ach_message_body(message);

    fields_write_string(to, name, strlen(name));
    fwrite(&h->timestamp, sizeof(h->timestamp), 1, to);
    if (def && def->body && body)
        fields_write(to, def->body, body);
}

/* What a function writes, as the first element of an array. */
static jint result_set(JNIEnv *env, jobjectArray result, FILE *to, char *const *bytes,
                       const size_t *size, jint status)
{
    bool failed = ferror(to);

    if (fclose(to) != 0 || failed)
        jni_no_memory(env);
    else
        jni_set_bytes(env, result, 0, *bytes, *size, status);
    free(*bytes);
    return status;
}

static jint message_set(JNIEnv *env, jobjectArray result, ach_message_t *message, jint status)
{
    bool corrupt = ach_message_check(message) == ACH_CORRUPT;
    char *bytes = NULL;
    size_t size = 0;
    FILE *to = corrupt ? NULL : open_memstream(&bytes, &size);

    if (to)
        message_write(to, message);
    else if (!corrupt)
        jni_no_memory(env);
    ach_message_unref(message);
    if (corrupt)
        return ACH_CORRUPT;
    return to ? result_set(env, result, to, &bytes, &size, status) : status;
}

NATIVE(jint, deviceGet, jlong device, jbyteArray name, jdouble limit, jint options,
       jobjectArray result)
{
    char *text = jni_text(env, name);
    const ach_message_def_t *def = text ? def_find(POINTER(device), ACH_MSG_DATA, text) : NULL;
    enum ach_status r = ACH_EINVAL;
    ach_message_t *message = NULL;

    if (def || !text)
        r = ach_device_get(POINTER(device), def ? def->subtype : ACH_SUBTYPE_ANY, limit,
                           options | (limit > 0 ? ACH_O_WAIT : 0), &message);
    free(text);
    return message ? message_set(env, result, message, (jint)r) : (jint)r;
}

/* The body of a command or request, to be freed; NULL if it has none. */
static enum ach_status body_of(JNIEnv *env, const ach_message_def_t *def, jbyteArray json,
                               void **body)
{
    enum ach_status r = ACH_OK;
    char *text;

    if (!def)
        return ACH_EINVAL;
    if (!def->body)
        return ACH_OK;
    text = jni_text(env, json);
    r = text ? ach_body_from_json(def->body, text, body) : ACH_EINVAL;
    free(text);
    return r;
}

NATIVE(jint, deviceCommand, jlong device, jbyteArray name, jbyteArray json)
{
    char *text = jni_text(env, name);
    const ach_message_def_t *def = def_find(POINTER(device), ACH_MSG_CMD, text);
    void *body = NULL;
    enum ach_status r = body_of(env, def, json, &body);

    if (r == ACH_OK)
        r = ach_device_command(POINTER(device), def->subtype, body);
    free(body);
    free(text);
    return (jint)r;
}

NATIVE(jint, deviceRequest, jlong device, jbyteArray name, jbyteArray json, jdouble limit,
       jobjectArray result)
{
    char *text = jni_text(env, name);
    const ach_message_def_t *def = def_find(POINTER(device), ACH_MSG_REQ, text);
    ach_message_t *answer = NULL;
    void *body = NULL;
    enum ach_status r = body_of(env, def, json, &body);

    if (r == ACH_OK)
        r = ach_device_request(POINTER(device), def->subtype, body, limit, &answer);
    free(body);
    free(text);
    return answer ? message_set(env, result, answer, (jint)r) : (jint)r;
}

NATIVE(jint, deviceFlush, jlong device, jdouble limit)
{
    return (jint)ach_device_flush(POINTER(device), limit);
}

NATIVE(jint, deviceTexts, jlong device, jobjectArray result)
{
    const char *transport = ach_device_transport(POINTER(device));
    char text[ACH_ADDRESS_MAX];

    ach_address_text(ach_device_address(POINTER(device)), text);
    jni_set_bytes(env, result, 0, text, strlen(text), ACH_OK);
    return jni_set_bytes(env, result, 1, transport, strlen(transport), ACH_OK);
}

NATIVE(jint, deviceNumbers, jlong device, jlongArray result)
{
    jlong numbers[] = {ach_device_rights(POINTER(device)), (jlong)ach_device_lost(POINTER(device)),
                       ach_device_fd(POINTER(device))};

    return jni_set_longs(env, result, numbers, 3, ACH_OK);
}

/* Three texts for each device. */
static jint list_set(JNIEnv *env, jobjectArray result, const ach_device_info_t *infos, size_t count)
{
    jclass bytes = (*env)->FindClass(env, "[B");
    jobjectArray texts =
        bytes ? (*env)->NewObjectArray(env, (jsize)(3 * count), bytes, NULL) : NULL;

    for (size_t i = 0; texts && i < count; i++) {
        const char *remote = infos[i].remote ? "1" : "";
        char text[ACH_ADDRESS_MAX];
        jsize at = (jsize)(3 * i);

        ach_address_text(&infos[i].address, text);
        jni_set_bytes(env, texts, at, text, strlen(text), ACH_OK);
        jni_set_bytes(env, texts, at + 1, infos[i].driver, strlen(infos[i].driver), ACH_OK);
        jni_set_bytes(env, texts, at + 2, remote, strlen(remote), ACH_OK);
    }
    if (texts && !(*env)->ExceptionCheck(env))
        (*env)->SetObjectArrayElement(env, result, 0, texts);
    return ACH_OK;
}

NATIVE(jint, deviceList, jbyteArray where, jbyteArray transport, jdouble timeout,
       jobjectArray result)
{
    char *text = jni_text(env, where), *way = jni_text(env, transport);
    ach_device_attr_t attr = {.size = sizeof(attr), .transport = way, .timeout = timeout};
    ach_device_info_t *infos = calloc(LIST_MAX, sizeof(*infos));
    enum ach_status r = ACH_FAILED_SYSCALL;
    size_t count = 0;

    if (infos)
        r = ach_device_list(text, &attr, infos, LIST_MAX, &count);
    else
        jni_no_memory(env);
    if (r == ACH_OK)
        list_set(env, result, infos, count < LIST_MAX ? count : LIST_MAX);
    free(infos);
    free(text);
    free(way);
    return (jint)r;
}

NATIVE(jint, definitionNew, jbyteArray name, jbyteArray text, jlongArray result)
{
    ach_definition_t *definition = NULL;
    size_t size = 0;
    char *named = jni_text(env, name), *lines = jni_bytes(env, text, &size);
    enum ach_status r = named && lines ? ach_definition_new(named, lines, size, &definition)
                                       : ach_errstr_set(ACH_EINVAL, "a definition without a text");
    jlong handle = (jlong)(uintptr_t)definition;

    free(named);
    free(lines);
    return r == ACH_OK ? jni_set_longs(env, result, &handle, 1, ACH_OK) : (jint)r;
}

NATIVE(jint, definitionFree, jlong definition)
{
    ach_definition_free(POINTER(definition));
    return ACH_OK;
}

NATIVE(jint, cdrDecode, jlong definition, jbyteArray message, jobjectArray result)
{
    const ach_type_t *type = ach_definition_type(POINTER(definition));
    size_t n = 0, size = 0;
    char *bytes = jni_bytes(env, message, &n), *written = NULL;
    void *body = NULL;
    enum ach_status r = ach_cdr_decode_new(type, bytes, n, &body);
    FILE *to = r == ACH_OK ? open_memstream(&written, &size) : NULL;

    free(bytes);
    if (to) {
        fields_write(to, type, body);
        result_set(env, result, to, &written, &size, ACH_OK);
    } else if (r == ACH_OK) {
        jni_no_memory(env);
    }
    free(body);
    return (jint)r;
}

NATIVE(jint, cdrEncode, jlong definition, jbyteArray json, jobjectArray result)
{
    const ach_type_t *type = ach_definition_type(POINTER(definition));
    char *text = jni_text(env, json);
    void *body = NULL, *bytes = NULL;
    size_t size = 0;
    enum ach_status r = ach_body_from_json(type, text, &body);

    if (r == ACH_OK)
        r = ach_cdr_encoded_size(type, body, &size);
    if (r == ACH_OK) {
        bytes = malloc(size + 1);
        r = bytes ? ach_cdr_encode(type, body, bytes, size, &size)
                  : ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message");
    }
    if (r == ACH_OK)
        jni_set_bytes(env, result, 0, bytes, size, ACH_OK);
    free(bytes);
    free(body);
    free(text);
    return (jint)r;
}
