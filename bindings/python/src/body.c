/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * body.c - structs as Python objects, and the reverse, by their tables
 *
 * Loading makes an object of the struct's class, whose attributes are the fields. Storing reads a
 * dict, or the attributes of any object. Counts are not visible: arrays have lengths. Tables
 * limit the nesting of structs, so the recursion is bounded.
 */
#include "common.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    uint8_t size;
    char code; /* 'i': signed, 'u': unsigned, 'f': floating-point, 'b': boolean, 0: no scalar */
} kinds[] = {
    [ACH_KIND_INT8] = {1, 'i'},   [ACH_KIND_UINT8] = {1, 'u'},  [ACH_KIND_CHAR] = {1, 0},
    [ACH_KIND_INT16] = {2, 'i'},  [ACH_KIND_UINT16] = {2, 'u'}, [ACH_KIND_INT32] = {4, 'i'},
    [ACH_KIND_UINT32] = {4, 'u'}, [ACH_KIND_INT64] = {8, 'i'},  [ACH_KIND_UINT64] = {8, 'u'},
    [ACH_KIND_FLOAT] = {4, 'f'},  [ACH_KIND_DOUBLE] = {8, 'f'}, [ACH_KIND_BOOL] = {1, 'b'},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

size_t pyach_kind_size(unsigned kind)
{
    return kind < KINDS ? kinds[kind].size : 0;
}

static size_t element_size(const ach_field_t *f)
{
    return f->type ? f->type->body_size : pyach_kind_size(f->kind);
}

static bool is_hidden(const ach_field_t *f)
{
    return f->array == ACH_ARRAY_COUNT;
}

/* The only field of a struct that is shown as the value of that field; NULL: it has names. */
static const ach_field_t *unnamed_field(const ach_type_t *type)
{
    uint32_t i;

    for (i = 0; i < type->field_count; i++)
        if (!is_hidden(&type->fields[i]) && !*type->fields[i].name)
            return &type->fields[i];
    return NULL;
}

/* From structs. */

static PyObject *load_scalar(unsigned kind, const void *at)
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float f;
        double d;
    } v;

    memcpy(&v, at, pyach_kind_size(kind));
    switch (kind) {
    case ACH_KIND_INT8:
        return PyLong_FromLong(v.i8);
    case ACH_KIND_UINT8:
        return PyLong_FromLong(v.u8);
    case ACH_KIND_INT16:
        return PyLong_FromLong(v.i16);
    case ACH_KIND_UINT16:
        return PyLong_FromLong(v.u16);
    case ACH_KIND_INT32:
        return PyLong_FromLong(v.i32);
    case ACH_KIND_UINT32:
        return PyLong_FromUnsignedLong(v.u32);
    case ACH_KIND_INT64:
        return PyLong_FromLongLong(v.i64);
    case ACH_KIND_UINT64:
        return PyLong_FromUnsignedLongLong(v.u64);
    case ACH_KIND_FLOAT:
        return PyFloat_FromDouble(v.f);
    case ACH_KIND_DOUBLE:
        return PyFloat_FromDouble(v.d);
    case ACH_KIND_BOOL:
        return PyBool_FromLong(v.u8);
    default:
        return PyErr_Format(PyExc_SystemError, "a table has the unknown kind %u", kind);
    }
}

/* Bytes that are not UTF-8 become surrogates, which storing turns back into the same bytes. */
static PyObject *load_string(const char *at, size_t count, bool fixed)
{
    size_t n = count && at ? count - 1 : 0;

    if (fixed && at)
        n = strnlen(at, count);
    return PyUnicode_DecodeUTF8(at ? at : "", (Py_ssize_t)n, "surrogateescape");
}

static PyObject *load_structs(struct pyach_tables *tables, const ach_type_t *type, const char *at,
                              size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    size_t i;

    for (i = 0; list && i < count; i++) {
        PyObject *element = pyach_body_load(tables, type, at + i * type->body_size);

        if (!element || PyList_SetItem(list, (Py_ssize_t)i, element) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *load_array(struct pyach_tables *tables, const ach_field_t *f, const char *body)
{
    const char *at = body + f->offset;
    uint32_t count = f->limit;
    PyObject *bytes, *array;

    if (f->array == ACH_ARRAY_VARIABLE) {
        memcpy(&count, body + f->count_offset, sizeof(count));
        memcpy(&at, body + f->offset, sizeof(at));
    }
    if (f->kind == ACH_KIND_CHAR)
        return load_string(at, count, f->array == ACH_ARRAY_FIXED);
    if (!at)
        count = 0;
    if (f->type)
        return load_structs(tables, f->type, at, count);
    bytes = PyByteArray_FromStringAndSize(at, (Py_ssize_t)(count * element_size(f)));
    if (!bytes)
        return NULL;
    array = PyObject_CallFunction(pyach_hooks.array, "iO", (int)f->kind, bytes);
    Py_DECREF(bytes);
    return array;
}

static PyObject *load_field(struct pyach_tables *tables, const ach_field_t *f, const char *body)
{
    if (f->array != ACH_ARRAY_NONE)
        return load_array(tables, f, body);
    return f->type ? pyach_body_load(tables, f->type, body + f->offset)
                   : load_scalar(f->kind, body + f->offset);
}

/* (class, names of fields), made by the Python part when it is needed first. Borrowed. */
static PyObject *class_of(struct pyach_tables *tables, const ach_type_t *type)
{
    PyObject *key = tables->classes ? PyLong_FromVoidPtr((void *)type) : PyErr_NoMemory();
    PyObject *found = key ? PyDict_GetItemWithError(tables->classes, key) : NULL;

    if (key && !found && !PyErr_Occurred()) {
        PyObject *table = pyach_table_new(tables, type);
        PyObject *made = table ? PyObject_CallFunctionObjArgs(pyach_hooks.cls, table, NULL) : NULL;

        if (made && PyTuple_Check(made) && PyTuple_Size(made) == 2 &&
            PyType_Check(PyTuple_GetItem(made, 0)) && PyTuple_Check(PyTuple_GetItem(made, 1)) &&
            PyDict_SetItem(tables->classes, key, made) == 0)
            found = made;
        else if (!PyErr_Occurred())
            PyErr_SetString(PyExc_SystemError, "the hook for classes must return (class, names)");
        Py_XDECREF(table);
        Py_XDECREF(made);
    }
    Py_XDECREF(key);
    return found;
}

static int load_fields(struct pyach_tables *tables, const ach_type_t *type, const char *body,
                       PyObject *names, PyObject *into)
{
    Py_ssize_t n = 0;
    uint32_t i;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];
        PyObject *name, *value;
        int r;

        if (is_hidden(f))
            continue;
        name = PyTuple_GetItem(names, n++);
        value = name ? load_field(tables, f, body) : NULL;
        if (!value)
            return -1;
        r = PyObject_GenericSetAttr(into, name, value);
        Py_DECREF(value);
        if (r < 0)
            return -1;
    }
    return 0;
}

PyObject *pyach_body_load(struct pyach_tables *tables, const ach_type_t *type, const void *body)
{
    const ach_field_t *unnamed = unnamed_field(type);
    PyObject *made, *message, *none;

    if (unnamed)
        return load_field(tables, unnamed, body);
    made = class_of(tables, type);
    none = made ? PyTuple_New(0) : NULL;
    if (!none)
        return NULL;
    message = PyType_GenericNew((PyTypeObject *)PyTuple_GetItem(made, 0), none, NULL);
    Py_DECREF(none);
    if (message && load_fields(tables, type, body, PyTuple_GetItem(made, 1), message) < 0)
        Py_CLEAR(message);
    return message;
}

/* To structs. */

struct pyach_block {
    struct pyach_block *next;
    _Alignas(16) char bytes[];
};

static void *arena_new(struct pyach_arena *arena, size_t size)
{
    struct pyach_block *b = NULL;

    if (size <= ACH_BODY_MAX && arena->used <= 2 * (size_t)ACH_BODY_MAX)
        b = calloc(1, sizeof(*b) + size);
    if (!b)
        return PyErr_NoMemory();
    b->next = arena->blocks;
    arena->blocks = b;
    arena->used += size;
    return b->bytes;
}

void pyach_arena_free(struct pyach_arena *arena)
{
    while (arena->blocks) {
        struct pyach_block *next = arena->blocks->next;

        free(arena->blocks);
        arena->blocks = next;
    }
}

static int store_struct(const ach_type_t *type, PyObject *from, char *body,
                        struct pyach_arena *arena);

/* Put the name of the field in front of the text of the exception. */
static int store_failed(const ach_type_t *type, const ach_field_t *f)
{
    PyObject *bases[] = {PyExc_TypeError, PyExc_OverflowError, PyExc_ValueError};
    PyObject *class, *value, *traceback, *base = NULL;
    size_t i;

    PyErr_Fetch(&class, &value, &traceback);
    for (i = 0; class && !base && i < sizeof(bases) / sizeof(bases[0]); i++)
        if (class == bases[i]) /* not a subclass, which may have other arguments */
            base = bases[i];
    if (!base) {
        PyErr_Restore(class, value, traceback);
        return -1;
    }
    PyErr_Format(base, "%s: %S", *f->name ? f->name : type->name, value ? value : Py_None);
    Py_XDECREF(class);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return -1;
}

static int store_signed(size_t size, PyObject *number, void *at)
{
    long long v = PyLong_AsLongLong(number);
    long long limit = size == 8 ? INT64_MAX : (1LL << (8 * size - 1)) - 1;

    if (v == -1 && PyErr_Occurred())
        return -1;
    if (v > limit || v < -limit - 1) {
        PyErr_Format(PyExc_OverflowError, "%lld is not from %lld to %lld", v, -limit - 1, limit);
        return -1;
    }
    memcpy(at, &v, size); /* the low bytes are first: tables and CDR are little-endian */
    return 0;
}

static int store_unsigned(size_t size, PyObject *number, void *at)
{
    unsigned long long v = PyLong_AsUnsignedLongLong(number);
    unsigned long long limit = size == 8 ? UINT64_MAX : (1ULL << (8 * size)) - 1;

    if (PyErr_Occurred())
        return -1;
    if (v > limit) {
        PyErr_Format(PyExc_OverflowError, "%llu is not from 0 to %llu", v, limit);
        return -1;
    }
    memcpy(at, &v, size);
    return 0;
}

static int store_float(size_t size, PyObject *number, void *at)
{
    double d = PyFloat_AsDouble(number);
    float f = (float)d;

    if (d == -1.0 && PyErr_Occurred())
        return -1;
    if (size == sizeof(f) && isinf(f) && !isinf(d)) {
        PyErr_Format(PyExc_OverflowError, "%S does not fit float", number);
        return -1;
    }
    memcpy(at, size == sizeof(f) ? (void *)&f : (void *)&d, size);
    return 0;
}

static int store_bool(PyObject *value, void *at)
{
    int yes = PyObject_IsTrue(value);

    *(uint8_t *)at = yes == 1;
    return yes < 0 ? -1 : 0;
}

static int store_integer(unsigned kind, PyObject *value, void *at)
{
    PyObject *number = PyNumber_Index(value);
    int r;

    if (!number)
        return -1;
    r = kinds[kind].code == 'i' ? store_signed(kinds[kind].size, number, at)
                                : store_unsigned(kinds[kind].size, number, at);
    Py_DECREF(number);
    return r;
}

static int store_scalar(unsigned kind, PyObject *value, void *at)
{
    switch (kind < KINDS ? kinds[kind].code : 0) {
    case 'i':
    case 'u':
        return store_integer(kind, value, at);
    case 'f':
        return store_float(kinds[kind].size, value, at);
    case 'b':
        return store_bool(value, at);
    default:
        PyErr_Format(PyExc_SystemError, "a table has the unknown kind %u", kind);
        return -1;
    }
}

/* Room for the elements of an array; NULL: exception. Sets the count of a variable array. */
static char *array_room(const ach_field_t *f, size_t count, char *body, struct pyach_arena *arena)
{
    uint32_t n = (uint32_t)count;
    char *at = body + f->offset;

    if (count > f->limit || (f->array == ACH_ARRAY_FIXED && count != f->limit)) {
        PyErr_Format(PyExc_ValueError, "%zu elements instead of %s%u", count,
                     f->array == ACH_ARRAY_FIXED ? "" : "at most ", f->limit);
        return NULL;
    }
    if (f->array == ACH_ARRAY_FIXED)
        return at;
    memcpy(body + f->count_offset, &n, sizeof(n));
    at = arena_new(arena, count * element_size(f));
    memcpy(body + f->offset, &at, sizeof(at));
    return at;
}

static int store_string(const ach_field_t *f, PyObject *value, char *body,
                        struct pyach_arena *arena)
{
    PyObject *bytes = PyUnicode_Check(value)
                          ? PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape")
                          : PyBytes_FromObject(value);
    char *text, *at = NULL;
    Py_ssize_t n;

    if (!bytes)
        return -1;
    text = PyBytes_AsString(bytes);
    n = PyBytes_Size(bytes);
    if ((size_t)n >= f->limit)
        PyErr_Format(PyExc_ValueError, "%zd bytes instead of at most %u", n, f->limit - 1);
    else if (strlen(text) != (size_t)n)
        PyErr_SetString(PyExc_ValueError, "a string must not contain a null character");
    else
        at = f->array == ACH_ARRAY_FIXED ? body + f->offset
                                         : array_room(f, (size_t)n + 1, body, arena);
    if (at)
        memcpy(at, text, (size_t)n + 1);
    Py_DECREF(bytes);
    return at ? 0 : -1;
}

/* Is an element of a buffer of this format the scalar of that kind? */
static bool same_scalar(unsigned kind, const Py_buffer *b)
{
    const char *f = b->format ? b->format : "B";

    if (*f == '@' || *f == '=' || *f == '<')
        f++;
    if (!*f || f[1] || (size_t)b->itemsize != kinds[kind].size)
        return false;
    switch (kinds[kind].code) {
    case 'i':
        return strchr("bhilqn", *f);
    case 'u':
        return strchr("BHILQN", *f);
    case 'f':
        return strchr("fd", *f);
    default:
        return *f == '?';
    }
}

/* Copy the elements of a buffer at once. 1: done; 0: not such a buffer; -1: exception. */
static int store_buffer(const ach_field_t *f, PyObject *value, char *body,
                        struct pyach_arena *arena)
{
    Py_buffer b;
    char *at;
    int r = 0;

    if (!PyObject_CheckBuffer(value))
        return 0;
    if (PyObject_GetBuffer(value, &b, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
        PyErr_Clear();
        return 0;
    }
    if (b.itemsize > 0 && same_scalar(f->kind, &b)) {
        at = array_room(f, (size_t)(b.len / b.itemsize), body, arena);
        if (at && b.len)
            memcpy(at, b.buf, (size_t)b.len);
        r = at ? 1 : -1;
    }
    PyBuffer_Release(&b);
    return r;
}

/* A tuple of the elements, one more than allowed at most: an iterator may never end. */
static PyObject *elements_of(const ach_field_t *f, PyObject *value)
{
    PyObject *iterator = PyObject_GetIter(value);
    PyObject *list = iterator ? PyList_New(0) : NULL;
    PyObject *element, *tuple;

    while (list && (size_t)PyList_Size(list) <= f->limit && (element = PyIter_Next(iterator))) {
        if (PyList_Append(list, element) < 0)
            Py_CLEAR(list);
        Py_DECREF(element);
    }
    Py_XDECREF(iterator);
    tuple = list && !PyErr_Occurred() ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

static int store_elements(const ach_field_t *f, PyObject *elements, char *body,
                          struct pyach_arena *arena)
{
    Py_ssize_t i, n = PyTuple_Size(elements);
    char *at = array_room(f, (size_t)n, body, arena);

    if (!at)
        return -1;
    for (i = 0; i < n; i++, at += element_size(f)) {
        PyObject *element = PyTuple_GetItem(elements, i);

        if ((f->type ? store_struct(f->type, element, at, arena)
                     : store_scalar(f->kind, element, at)) < 0)
            return -1;
    }
    return 0;
}

static int store_array(const ach_field_t *f, PyObject *value, char *body, struct pyach_arena *arena)
{
    PyObject *elements;
    int r;

    if (f->kind == ACH_KIND_CHAR)
        return store_string(f, value, body, arena);
    r = f->type ? 0 : store_buffer(f, value, body, arena);
    if (r != 0)
        return r < 0 ? -1 : 0;
    if (PyUnicode_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "expected a sequence, not a string");
        return -1;
    }
    elements = elements_of(f, value);
    if (!elements)
        return -1;
    r = store_elements(f, elements, body, arena);
    Py_DECREF(elements);
    return r;
}

static int store_field(const ach_field_t *f, PyObject *value, char *body, struct pyach_arena *arena)
{
    if (f->array != ACH_ARRAY_NONE)
        return store_array(f, value, body, arena);
    return f->type ? store_struct(f->type, value, body + f->offset, arena)
                   : store_scalar(f->kind, value, body + f->offset);
}

/* The value of a field, a new reference; NULL without an exception: a dict that leaves it out. */
static PyObject *value_of(PyObject *from, const char *name)
{
    PyObject *value;

    if (!PyDict_Check(from))
        return PyObject_GetAttrString(from, name);
    value = PyDict_GetItemString(from, name);
    return value ? Py_NewRef(value) : NULL;
}

static int has_field(const ach_type_t *type, PyObject *key)
{
    uint32_t i;

    for (i = 0; PyUnicode_Check(key) && i < type->field_count; i++)
        if (!is_hidden(&type->fields[i]) &&
            PyUnicode_CompareWithASCIIString(key, type->fields[i].name) == 0)
            return 1;
    return 0;
}

/* Keys that are not fields are mistakes. */
static int check_keys(const ach_type_t *type, PyObject *from)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;

    while (PyDict_Next(from, &at, &key, &value))
        if (!has_field(type, key)) {
            PyObject *name = PyObject_ASCII(key);
            PyObject *text = name ? PyUnicode_AsASCIIString(name) : NULL;

            if (text)
                pyach_raise_why(ach_errstr_set(ACH_EINVAL, "%s has no field %.80s", type->name,
                                               PyBytes_AsString(text)),
                                NULL);
            Py_XDECREF(name);
            Py_XDECREF(text);
            return -1;
        }
    return 0;
}

static int store_struct(const ach_type_t *type, PyObject *from, char *body,
                        struct pyach_arena *arena)
{
    const ach_field_t *unnamed = unnamed_field(type);
    uint32_t i;

    if (unnamed)
        return store_field(unnamed, from, body, arena);
    if (PyDict_Check(from) && check_keys(type, from) < 0)
        return -1;
    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];
        PyObject *value;
        int r;

        if (is_hidden(f))
            continue;
        value = value_of(from, f->name);
        if (!value && !PyErr_Occurred())
            continue;
        r = value ? store_field(f, value, body, arena) : -1;
        Py_XDECREF(value);
        if (r < 0)
            return store_failed(type, f);
    }
    return 0;
}

void *pyach_body_store(const ach_type_t *type, PyObject *from, struct pyach_arena *arena)
{
    char *body;

    *arena = (struct pyach_arena){0};
    body = arena_new(arena, type->body_size);
    return body && store_struct(type, from, body, arena) == 0 ? body : NULL;
}
