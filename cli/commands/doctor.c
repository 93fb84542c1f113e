/** @file
 * `passprobe doctor`: why is there no data? Without CMD: the installation and the drivers. With CMD: runs it
 * and tells which API it used, whether our code was reached, what the driver lacks, and what to do. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/launch/elf_check.h"
#include "cli/launch/environ.h"
#include "cli/launch/install_paths.h"
#include "cli/launch/launch.h"
#include "cli/launch/ld_debug.h"
#include "cli/launch/run.h"
#include "cli/launch/session_dir.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/probe/probe.h"
#include "cli/session/session_read.h"
#include "core/engine/config_read.h"

static int
usage(void)
{
    puts("usage: passprobe doctor [[OPTIONS] [--] CMD [ARG..]]\n"
         "\n"
         "Without CMD: check passprobe's own files, the preload, the Vulkan layer, the\n"
         "drivers and permissions. With CMD: run it to its end as `passprobe record`\n"
         "would, then tell which API it used, whether passprobe's code was reached, which\n"
         "events the driver lacks, and what to do. Exit status 0 if there is (or would be)\n"
         "data, 1 if not, 126 or 127 if CMD did not run.\n");
    pp_invocation_help();
    return 0;
}

/** How a check ended. */
enum finding { GOOD, NOTE, BAD };

__attribute__((format(printf, 3, 4))) static void
tell(enum finding finding, const char *what, const char *format, ...)
{
    static const char *const mark[] = {"ok  ", "note", "BAD "};
    va_list args;
    pp_print(stdout, " %s  %-22s ", mark[finding], what);
    va_start(args, format);
    pp_print_list(stdout, format, args);
    va_end(args);
    pp_print_char(stdout, '\n');
}

/* The installation. */

static bool
check_files(const struct pp_places *places)
{
    char path[PATH_MAX];
    if (*places->lib)
        tell(GOOD, "OpenGL shim", "%s/" PP_GL_SHIM, places->lib);
    else
        tell(BAD, "OpenGL shim", PP_GL_SHIM " is not where %s/passprobe looks for it", places->bin);
    if (*places->share && pp_join(path, places->share, PP_LAYER_DIR "/" PP_LAYER_MANIFEST))
        tell(GOOD, "Vulkan layer", "%s", path);
    else
        tell(BAD, "Vulkan layer", PP_LAYER_MANIFEST " is not where %s/passprobe looks for it", places->bin);
    return *places->lib || *places->share;
}

/* Is the shim really in an application that is started with our environment? */
static bool
preload_actions(const struct pp_places *places)
{
    struct pp_environ env;
    struct pp_loads loads;
    struct pp_run run;
    char name[] = "/bin/true";
    char *argv[] = {name, NULL};
    bool seen = false;
    if (pp_environ_init(&env))
        return false;
    int rc = pp_loads_begin(&loads, &env);
    rc = rc ? rc : pp_environ_catch(&env, places);
    rc = rc ? rc : pp_launch(argv, env.env, &run);
    pp_loads_end(&loads);
    for (size_t i = 0; rc == 0 && i < loads.len; i++)
        seen |= loads.process[i].shim;
    pp_environ_finish(&env);
    return seen;
}

static bool
check_catching(const struct pp_places *places)
{
    bool preload = *places->lib && preload_actions(places);
    const char *layer = *places->share ? pp_probe_layer(places->share) : "";
    if (*places->lib)
        tell(preload ? GOOD : BAD, "LD_PRELOAD",
             preload ? "the loader takes the shim into /bin/true"
                     : "the loader does not take the shim: %s/%s",
             places->lib, PP_GL_SHIM);
    if (*places->share)
        tell(*layer ? NOTE : GOOD, "Vulkan loader", "%s",
             *layer ? layer : "finds the layer with PASSPROBE=1");
    return preload || (*places->share && !*layer);
}

/* The drivers. @return Can any of them be measured? */
static bool
check_drivers(void)
{
    struct pp_probes *probes = calloc(1, sizeof(*probes));
    bool any = false;
    char device[64];
    if (!probes)
        return false;
    pp_probe_all(probes);
    for (size_t i = 0; i < probes->len; i++) {
        const struct pp_probe *probe = &probes->probe[i];
        if (*probe->why_not) {
            tell(NOTE, probe->api, "%s", probe->why_not);
            continue;
        }
        any = true;
        int statistics = __builtin_popcount(probe->statistics);
        pp_text_name(device, sizeof(device), probe->device, 40);
        if (!probe->timestamp_bits)
            tell(NOTE, probe->api, "%s: CPU times only: %s", device, probe->why_no_time);
        else
            tell(GOOD, probe->api, "%s: %u-bit times, %d of 11 statistics", device, probe->timestamp_bits,
                 statistics);
        if (statistics == 0)
            tell(NOTE, "", "no statistics: %s", probe->why_no_statistics);
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
            bool open_to_us = access(nodes.gl_pathv[i], R_OK | W_OK) == 0;
            tell(open_to_us ? GOOD : BAD, nodes.gl_pathv[i],
                 open_to_us ? "readable and writable" : "no permission: join its group (render or video)");
            any = true;
        }
        globfree(&nodes);
    }
    if (!any)
        tell(NOTE, "/dev/dri", "no GPU device: only software drivers can be measured");
    bool writable = access(".", W_OK) == 0;
    tell(writable ? GOOD : NOTE, "working directory",
         writable ? "sessions can be written here" : "not writable: use -o DIR");
}

/* Is there an overlay before the shim in this list, which a launcher would use as it stands? */
static bool
hidden_in(const char *preload)
{
    const char *shim = strstr(preload, PP_GL_SHIM);
    char name[PATH_MAX];
    for (const char *at = preload; shim && at < shim; at += strspn(at, ": ")) {
        size_t len = strcspn(at, ": ");
        snprintf(name, sizeof(name), "%.*s", (int)len, at);
        if (pp_loads_is_overlay(name))
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
        tell(BAD, "configuration", "PASSPROBE_DISABLE or PASSPROBE=0 is set: profiling is off");
    else
        tell(good ? GOOD : BAD, "configuration", "%s",
             good ? "file and PASSPROBE_* variables are understood" : error);
    const char *preload = getenv("LD_PRELOAD");
    if (preload && hidden_in(preload))
        tell(BAD, "LD_PRELOAD", "an overlay in '%s' stands before " PP_GL_SHIM " and hides frames from it",
             preload);
    else if (preload && *preload)
        tell(NOTE, "LD_PRELOAD", "is already set to '%s': `passprobe stat` puts the shim before it", preload);
    return good && !config.disabled;
}

static int
examine_machine(const struct pp_places *places)
{
    pp_print(stdout, "passprobe " PP_VERSION "\n\n");
    bool good = check_files(places);
    good = check_catching(places) && good;
    good = check_configuration() && good;
    good = check_drivers() && good;
    check_permissions();
    pp_print(stdout, "\n%s\n",
             good ? "Programs can be profiled: passprobe stat -- CMD"
                  : "Programs cannot be profiled: see the lines marked BAD or note.");
    return good ? 0 : 1;
}

/* An application. */

static bool
examine_file(const char *name)
{
    struct pp_program_file file;
    int rc = pp_program_inspect(name, &file);
    if (rc) {
        tell(BAD, "program", "%s: %s", name, strerror(-rc));
        return false;
    }
    const char *obstacle = pp_program_obstacle(&file);
    if (obstacle)
        tell(BAD, "program", "%s: %s", file.path, obstacle);
    else if (file.kind == PP_PROGRAM_SCRIPT)
        tell(GOOD, "program", "%s: a script for %s; what it starts is profiled too", file.path,
             file.interpreter);
    else
        tell(GOOD, "program", "%s", file.path);
    return !obstacle;
}

static bool
draws(const struct pp_process_loads *process)
{
    return process->gl || process->egl || process->gles || process->vulkan;
}

/* What each process that loaded a graphics library did. What would explain that there are no frames is bad
 * only where there are none. @return How many did. */
static unsigned
tell_processes(const struct pp_loads *loads, bool frames)
{
    const enum finding finding = frames ? NOTE : BAD;
    unsigned count = 0;
    for (size_t i = 0; i < loads->len; i++) {
        const struct pp_process_loads *p = &loads->process[i];
        char program[100];
        if (!draws(p))
            continue;
        count++;
        pp_text_name(program, sizeof(program), p->program, 40);
        tell(GOOD, "process", "%s (%d) loaded%s%s%s%s", program, p->pid, p->gl ? " OpenGL" : "",
             p->egl ? " EGL" : "", p->gles ? " GLES" : "", p->vulkan ? " Vulkan" : "");
        if ((p->gl || p->egl || p->gles) && !p->shim)
            tell(finding, "OpenGL shim", "was not loaded: %s",
                 p->pid ? "the program or its script resets LD_PRELOAD, or is set-user-ID" : "");
        else if (p->gl || p->egl || p->gles)
            tell(GOOD, "OpenGL shim", "was loaded");
        if (*p->ahead)
            tell(finding, "preload order", "%s comes before the shim and calls the driver past it", p->ahead);
        if (p->vulkan)
            tell(p->layer ? GOOD : NOTE, "Vulkan layer",
                 p->layer ? "was loaded" : "was not loaded: no instance was made, or layers are disabled");
    }
    return count;
}

/* What session.json says of the devices. */
static void
tell_devices(const struct pp_recording *rec)
{
    char name[1024];
    json_t *devices = pp_recording_json(rec, "devices");
    for (size_t d = 0; d < json_array_size(devices); d++) {
        json_t *device = json_array_get(devices, d);
        const char *api = json_string_value(json_object_get(device, "api"));
        const char *title = json_string_value(json_object_get(device, "name"));
        tell(GOOD, "API used", "%s on %s", api ? api : "?",
             pp_text_name(name, sizeof(name), title ? title : "?", 50));
        struct pp_rec_missing missing[16];
        size_t count = pp_recording_missing(rec, d, missing, sizeof(missing) / sizeof(missing[0]));
        for (size_t i = 0; i < count && i < sizeof(missing) / sizeof(missing[0]); i++) {
            char more[32] = "";
            if (missing[i].events > 1)
                snprintf(more, sizeof(more), " and %zu more", missing[i].events - 1);
            tell(NOTE, "not measured", "%.80s%s: %s", missing[i].event, more,
                 pp_text_name(name, sizeof(name), missing[i].reason, 200));
        }
    }
}

/* What a run showed. */
struct watched {
    size_t devices;    /* contexts and devices in session.json */
    unsigned graphics; /* processes that loaded a graphics library */
    bool caught;       /* one of them had our code, too */
    bool hidden;       /* one of them had an overlay before it */
    struct pp_killed killed;
};

static const char *
advice(const struct watched *watched, bool reachable)
{
    unsigned graphics = watched->graphics;
    bool caught = watched->caught, hidden = watched->hidden;
    if (!reachable)
        return "remove the obstacle named above.";
    if (watched->killed.by_its_own)
        return "find out whether passprobe has a part in the crash: run the program "
               "without passprobe; then record -l frame (nothing inside of frames is measured); "
               "then record -e time (no counters).";
    if (hidden)
        return "put " PP_GL_SHIM " before the overlay in LD_PRELOAD: start the "
               "overlay inside passprobe (passprobe stat -- mangohud CMD), not passprobe inside it.";
    if (graphics && !caught)
        return "put passprobe before the program that draws, behind whatever "
               "resets LD_PRELOAD, PASSPROBE or XDG_DATA_DIRS.";
    if (!graphics)
        return "no process loaded OpenGL or Vulkan: is this the program that "
               "draws, or does it only tell a running one to?";
    if (!watched->devices)
        return "a graphics library was loaded, but no context or device was made "
               "that was seen: the program may render on the processor (browsers and toolkits do "
               "where they find no GPU), may have handed its work to a process that ran already, "
               "or may draw in a sandboxed child that may not write files: give it the option "
               "that forces OpenGL or Vulkan, that starts a new instance, or that ends the sandbox.";
    return "a graphics library was loaded but no frame ended. Programs that "
           "never present: --frame-on submit or finish; programs that end before their "
           "first frame: look at their own messages.";
}

/* How CMD ended. */
static void
tell_end(const struct pp_run *run, const struct pp_killed *killed)
{
    if (killed->signal && !killed->said_so)
        tell(killed->by_its_own ? BAD : NOTE, "end", "killed by %s (%s)%s", killed->name,
             strsignal(killed->signal), killed->core_dumped ? ", core dumped" : "");
    else if (killed->signal)
        tell(killed->by_its_own ? BAD : NOTE, "exit status",
             "%d: shells say so of a program killed by %s (%s)", run->exit_status, killed->name,
             strsignal(killed->signal));
    else if (run->exit_status)
        tell(NOTE, "exit status", "%d", run->exit_status);
}

static void
watched_make(struct watched *watched, const struct pp_run *run, const struct pp_loads *loads)
{
    *watched = (struct watched){.graphics = 0};
    pp_killed_by(run, &watched->killed);
    for (size_t i = 0; i < loads->len; i++) {
        const struct pp_process_loads *process = &loads->process[i];
        if (!draws(process))
            continue;
        watched->hidden |= *process->ahead != '\0';
        watched->caught |= process->shim || process->layer;
    }
}

/* The findings after CMD's end. */
static int
tell_run(const struct pp_run *run, const struct pp_loads *loads, const struct pp_session_dir *dir,
         bool reachable)
{
    struct pp_recording rec;
    struct pp_sessions sessions;
    struct watched watched;
    pp_session_dir_find(dir, run->start_s, &sessions);
    int rc = pp_recording_read_at(sessions.by_frames[0].fd, PP_REC_HEADLINES, &rec);
    uint64_t frames = rc == 0 ? pp_recording_frames(&rec) : 0;
    pp_print(stdout, "\n");
    watched_make(&watched, run, loads);
    tell_end(run, &watched.killed);
    watched.graphics = tell_processes(loads, frames > 0);
    if (rc == 0) {
        watched.devices = json_array_size(pp_recording_json(&rec, "devices"));
        tell_devices(&rec);
        pp_recording_finish(&rec);
    }
    pp_sessions_finish(&sessions);
    if (!frames)
        tell(BAD, "frames", "none was measured");
    else
        tell(GOOD, "frames", "%llu %s measured", (unsigned long long)frames, frames == 1 ? "was" : "were");
    if (frames)
        puts("\nThere is data: passprobe stat -- CMD. What the driver lacks stands above, if anything.");
    if (!frames || watched.killed.by_its_own) {
        size_t column = pp_print(stdout, "\nWhat to do: ") - 1;
        pp_text_wrap(stdout, column, 0, advice(&watched, reachable));
    }
    return frames ? 0 : 1;
}

/* Run CMD with the loader telling what it loads. */
static int
run_watched(const struct pp_invocation *inv, const struct pp_places *places, const struct pp_session_dir *dir,
            struct pp_loads *loads, struct pp_run *run)
{
    struct pp_environ env;
    int rc = pp_environ_init(&env);
    if (rc)
        return rc;
    rc = pp_loads_begin(loads, &env);
    rc = rc ? rc : pp_environ_catch(&env, places);
    rc = rc ? rc : pp_environ_options(&env, inv, dir->path);
    rc = rc ? rc : pp_launch(inv->command, env.env, run);
    pp_loads_end(loads);
    pp_environ_finish(&env);
    return rc;
}

static int
examine_program(const struct pp_invocation *inv, const struct pp_places *places)
{
    struct pp_session_dir dir;
    struct pp_run run;
    pp_print(stdout, "passprobe " PP_VERSION "\n\n");
    bool reachable = examine_file(inv->command[0]);
    reachable = check_files(places) && reachable;
    puts("\nThe program runs now; the findings come when it has ended.");
    fflush(stdout);
    struct pp_loads *loads = calloc(1, sizeof(*loads));
    int rc = loads ? pp_session_dir_temporary(&dir) : -ENOMEM;
    if (rc == 0)
        rc = run_watched(inv, places, &dir, loads, &run);
    if (rc) {
        free(loads);
        return pp_fail("cannot run '%s': %s", inv->command[0], strerror(-rc));
    }
    int status = run.exit_status;
    if (run.exec_errno)
        tell(BAD, "program", "cannot be run: %s", strerror(run.exec_errno));
    else
        status = tell_run(&run, loads, &dir, reachable);
    free(loads);
    pp_session_dir_delete(&dir);
    return status;
}

int
pp_cmd_doctor(int argc, char **argv)
{
    struct pp_invocation inv;
    struct pp_places places;
    if (pp_invocation_parse(&inv, argc, argv))
        return PP_EXIT_FAILED;
    if (inv.help)
        return usage();
    int rc = pp_places_find(&places);
    if (rc)
        return pp_fail("cannot find my own files: %s", strerror(-rc));
    return inv.command[0] ? examine_program(&inv, &places) : examine_machine(&places);
}
