/* SPDX-License-Identifier: BSD-3-Clause */
/* urg.c - any bytes from a laser scanner, in any pieces, cause no access out of bounds */
#include <string.h>

#include "../src/drivers/urg_laser/scip.h"
#include "property.h"

unsigned property_scans(const char *bytes, size_t size, size_t piece)
{
    static struct drv_scip_reader reader;
    static struct drv_scip_scan scan;
    struct drv_scip_text block, value;
    struct drv_scip_answer answer;
    unsigned scans = 0, number;
    size_t at, n;

    memset(&reader, 0, sizeof(reader));
    for (at = 0; at < size; at += n) {
        n = drv_scip_read(&reader, bytes + at, size - at < piece ? size - at : piece, &block);
        HOLDS(n > 0 && block.size <= DRV_SCIP_BLOCK_MAX);
        if (block.size == 0 || !drv_scip_answer(block, &answer))
            continue;
        drv_scip_field(answer.rest, "SERI", &value);
        drv_scip_number(answer.rest, "DMIN", &number);
        HOLDS(!drv_scip_scan(answer.rest, 2, &scan) || scan.count <= DRV_SCIP_STEPS_MAX);
        scans += drv_scip_scan(answer.rest, 3, &scan);
    }
    return scans;
}

void property_urg(const uint8_t *data, size_t size)
{
    if (size > 0)
        property_scans((const char *)data + 1, size - 1, data[0] + 1u);
}
