/** @file
 * `passprobe doctor`: why is there no data? Without CMD: the installation and the drivers. With CMD: runs it
 * and shows which API it used, whether passprobe was loaded, what the driver lacks, and what to do. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/launch/environ.h"
#include "cli/launch/executable.h"
#include "cli/launch/install_paths.h"
#include "cli/launch/launch.h"
#include "cli/launch/ld_debug.h"
#include "cli/launch/session_dir.h"
#include "cli/probe/probe.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_json.h"
#include "cli/session/session_shown.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "core/config/config_read.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/** How a check ended. */
enum pp_doctor_finding { PP_DOCTOR_GOOD, PP_DOCTOR_NOTE, PP_DOCTOR_BAD };

/* Print a finding: what was checked, and the result. */
__attribute__((format(printf, 3, 4))) static void
doctor_tell(enum pp_doctor_finding finding, const char *what, const char *format, ...)
{
    static const char *const mark[] = {"ok  ", "note", "BAD "};
    va_list args;
    pp_print(stdout, " %s  %-22s ", mark[finding], what);
    va_start(args, format);
    pp_print_list(stdout, format, args);
    va_end(args);
    pp_print_char(stdout, '\n');
}

/* Check that passprobe's files are installed. @return false: neither the shim nor the layer is. */
static bool
doctor_check_files(const struct pp_install_paths *places)
{
    char path[PATH_MAX];
    if (*places->lib)
        doctor_tell(PP_DOCTOR_GOOD, PP_TEXT_DOCTOR_SHIM, "%s/" PP_GL_SHIM, places->lib);
    else
        doctor_tell(PP_DOCTOR_BAD, PP_TEXT_DOCTOR_SHIM, PP_FORMAT_DOCTOR_NO_SHIM, places->bin);
    if (*places->share && pp_join(path, places->share, PP_LAYER_DIR "/" PP_LAYER_MANIFEST))
        doctor_tell(PP_DOCTOR_GOOD, PP_TEXT_DOCTOR_LAYER, "%s", path);
    else
        doctor_tell(PP_DOCTOR_BAD, PP_TEXT_DOCTOR_LAYER, PP_FORMAT_DOCTOR_NO_LAYER, places->bin);
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
        doctor_tell(preload ? PP_DOCTOR_GOOD : PP_DOCTOR_BAD, "LD_PRELOAD",
                    preload ? PP_TEXT_DOCTOR_PRELOADS : PP_FORMAT_DOCTOR_NO_PRELOAD, places->lib);
    if (*places->share)
        doctor_tell(*layer ? PP_DOCTOR_NOTE : PP_DOCTOR_GOOD, "Vulkan loader", "%s",
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
            doctor_tell(PP_DOCTOR_NOTE, probe->api, "%s", probe->why_not);
            continue;
        }
        any = true;
        int statistics = __builtin_popcount(probe->statistics);
        pp_format_name(device, sizeof(device), probe->device, 40);
        if (!probe->timestamp_bits)
            doctor_tell(PP_DOCTOR_NOTE, probe->api, PP_FORMAT_DOCTOR_CPU_ONLY, device, probe->why_no_time);
        else
            doctor_tell(PP_DOCTOR_GOOD, probe->api, PP_FORMAT_DOCTOR_TIMES, device, probe->timestamp_bits,
                        statistics);
        if (statistics == 0)
            doctor_tell(PP_DOCTOR_NOTE, "", PP_FORMAT_DOCTOR_NO_STATISTICS, probe->why_no_statistics);
        doctor_tell(PP_DOCTOR_NOTE, "", "%s", pp_checked_describe(probe, checked, sizeof(checked)));
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
            doctor_tell(is_open ? PP_DOCTOR_GOOD : PP_DOCTOR_BAD, nodes.gl_pathv[i],
                        is_open ? PP_TEXT_DOCTOR_NODE : PP_TEXT_DOCTOR_NO_NODE);
            any = true;
        }
        globfree(&nodes);
    }
    if (!any)
        doctor_tell(PP_DOCTOR_NOTE, "/dev/dri", PP_TEXT_DOCTOR_NO_GPU);
    bool writable = access(".", W_OK) == 0;
    doctor_tell(writable ? PP_DOCTOR_GOOD : PP_DOCTOR_NOTE, "working directory",
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
        doctor_tell(PP_DOCTOR_BAD, PP_TEXT_DOCTOR_CONFIGURATION, PP_TEXT_DOCTOR_DISABLED);
    else
        doctor_tell(good ? PP_DOCTOR_GOOD : PP_DOCTOR_BAD, PP_TEXT_DOCTOR_CONFIGURATION, "%s",
                    good ? PP_TEXT_DOCTOR_CONFIGURED : error);
    const char *preload = getenv("LD_PRELOAD");
    if (preload && hidden_in(preload))
        doctor_tell(PP_DOCTOR_BAD, "LD_PRELOAD", PP_FORMAT_DOCTOR_OVERLAY, preload);
    else if (preload && *preload)
        doctor_tell(PP_DOCTOR_NOTE, "LD_PRELOAD", PP_FORMAT_DOCTOR_PRELOAD_SET, preload);
    return good && !config.disabled;
}

/* Print the variables on which windows depend: DISPLAY, WAYLAND_DISPLAY, XDG_RUNTIME_DIR. */
static void
doctor_check_display(void)
{
    static const char *const name[] = {"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"};
    bool is_set[PP_ARRAY_SIZE(name)];
    for (size_t i = 0; i < PP_ARRAY_SIZE(name); i++) {
        const char *value = getenv(name[i]);
        is_set[i] = value && *value;
        doctor_tell(is_set[i] ? PP_DOCTOR_GOOD : PP_DOCTOR_NOTE, name[i], "%s",
                    is_set[i] ? value : PP_TEXT_DOCTOR_NOT_SET);
    }
    if (!is_set[0] && !is_set[1])
        doctor_tell(PP_DOCTOR_NOTE, "", PP_TEXT_DOCTOR_NO_WINDOW);
}

/* Check the loader, the configuration, the drivers and permissions. @return Can applications be profiled? */
static bool
doctor_check_machine(const struct pp_install_paths *places)
{
    bool good = check_profiling(places);
    good = check_configuration() && good;
    good = check_drivers() && good;
    check_permissions();
    return good;
}

/* Check everything that needs no application. @return The exit status. */
static int
doctor_examine_machine(const struct pp_install_paths *places)
{
    pp_print(stdout, "passprobe " PP_VERSION "\n\n");
    doctor_check_display();
    bool good = doctor_check_files(places);
    good = doctor_check_machine(places) && good;
    pp_print(stdout, "\n%s\n", good ? PP_TEXT_DOCTOR_GOOD : PP_TEXT_DOCTOR_BAD);
    return good ? 0 : 1;
}

#define MESSAGES_MOST 20U

static const struct pp_command_options doctor = {.name = "doctor", .usage = PP_TEXT_USAGE_DOCTOR};

static bool
examine_file(const char *name)
{
    struct pp_executable_file file;
    int rc = pp_executable_inspect(name, &file);
    if (rc) { /* the file may be executable without being readable */
        doctor_tell(PP_DOCTOR_BAD, "application", "%s: %s", name, strerror(-rc));
        return false;
    }
    const char *obstacle = pp_executable_obstacle(&file);
    if (obstacle)
        doctor_tell(PP_DOCTOR_BAD, "application", "%s: %s", file.path, obstacle);
    else if (file.kind == PP_EXECUTABLE_SCRIPT)
        doctor_tell(PP_DOCTOR_GOOD, "application", PP_FORMAT_DOCTOR_SCRIPT, file.path, file.interpreter);
    else
        doctor_tell(PP_DOCTOR_GOOD, "application", "%s", file.path);
    return !obstacle;
}

static bool
draws(const struct pp_ld_process *process)
{
    return process->gl || process->egl || process->gles || process->vulkan;
}

/* Print a finding for each process that loaded a graphics library. If the run has frames, a finding that
 * would explain missing frames is not bad. @return The number of these processes. */
static unsigned
print_processes(const struct pp_ld_debug *loads, bool frames)
{
    const enum pp_doctor_finding finding = frames ? PP_DOCTOR_NOTE : PP_DOCTOR_BAD;
    unsigned count = 0;
    for (size_t i = 0; i < loads->len; i++) {
        const struct pp_ld_process *p = &loads->process[i];
        char program[100];
        if (!draws(p))
            continue;
        count++;
        pp_format_name(program, sizeof(program), p->program, 40);
        doctor_tell(PP_DOCTOR_GOOD, PP_TEXT_DOCTOR_PROCESS, PP_FORMAT_DOCTOR_LOADED, program, p->pid,
                    p->gl ? " OpenGL" : "", p->egl ? " EGL" : "", p->gles ? " GLES" : "",
                    p->vulkan ? " Vulkan" : "");
        if ((p->gl || p->egl || p->gles) && !p->shim)
            doctor_tell(finding, PP_TEXT_DOCTOR_SHIM, PP_FORMAT_DOCTOR_NOT_LOADED,
                        p->pid ? PP_TEXT_DOCTOR_RESET : "");
        else if (p->gl || p->egl || p->gles)
            doctor_tell(PP_DOCTOR_GOOD, PP_TEXT_DOCTOR_SHIM, PP_TEXT_DOCTOR_WAS_LOADED);
        if (*p->ahead)
            doctor_tell(finding, "preload order", PP_FORMAT_DOCTOR_AHEAD, p->ahead);
        if (p->vulkan)
            doctor_tell(p->layer ? PP_DOCTOR_GOOD : PP_DOCTOR_NOTE, PP_TEXT_DOCTOR_LAYER,
                        p->layer ? PP_TEXT_DOCTOR_WAS_LOADED : PP_TEXT_DOCTOR_NO_INSTANCE);
    }
    return count;
}

/* Print what session.json says about the devices. */
static void
print_devices(const struct pp_saved_session *rec)
{
    char name[1024];
    json_t *devices = pp_saved_json(rec, "devices");
    for (size_t d = 0; d < json_array_size(devices); d++) {
        json_t *device = json_array_get(devices, d);
        const char *api = json_string_value(json_object_get(device, "api"));
        const char *title = json_string_value(json_object_get(device, "name"));
        doctor_tell(PP_DOCTOR_GOOD, "API used", PP_FORMAT_DOCTOR_API_ON, api ? api : "?",
                    pp_format_name(name, sizeof(name), title ? title : "?", 50));
        struct pp_saved_missing missing[16];
        size_t count = pp_saved_missing(rec, d, missing, PP_ARRAY_SIZE(missing));
        for (size_t i = 0; i < count && i < PP_ARRAY_SIZE(missing); i++) {
            char more[32] = "";
            if (missing[i].events > 1)
                snprintf(more, sizeof(more), PP_FORMAT_AND_MORE, missing[i].events - 1);
            doctor_tell(PP_DOCTOR_NOTE, "not measured", "%.80s%s: %s", missing[i].event, more,
                        pp_format_name(name, sizeof(name), missing[i].reason, 200));
        }
    }
}

/* What a run showed. */
struct watched {
    size_t devices;        /* contexts and devices in session.json */
    size_t vulkan_devices; /* how many of them are Vulkan's */
    unsigned graphics;     /* processes that loaded a graphics library */
    bool reached;          /* one of these processes loaded passprobe's shim or layer, too */
    bool paused;           /* one of them was never recorded, because of --paused */
    bool hidden;           /* one of these processes had an overlay before the shim */
    struct pp_killed killed;
};

static const char *
advice(const struct watched *watched, bool reachable)
{
    unsigned graphics = watched->graphics;
    bool reached = watched->reached, hidden = watched->hidden;
    if (!reachable)
        return PP_TEXT_ADVICE_OBSTACLE;
    if (watched->killed.is_fault_of_process)
        return PP_TEXT_ADVICE_CRASH;
    if (hidden)
        return PP_TEXT_ADVICE_OVERLAY;
    if (graphics && !reached)
        return PP_TEXT_ADVICE_RESET;
    if (!graphics)
        return PP_TEXT_ADVICE_NO_GRAPHICS;
    if (!watched->devices)
        return PP_TEXT_ADVICE_NO_DEVICE;
    if (watched->paused)
        return PP_TEXT_ADVICE_PAUSED;
    if (!watched->vulkan_devices)
        return PP_TEXT_ADVICE_NO_FRAME_GL;
    if (watched->vulkan_devices == watched->devices)
        return PP_TEXT_ADVICE_NO_FRAME_VK;
    return PP_TEXT_ADVICE_NO_FRAME;
}

/* Print how CMD ended. */
static void
print_end(const struct pp_run *run, const struct pp_killed *killed)
{
    if (killed->signal && !killed->by_status)
        doctor_tell(killed->is_fault_of_process ? PP_DOCTOR_BAD : PP_DOCTOR_NOTE, "end",
                    PP_FORMAT_DOCTOR_KILLED, killed->name, strsignal(killed->signal),
                    killed->core_dumped ? PP_TEXT_CORE_DUMPED : "");
    else if (killed->signal)
        doctor_tell(killed->is_fault_of_process ? PP_DOCTOR_BAD : PP_DOCTOR_NOTE, PP_TEXT_DOCTOR_EXIT_STATUS,
                    PP_FORMAT_DOCTOR_SHELL_STATUS, run->exit_status, killed->name, strsignal(killed->signal));
    else
        doctor_tell(run->exit_status ? PP_DOCTOR_NOTE : PP_DOCTOR_GOOD, PP_TEXT_DOCTOR_EXIT_STATUS, "%d",
                    run->exit_status);
}

static void
watched_make(struct watched *watched, const struct pp_run *run, const struct pp_ld_debug *loads)
{
    *watched = (struct watched){.graphics = 0};
    pp_killed_by(run, &watched->killed);
    for (size_t i = 0; i < loads->len; i++) {
        const struct pp_ld_process *process = &loads->process[i];
        if (!draws(process))
            continue;
        watched->hidden |= *process->ahead != '\0';
        watched->reached |= process->shim || process->layer;
    }
}

/* Count the devices of session.json. */
static void
watched_devices(struct watched *watched, json_t *devices)
{
    watched->devices += json_array_size(devices);
    for (size_t d = 0; d < json_array_size(devices); d++) {
        const char *api = json_string_value(json_object_get(json_array_get(devices, d), "api"));
        watched->vulkan_devices += api && strcmp(api, "vulkan") == 0;
    }
}

/* Print what the shim and the layer said in a process: the messages of its session, without those about the
 * temporary directory @p folder. */
static void
print_messages(const struct pp_saved_session *rec, const char *folder)
{
    char name[1024];
    const json_t *messages = pp_saved_json(rec, "messages");
    for (size_t i = 0; i < json_array_size(messages) && i < MESSAGES_MOST; i++) {
        const char *text = json_string_value(json_object_get(json_array_get(messages, i), "text"));
        if (text && !strstr(text, folder))
            doctor_tell(PP_DOCTOR_NOTE, "passprobe said", "%s",
                        pp_format_name(name, sizeof(name), text, 200));
    }
}

/* Print what the processes of the run measured, each with its devices. @param folder Of the sessions. @return
 * Frames of all of them. */
static uint64_t
print_sessions(const struct pp_sessions *sessions, const char *folder, struct watched *watched)
{
    uint64_t frames = 0;
    for (size_t i = 0; i < sessions->found && i < PP_SESSIONS_NAMED; i++) {
        struct pp_saved_session rec;
        char name[512];
        if (pp_saved_read_at(sessions->by_frames[i].fd, PP_SAVED_HEADLINES, &rec))
            continue;
        uint64_t own = rec.frames;
        const char *program = json_string_value(pp_saved_json(&rec, "program.executable"));
        doctor_tell(own ? PP_DOCTOR_GOOD : PP_DOCTOR_NOTE, PP_TEXT_DOCTOR_PROCESS,
                    PP_FORMAT_DOCTOR_PROCESS_FRAMES,
                    pp_format_name(name, sizeof(name), program ? pp_base_name(program) : "?", 40),
                    (int)json_integer_value(pp_saved_json(&rec, "program.pid")), (unsigned long long)own,
                    pp_format_noun((double)own, "frame", "frames"));
        if (rec.keep_ns > 0)
            doctor_tell(PP_DOCTOR_NOTE, PP_TEXT_DOCTOR_KEPT, PP_FORMAT_DOCTOR_KEPT_FRAMES,
                        fmax(0, pp_saved_number(&rec, "counts.kept_frames")));
        watched_devices(watched, pp_saved_json(&rec, "devices"));
        watched->paused |= pp_session_never_recorded(rec.json);
        print_devices(&rec);
        print_messages(&rec, folder);
        frames += own;
        pp_saved_finish(&rec);
    }
    return frames;
}

/* Print the findings after CMD's end. */
static int
print_run(const struct pp_run *run, const struct pp_ld_debug *loads, const struct pp_session_dir *dir,
          const struct pp_install_paths *places, bool reachable)
{
    struct pp_sessions sessions;
    struct watched watched;
    pp_session_dir_find(dir, &sessions);
    pp_print(stdout, "\n");
    watched_make(&watched, run, loads);
    print_end(run, &watched.killed);
    bool any = sessions.found && sessions.by_frames[0].frames;
    watched.graphics = print_processes(loads, any);
    uint64_t frames = print_sessions(&sessions, dir->path, &watched);
    pp_sessions_finish(&sessions);
    if (!frames)
        doctor_tell(PP_DOCTOR_BAD, "frames", "none measured");
    else
        doctor_tell(PP_DOCTOR_GOOD, "frames", PP_FORMAT_DOCTOR_FRAMES, (unsigned long long)frames,
                    frames == 1 ? "was" : "were");
    if (!frames) {
        puts("\n" PP_TEXT_DOCTOR_MACHINE);
        (void)doctor_check_machine(places);
    }
    if (frames)
        puts("\n" PP_TEXT_DOCTOR_DATA);
    if (!frames || watched.killed.is_fault_of_process) {
        size_t column = pp_print(stdout, "\n" PP_TEXT_DOCTOR_ADVICE) - 1;
        pp_format_wrap(stdout, column, 0, advice(&watched, reachable));
    }
    return frames ? 0 : 1;
}

/* Run CMD while the dynamic loader reports what it loads. */
static int
run_watched(const struct pp_command_line *line, const struct pp_install_paths *places,
            const struct pp_session_dir *dir, struct pp_ld_debug *loads, struct pp_run *run)
{
    struct pp_environ env;
    int rc = pp_environ_init(&env);
    if (rc)
        return rc;
    rc = pp_ld_debug_begin(loads, &env);
    rc = rc ? rc : pp_environ_add_profiling(&env, places);
    rc = rc ? rc : pp_environ_options(&env, line, dir->path);
    rc = rc ? rc : pp_launch(line->command, env.env, NULL, run);
    pp_ld_debug_end(loads);
    pp_environ_finish(&env);
    return rc;
}

static int
examine_application(const struct pp_command_line *line, const struct pp_install_paths *places)
{
    struct pp_session_dir dir;
    struct pp_run run;
    char path[PATH_MAX];
    pp_print(stdout, "passprobe " PP_VERSION "\n\n");
    doctor_check_display();
    if (*line->config_error)
        doctor_tell(PP_DOCTOR_BAD, PP_TEXT_DOCTOR_CONFIGURATION, "%s", line->config_error);
    int found = pp_executable_find(line->command[0], path);
    if (found) {
        doctor_tell(PP_DOCTOR_BAD, "application", "%s: %s", line->command[0], strerror(-found));
        return pp_exit_of_exec(-found);
    }
    bool reachable = examine_file(line->command[0]) && !*line->config_error;
    reachable = doctor_check_files(places) && reachable;
    puts("\n" PP_TEXT_DOCTOR_RUNS);
    fflush(stdout);
    struct pp_ld_debug *loads = calloc(1, sizeof(*loads));
    int rc = loads ? pp_session_dir_temporary(&dir) : -ENOMEM;
    if (rc == 0)
        rc = run_watched(line, places, &dir, loads, &run);
    if (rc) {
        free(loads);
        return pp_fail(PP_FORMAT_RUN_FAILED, line->command[0], strerror(-rc));
    }
    int status = run.exit_status;
    if (run.exec_errno)
        doctor_tell(PP_DOCTOR_BAD, "application", PP_FORMAT_DOCTOR_RUN_FAILED, strerror(run.exec_errno));
    else
        status = print_run(&run, loads, &dir, places, reachable);
    free(loads);
    pp_session_dir_delete(&dir);
    return status;
}

int
pp_cmd_doctor(int argc, char **argv)
{
    struct pp_command_line line;
    struct pp_install_paths places;
    if (pp_command_line_parse(&line, &doctor, argc, argv))
        return PP_EXIT_FAILED;
    if (line.help)
        return 0;
    int rc = pp_install_paths_find(&places);
    if (rc)
        return pp_fail(PP_FORMAT_OWN_FILES, strerror(-rc));
    return line.command[0] ? examine_application(&line, &places) : doctor_examine_machine(&places);
}
