/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c - the class Table: a struct of a definition or of a device */
#include "common.h"

#include <stdlib.h>

#include <ach/definition.h>

PyTypeObject *pyach_table_class;
static PyTypeObject *tables_class;

static struct pyach_table *table_of(PyObject *self)
{
    return (struct pyach_table *)self;
}

static struct pyach_tables *tables_new(ach_definition_t *definition)
{
    struct pyach_tables *t = (struct pyach_tables *)PyType_GenericAlloc(tables_class, 0);

    if (!t) {
        ach_definition_free(definition);
        return NULL;
    }
    t->definition = definition;
    t->classes = PyDict_New();
    if (!t->classes)
        Py_CLEAR(t);
    return t;
}

/* Classes of messages refer to their tables, so the garbage collector must see both. */
static int tables_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct pyach_tables *)self)->classes);
    return 0;
}

static int tables_clear(PyObject *self)
{
    Py_CLEAR(((struct pyach_tables *)self)->classes);
    return 0;
}

static void tables_dealloc(PyObject *self)
{
    struct pyach_tables *t = (struct pyach_tables *)self;

    PyObject_GC_UnTrack(self);
    Py_CLEAR(t->classes);
    ach_definition_free(t->definition);
    pyach_free(self);
}

struct pyach_tables *pyach_device_tables(void)
{
    static struct pyach_tables *tables;

    if (!tables)
        tables = tables_new(NULL);
    return tables;
}

PyObject *pyach_table_new(struct pyach_tables *tables, const ach_type_t *type)
{
    struct pyach_table *t = (struct pyach_table *)PyType_GenericAlloc(pyach_table_class, 0);

    if (!t)
        return NULL;
    t->type = type;
    t->tables = (struct pyach_tables *)Py_NewRef((PyObject *)tables);
    return (PyObject *)t;
}

static int table_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(table_of(self)->tables);
    return 0;
}

static void table_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_CLEAR(table_of(self)->tables);
    pyach_free(self);
}

static PyObject *define(PyObject *module, PyObject *args)
{
    const char *name, *text;
    Py_ssize_t size;
    ach_definition_t *definition;
    struct pyach_tables *tables;
    PyObject *table;
    enum ach_status r;

    (void)module;
    if (!PyArg_ParseTuple(args, "sy#:define", &name, &text, &size))
        return NULL;
    pyach_forget();
    r = ach_definition_new(name, text, (size_t)size, &definition);
    if (r != ACH_OK)
        return pyach_raise_why(r, NULL);
    tables = tables_new(definition);
    if (!tables)
        return NULL;
    table = pyach_table_new(tables, ach_definition_type(definition));
    Py_DECREF((PyObject *)tables);
    return table;
}

static PyObject *field_tuple(struct pyach_table *t, const ach_field_t *f)
{
    PyObject *inner = f->type ? pyach_table_new(t->tables, f->type) : Py_NewRef(Py_None);

    if (!inner)
        return NULL;
    return Py_BuildValue("siiINs", f->name, (int)f->kind, (int)f->array, (unsigned)f->limit, inner,
                         f->text ? f->text : "");
}

static PyObject *table_fields(PyObject *self, PyObject *unused)
{
    struct pyach_table *t = table_of(self);
    PyObject *list = PyList_New(0);
    uint32_t i;

    (void)unused;
    for (i = 0; list && i < t->type->field_count; i++) {
        PyObject *field;

        if (t->type->fields[i].array == ACH_ARRAY_COUNT)
            continue;
        field = field_tuple(t, &t->type->fields[i]);
        if (!field || PyList_Append(list, field) < 0)
            Py_CLEAR(list);
        Py_XDECREF(field);
    }
    return list;
}

static PyObject *table_decode(PyObject *self, PyObject *object)
{
    struct pyach_table *t = table_of(self);
    Py_buffer bytes;
    PyObject *message;
    void *body;
    enum ach_status r;

    if (PyObject_GetBuffer(object, &bytes, PyBUF_SIMPLE) < 0)
        return NULL;
    r = ach_cdr_decode_new(t->type, bytes.buf, (size_t)bytes.len, &body);
    PyBuffer_Release(&bytes);
    if (r != ACH_OK)
        return pyach_raise_why(r, NULL);
    message = pyach_body_load(t->tables, t->type, body);
    free(body);
    return message;
}

static PyObject *encode_body(const ach_type_t *type, const void *body)
{
    PyObject *bytes;
    size_t size;
    enum ach_status r = ach_cdr_encoded_size(type, body, &size);

    if (r != ACH_OK)
        return pyach_raise_why(r, NULL);
    bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!bytes)
        return NULL;
    r = ach_cdr_encode(type, body, PyBytes_AsString(bytes), size, &size);
    if (r != ACH_OK) {
        Py_DECREF(bytes);
        return pyach_raise_why(r, NULL);
    }
    return bytes;
}

static PyObject *table_encode(PyObject *self, PyObject *object)
{
    const ach_type_t *type = table_of(self)->type;
    struct pyach_arena arena;
    void *body = pyach_body_store(type, object, &arena);
    PyObject *bytes = body ? encode_body(type, body) : NULL;

    pyach_arena_free(&arena);
    return bytes;
}

static PyObject *table_zero(PyObject *self, PyObject *unused)
{
    struct pyach_table *t = table_of(self);
    void *body = calloc(1, t->type->body_size ? t->type->body_size : 1);
    PyObject *message = body ? pyach_body_load(t->tables, t->type, body) : PyErr_NoMemory();

    (void)unused;
    free(body);
    return message;
}

static PyObject *table_name(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(table_of(self)->type->name);
}

static PyObject *table_text(PyObject *self, void *unused)
{
    const char *text = table_of(self)->type->text;

    (void)unused;
    return PyUnicode_FromString(text ? text : "");
}

static PyObject *table_fixed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(table_of(self)->type->fixed);
}

static PyMethodDef table_methods[] = {
    {"fields", table_fields, METH_NOARGS, "[(name, kind, array, limit, Table or None, text)]"},
    {"decode", table_decode, METH_O, "a message from CDR"},
    {"encode", table_encode, METH_O, "CDR from a dict or object"},
    {"zero", table_zero, METH_NOARGS, "a message of zeros and empty arrays"},
    {0},
};

static PyGetSetDef table_attributes[] = {
    {"name", table_name, NULL, "name of the struct", NULL},
    {"text", table_text, NULL, "what it is", NULL},
    {"fixed", table_fixed, NULL, "whether all messages have the same size", NULL},
    {0},
};

static PyMethodDef define_method = {"define", define, METH_VARARGS, "define(name, text) -> Table"};

int pyach_table_init(PyObject *module)
{
    PyType_Slot table_slots[] = {
        {Py_tp_dealloc, table_dealloc},
        {Py_tp_traverse, table_traverse},
        {Py_tp_methods, table_methods},
        {Py_tp_getset, table_attributes},
        {Py_tp_doc, "A struct of a definition or of a device."},
        {0, NULL},
    };
    PyType_Slot tables_slots[] = {
        {Py_tp_dealloc, tables_dealloc},
        {Py_tp_traverse, tables_traverse},
        {Py_tp_clear, tables_clear},
        {Py_tp_doc, "The structs of a definition."},
        {0, NULL},
    };
    unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    PyType_Spec table_spec = {.name = "ach._ach.Table",
                              .basicsize = sizeof(struct pyach_table),
                              .flags = flags,
                              .slots = table_slots};
    PyType_Spec tables_spec = {.name = "ach._ach.Tables",
                               .basicsize = sizeof(struct pyach_tables),
                               .flags = flags,
                               .slots = tables_slots};

    pyach_table_class = pyach_add_class(module, &table_spec);
    tables_class = pyach_add_class(module, &tables_spec);
    if (!pyach_table_class || !tables_class)
        return -1;
    return PyModule_AddObject(module, "define", PyCFunction_New(&define_method, NULL));
}
