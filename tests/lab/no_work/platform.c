/** @file
 * A platform device's files in sysfs; see platform.h. libdrm 2.4.114 reads these. */
#include "tests/lab/no_work/platform.h"

#include <stdio.h>

#include "tests/lab/drm.h"
#include "tests/lab/files.h"
#include "tests/lab/model.h"

#define FOLDER "/sys/devices/platform/lab"

void
lab_platform_add(unsigned minor, const char *name, const char *compatible, const struct lab_model *model)
{
    const char *kind = minor < 64 ? "card" : "renderD";
    char device[64], node[128], path[160], target[160];
    snprintf(device, sizeof(device), FOLDER "/%s", name);
    snprintf(node, sizeof(node), "%s/drm/%s%u", device, kind, minor);
    lab_files_hide(FOLDER);
    snprintf(path, sizeof(path), "%s/uevent", device);
    lab_files_text(path, "DRIVER=%s\nOF_FULLNAME=/soc/%s\nOF_COMPATIBLE_0=%s\nOF_COMPATIBLE_N=1\n",
                   model->driver, name, compatible);
    snprintf(path, sizeof(path), "%s/subsystem", device);
    lab_files_link(path, "../../../../bus/platform");
    snprintf(target, sizeof(target), "%s/uevent", node);
    lab_files_text(target, "MAJOR=226\nMINOR=%u\nDEVNAME=dri/%s%u\nDEVTYPE=drm_minor\n", minor, kind, minor);
    snprintf(target, sizeof(target), "%s/device", node);
    lab_files_link(target, "../..");
    snprintf(path, sizeof(path), "/sys/dev/char/226:%u", minor);
    lab_files_link(path, node);
    snprintf(path, sizeof(path), "/sys/class/drm/%s%u", kind, minor);
    lab_files_link(path, node);
    snprintf(path, sizeof(path), "/dev/dri/%s%u", kind, minor);
    lab_files_node(path, 226, minor);
    lab_drm_add_node(minor, model);
}
