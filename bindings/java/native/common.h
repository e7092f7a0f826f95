/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h - what the native methods of org.ach share; Native.java describes each of them */
#ifndef ACH_JAVA_COMMON_H
#define ACH_JAVA_COMMON_H

#include <ach.h>
#include <ach/interface.h>
#include <jni.h>
#include <stdbool.h>

#include "org_ach_Native.h"

/* A native method; the rest are its parameters. */
#define NATIVE(type, name, ...)                                                                    \
    JNIEXPORT type JNICALL Java_org_ach_Native_##name(                                             \
        JNIEnv *env __attribute__((unused)), jclass class __attribute__((unused)), ##__VA_ARGS__)

/* The pointer that a long of Java stands for. */
#define POINTER(handle) ((void *)(uintptr_t)(handle))

/* A copy of an array with a NUL behind it, to be freed; NULL of null, and after jni_no_memory. */
char *jni_bytes(JNIEnv *env, jbyteArray array, size_t *size);

/* The same for a text. */
char *jni_text(JNIEnv *env, jbyteArray array);

void jni_no_memory(JNIEnv *env);

/* Store results in arrays of Java. They return @status, so that a function can end with them. */
jint jni_set_longs(JNIEnv *env, jlongArray array, const jlong *numbers, size_t count, jint status);
jint jni_set_bytes(JNIEnv *env, jobjectArray array, jsize index, const void *bytes, size_t size,
                   jint status);

/* The fields of a struct, in the form that Fields.java reads. */
void fields_write(FILE *to, const ach_type_t *type, const void *body);
void fields_write_string(FILE *to, const char *bytes, size_t size);

#endif
