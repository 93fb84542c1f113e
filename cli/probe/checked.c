/** @file
 * Which drivers were checked with passprobe; see checked.h. The rows are made from docs/hardware.yaml. */
#include "cli/probe/checked.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "pp_hardware.h"
#include "pp_texts.h"

static const struct row {
    const char *driver, *api, *version, *says, *device, *how, *gpus;
} rows[] = {
#define ROW(...) {__VA_ARGS__},
    PP_HARDWARE_TABLE(ROW)
#undef ROW
};

/* Rows name OpenGL also for OpenGL ES. */
static bool
is_of(const struct row *row, const struct pp_probe *probe)
{
    bool vulkan = strcmp(probe->api, "Vulkan") == 0;
    return vulkan == (strcmp(row->api, "Vulkan") == 0) && fnmatch(row->device, probe->device, 0) == 0;
}

static const char *
version_of(const struct pp_probe *probe)
{
    const char *mesa = strstr(probe->version, "Mesa ");
    return mesa ? mesa + strlen("Mesa ") : probe->driver_version;
}

static bool
is_version(const struct row *row, const char *version)
{
    return strncmp(version, row->says, strlen(row->says)) == 0;
}

/* The row of a driver's version, else the driver's first row. Rows with narrower patterns of the device are
 * first.
 * @return NULL: the driver has none. */
static const struct row *
row_of(const struct pp_probe *probe)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < PP_ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        if (!is_of(row, probe) || (found && strcmp(row->device, found->device) != 0))
            continue;
        if (!found || is_version(row, version_of(probe)))
            found = row;
    }
    return found;
}

const char *
pp_checked_describe(const struct pp_probe *probe, char *text, size_t size)
{
    const struct row *row = row_of(probe);
    if (!row)
        snprintf(text, size, "%s", PP_TEXT_CHECKED_NEVER);
    else if (is_version(row, version_of(probe)))
        snprintf(text, size, PP_FORMAT_CHECKED, row->driver, row->version, row->how, row->gpus);
    else
        snprintf(text, size, PP_FORMAT_CHECKED_OTHER, row->driver, row->version, row->how);
    return text;
}
