/** @file
 * Which device is there: LAB_DEVICE names one of a model's, LAB_MODE says what the device does. */
#include "tests/lab/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lab/files.h"
#include "tests/lab/models.h"

static const struct lab_model *const models[] = {
    &lab_null_model,
#ifdef __aarch64__ /* the drivers above these models are packaged for arm64 only */
    &lab_msm_model,
    &lab_v3d_model,
    &lab_panfrost_model,
#else
    &lab_i915_model,
    &lab_amdgpu_model,
    &lab_nouveau_model,
#endif
};

static enum lab_mode mode;

enum lab_mode
lab_mode(void)
{
    return mode;
}

static void
stop(const char *variable, const char *value)
{
    fprintf(stderr, "lab: %s=%s is not known\n", variable, value);
    _exit(2);
}

static void
read_mode(void)
{
    static const char *const name[] = {
        [LAB_EXEC] = "exec", [LAB_NOOP] = "noop", [LAB_LATE] = "late", [LAB_HANG] = "hang"};
    const char *text = getenv("LAB_MODE");
    for (unsigned i = 0; text && i < sizeof(name) / sizeof(*name); i++) {
        if (strcmp(text, name[i]) != 0)
            continue;
        mode = (enum lab_mode)i;
        return;
    }
    if (text)
        stop("LAB_MODE", text);
}

/* Hide this machine's own devices, then let the model make its own. */
__attribute__((constructor)) static void
begin(void)
{
    const char *device = getenv("LAB_DEVICE");
    lab_files_hide("/dev/dri");
    lab_files_hide("/sys/dev/char/226:");
    lab_files_hide("/sys/class/drm");
    lab_files_folder("/dev/dri");
    lab_files_folder("/sys/class/drm");
    read_mode();
    if (!device)
        return;
    for (unsigned i = 0; i < sizeof(models) / sizeof(*models); i++)
        if (models[i]->begin(device))
            return;
    stop("LAB_DEVICE", device);
}
