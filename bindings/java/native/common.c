/* SPDX-License-Identifier: BSD-3-Clause */
/* common.c - arrays of Java, and the text of the last error */
#include "common.h"

#include <stdlib.h>
#include <string.h>

void jni_no_memory(JNIEnv *env)
{
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");

    if (error)
        (*env)->ThrowNew(env, error, "no memory for a message of Ach");
}

char *jni_bytes(JNIEnv *env, jbyteArray array, size_t *size)
{
    jsize n;
    char *copy;

    if (!array)
        return NULL;
    n = (*env)->GetArrayLength(env, array);
    copy = malloc((size_t)n + 1);
    if (!copy) {
        jni_no_memory(env);
        return NULL;
    }
    (*env)->GetByteArrayRegion(env, array, 0, n, (jbyte *)copy);
    copy[n] = '\0';
    *size = (size_t)n;
    return copy;
}

char *jni_text(JNIEnv *env, jbyteArray array)
{
    size_t size;

    return jni_bytes(env, array, &size);
}

jint jni_set_longs(JNIEnv *env, jlongArray array, const jlong *numbers, size_t count, jint status)
{
    (*env)->SetLongArrayRegion(env, array, 0, (jsize)count, numbers);
    return status;
}

/* NULL: there is no memory, and an exception is pending. */
static jbyteArray bytes_new(JNIEnv *env, const void *bytes, size_t size)
{
    jbyteArray array = size > INT32_MAX ? NULL : (*env)->NewByteArray(env, (jsize)size);

    if (size > INT32_MAX)
        jni_no_memory(env);
    if (array)
        (*env)->SetByteArrayRegion(env, array, 0, (jsize)size, bytes);
    return array;
}

jint jni_set_bytes(JNIEnv *env, jobjectArray array, jsize index, const void *bytes, size_t size,
                   jint status)
{
    jbyteArray element;

    if ((*env)->ExceptionCheck(env))
        return status;
    element = bytes_new(env, bytes, size);
    if (element) {
        (*env)->SetObjectArrayElement(env, array, index, element);
        (*env)->DeleteLocalRef(env, element);
    }
    return status;
}

NATIVE(jbyteArray, error)
{
    const char *text = ach_errstr();

    return bytes_new(env, text, strlen(text));
}

NATIVE(jint, handleSigbus)
{
    return (jint)ach_handle_sigbus();
}
