/** @file
 * See doctor_machine.h. */
#include "cli/commands/doctor_machine.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/doctor_finding.h"
#include "cli/launch/environ.h"
#include "cli/launch/launch.h"
#include "cli/launch/ld_debug.h"
#include "cli/print/format.h"
#include "cli/print/print.h"
#include "cli/probe/checked.h"
#include "cli/probe/counters.h"
#include "cli/probe/probe.h"
#include "core/config/config_read.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

bool
pp_doctor_check_files(const struct pp_install_paths *places)
{
    char path[PATH_MAX];
    if (*places->lib)
        pp_doctor_tell(PP_DOCTOR_GOOD, PP_TEXT_DOCTOR_SHIM, "%s/" PP_GL_SHIM, places->lib);
    else
        pp_doctor_tell(PP_DOCTOR_BAD, PP_TEXT_DOCTOR_SHIM, PP_FORMAT_DOCTOR_NO_SHIM, places->bin);
    if (*places->share && pp_join(path, places->share, PP_LAYER_DIR "/" PP_LAYER_MANIFEST))
        pp_doctor_tell(PP_DOCTOR_GOOD, PP_TEXT_DOCTOR_LAYER, "%s", path);
    else
        pp_doctor_tell(PP_DOCTOR_BAD, PP_TEXT_DOCTOR_LAYER, PP_FORMAT_DOCTOR_NO_LAYER, places->bin);
    return *places->lib || *places->share;
}

/* Does an application that is started with passprobe's variables really load the shim? */
static bool
preload_actions(const struct pp_install_paths *places)
{
    struct pp_environ env;
    struct pp_ld_debug loads;
    struct pp_run run;
    char name[] = "/bin/true";
    char *argv[] = {name, NULL};
    bool seen = false;
    if (pp_environ_init(&env))
        return false;
    int rc = pp_ld_debug_begin(&loads, &env);
    rc = rc ? rc : pp_environ_add_profiling(&env, places);
    rc = rc ? rc : pp_launch(argv, env.env, NULL, &run);
    pp_ld_debug_end(&loads);
    for (size_t i = 0; rc == 0 && i < loads.len; i++)
        seen |= loads.process[i].shim;
    pp_environ_finish(&env);
    return seen;
}

static bool
check_profiling(const struct pp_install_paths *places)
{
    bool preload = *places->lib && preload_actions(places);
    const char *layer = *places->share ? pp_probe_layer(places->share) : "";
    if (*places->lib)
        pp_doctor_tell(preload ? PP_DOCTOR_GOOD : PP_DOCTOR_BAD, "LD_PRELOAD",
                       preload ? PP_TEXT_DOCTOR_PRELOADS : PP_FORMAT_DOCTOR_NO_PRELOAD, places->lib);
    if (*places->share)
        pp_doctor_tell(*layer ? PP_DOCTOR_NOTE : PP_DOCTOR_GOOD, PP_TEXT_DOCTOR_LOADER, "%s",
                       *layer ? layer : PP_TEXT_DOCTOR_LAYER_FOUND);
    return preload || (*places->share && !*layer);
}

/* The drivers. @return Can any of them be measured? */
static bool
check_drivers(void)
{
    struct pp_probes *probes = calloc(1, sizeof(*probes));
    bool any = false;
    char device[64], checked[256];
    if (!probes)
        return false;
    pp_probe_all(probes);
    for (size_t i = 0; i < probes->len; i++) {
        const struct pp_probe *probe = &probes->probe[i];
        if (*probe->why_not) {
            pp_doctor_tell(PP_DOCTOR_NOTE, probe->api, "%s", probe->why_not);
            continue;
        }
        any = true;
        int statistics = __builtin_popcount(probe->statistics);
        pp_format_name(device, sizeof(device), probe->device, 40);
        if (!probe->timestamp_bits)
            pp_doctor_tell(PP_DOCTOR_NOTE, probe->api, PP_FORMAT_DOCTOR_CPU_ONLY, device, probe->why_no_time);
        else
            pp_doctor_tell(PP_DOCTOR_GOOD, probe->api, PP_FORMAT_DOCTOR_TIMES, device, probe->timestamp_bits,
                           statistics);
        if (statistics == 0)
            pp_doctor_tell(PP_DOCTOR_NOTE, "", PP_FORMAT_DOCTOR_NO_STATISTICS, probe->why_no_statistics);
        pp_doctor_tell(PP_DOCTOR_NOTE, "", "%s", pp_checked_describe(probe, checked, sizeof(checked)));
    }
    pp_probes_destroy(probes);
    return any;
}

static void
check_permissions(void)
{
    glob_t nodes;
    bool any = false;
    if (glob("/dev/dri/renderD*", 0, NULL, &nodes) == 0) {
        for (size_t i = 0; i < nodes.gl_pathc; i++) {
            bool is_open = access(nodes.gl_pathv[i], R_OK | W_OK) == 0;
            pp_doctor_tell(is_open ? PP_DOCTOR_GOOD : PP_DOCTOR_BAD, nodes.gl_pathv[i],
                           is_open ? PP_TEXT_DOCTOR_NODE : PP_TEXT_DOCTOR_NO_NODE);
            any = true;
        }
        globfree(&nodes);
    }
    if (!any)
        pp_doctor_tell(PP_DOCTOR_NOTE, "/dev/dri", PP_TEXT_DOCTOR_NO_GPU);
    bool writable = access(".", W_OK) == 0;
    pp_doctor_tell(writable ? PP_DOCTOR_GOOD : PP_DOCTOR_NOTE, PP_TEXT_DOCTOR_FOLDER,
                   writable ? PP_TEXT_DOCTOR_WRITABLE : PP_TEXT_DOCTOR_READ_ONLY);
}

/* Is there an overlay before the shim in this LD_PRELOAD? A launcher would use the variable unchanged. */
static bool
hidden_in(const char *preload)
{
    const char *shim = strstr(preload, PP_GL_SHIM);
    char name[PATH_MAX];
    for (const char *at = preload; shim && at < shim; at += strspn(at, ": ")) {
        size_t len = strcspn(at, ": ");
        snprintf(name, sizeof(name), "%.*s", (int)len, at);
        if (pp_ld_debug_is_overlay(name))
            return true;
        at += len;
    }
    return false;
}

static bool
check_configuration(void)
{
    struct pp_config config;
    char error[PP_CONFIG_ERROR_MAX];
    bool good = pp_config_load(&config, environ, NULL, error) == 0;
    if (good && config.disabled)
        pp_doctor_tell(PP_DOCTOR_BAD, PP_TEXT_DOCTOR_CONFIGURATION, PP_TEXT_DOCTOR_DISABLED);
    else
        pp_doctor_tell(good ? PP_DOCTOR_GOOD : PP_DOCTOR_BAD, PP_TEXT_DOCTOR_CONFIGURATION, "%s",
                       good ? PP_TEXT_DOCTOR_CONFIGURED : error);
    const char *preload = getenv("LD_PRELOAD");
    if (preload && hidden_in(preload))
        pp_doctor_tell(PP_DOCTOR_BAD, "LD_PRELOAD", PP_FORMAT_DOCTOR_OVERLAY, preload);
    else if (preload && *preload)
        pp_doctor_tell(PP_DOCTOR_NOTE, "LD_PRELOAD", PP_FORMAT_DOCTOR_PRELOAD_SET, preload);
    return good && !config.disabled;
}

void
pp_doctor_check_display(void)
{
    static const char *const name[] = {"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"};
    bool is_set[PP_ARRAY_SIZE(name)];
    for (size_t i = 0; i < PP_ARRAY_SIZE(name); i++) {
        const char *value = getenv(name[i]);
        is_set[i] = value && *value;
        pp_doctor_tell(is_set[i] ? PP_DOCTOR_GOOD : PP_DOCTOR_NOTE, name[i], "%s",
                       is_set[i] ? value : PP_TEXT_DOCTOR_NOT_SET);
    }
    if (!is_set[0] && !is_set[1])
        pp_doctor_tell(PP_DOCTOR_NOTE, "", PP_TEXT_DOCTOR_NO_WINDOW);
}

bool
pp_doctor_check_machine(const struct pp_install_paths *places)
{
    bool good = check_profiling(places);
    good = check_configuration() && good;
    good = check_drivers() && good;
    check_permissions();
    return good;
}

int
pp_doctor_examine_machine(const struct pp_install_paths *places)
{
    pp_print(stdout, "passprobe " PP_VERSION "\n\n");
    pp_doctor_check_display();
    bool good = pp_doctor_check_files(places);
    good = pp_doctor_check_machine(places) && good;
    pp_print(stdout, "\n%s\n", good ? PP_TEXT_DOCTOR_GOOD : PP_TEXT_DOCTOR_BAD);
    return good ? 0 : 1;
}
