/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach/config.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "report.h"

/* Read unit_length and unit_angle; wrong values are errors of the file. */
static void find_units(struct ach_config *config)
{
    ach_section_t *root = config->root;
    const char *length = ach_section_string(root, "unit_length", "m");
    const char *angle = ach_section_string(root, "unit_angle", "degrees");

    config->metres = strcmp(length, "mm") == 0 ? 0.001 : strcmp(length, "cm") == 0 ? 0.01 : 1;
    if (config->metres == 1 && strcmp(length, "m") != 0)
        ach_section_refuse(root, "unit_length", 0, "\"m\", \"cm\" or \"mm\"");
    config->radians = strcmp(angle, "radians") == 0 ? 1 : M_PI / 180;
    if (config->radians != 1 && strcmp(angle, "degrees") != 0)
        ach_section_refuse(root, "unit_angle", 0, "\"degrees\" or \"radians\"");
}

static enum ach_status parse(struct ach_config *config, const struct dev_file *file,
                             const char *bytes, size_t size)
{
    struct dev_source source = {.file = file};
    struct dev_parser p = {.config = config, .total = size};

    dev_lexer_init(&source.lexer, config->root->at.file, bytes, size);
    dev_parse_source(&p, &source, config->root);
    free(p.values);
    if (p.no_memory) {
        dev_text_add(&config->errors, "%s: there is no memory for it\n", config->root->at.file);
        return ACH_FAILED_SYSCALL;
    }
    if (p.errors == 0)
        find_units(config);
    return p.errors > 0 || config->root->failed ? ACH_EINVAL : ACH_OK;
}

/* Return the configuration, or keep its errors and destroy it. */
static enum ach_status conclude(enum ach_status r, struct ach_config *made, ach_config_t **config)
{
    if (r == ACH_OK) {
        *config = made;
        return r;
    }
    dev_config_keep_errors(&made->errors);
    ach_config_destroy(made);
    return r;
}

static enum ach_status fail(enum ach_status r, const char *name, const char *why)
{
    struct dev_text text = {0};

    dev_text_add(&text, "%s: %s\n", name ? name : "configuration", why);
    dev_config_keep_errors(&text);
    return r;
}

enum ach_status ach_config_load(const char *path, ach_config_t **config)
{
    struct ach_config *made;
    struct dev_text why = {0};
    struct dev_file file;
    enum ach_status r;

    if (!path || !config)
        return fail(ACH_EINVAL, path, "an argument is NULL");
    r = dev_file_read(&file, path, false, &why);
    if (r != ACH_OK) {
        r = fail(r, path, why.data ? why.data : "there is no memory for it");
        dev_text_finish(&why);
        return r;
    }
    made = dev_config_new(path);
    r = made ? conclude(parse(made, &file, file.bytes, file.size), made, config)
             : fail(ACH_FAILED_SYSCALL, path, "there is no memory for it");
    free(file.bytes);
    return r;
}

enum ach_status ach_config_parse(const char *text, size_t size, const char *name,
                                 ach_config_t **config)
{
    struct ach_config *made;

    if (!text || !name || !config)
        return fail(ACH_EINVAL, name, "an argument is NULL");
    if (size > ACH_CONFIG_FILE_MAX)
        return fail(ACH_OVERFLOW, name, DEV_TOO_LARGE);
    made = dev_config_new(name);
    if (!made)
        return fail(ACH_FAILED_SYSCALL, name, "there is no memory for it");
    return conclude(parse(made, NULL, text, size), made, config);
}

ach_section_t *ach_config_root(ach_config_t *config)
{
    return config->root;
}
