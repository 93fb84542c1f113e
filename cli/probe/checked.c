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

const char *
pp_checked_describe(const struct pp_probe *probe, char *text, size_t size)
{
    const char *version = version_of(probe);
    snprintf(text, size, "%s", PP_TEXT_CHECKED_NEVER);
    for (size_t i = 0; i < PP_ARRAY_SIZE(rows); i++) {
        if (!is_of(&rows[i], probe))
            continue;
        if (strncmp(version, rows[i].says, strlen(rows[i].says)) == 0)
            snprintf(text, size, PP_FORMAT_CHECKED, rows[i].driver, rows[i].version, rows[i].how,
                     rows[i].gpus);
        else
            snprintf(text, size, PP_FORMAT_CHECKED_OTHER, rows[i].driver, rows[i].version, rows[i].how);
        break;
    }
    return text;
}
