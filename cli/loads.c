/** @file
 * See loads.h. Source of the lines' look: glibc elf/dl-init.c ("calling init: PATH"), elf/dl-load.c
 * ("file=NAME [0];  generating link map"), elf/rtld.c ("transferring control: NAME"); glibc 2.36. */
#include "cli/loads.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/places.h"

int
pp_loads_begin(struct pp_loads *loads, struct pp_environ *env)
{
    char output[PATH_MAX];
    memset(loads, 0, sizeof(*loads));
    snprintf(loads->dir, sizeof(loads->dir), "/tmp/passprobe-XXXXXX");
    if (!mkdtemp(loads->dir)) {
        loads->dir[0] = '\0';
        return -errno;
    }
    if (!pp_join(output, loads->dir, "loader"))
        return -ENAMETOOLONG;
    int rc = pp_environ_set(env, "LD_DEBUG", "files");
    return rc ? rc : pp_environ_set(env, "LD_DEBUG_OUTPUT", output);
}

/* Is name "libX.so" with or without a version behind it? */
static bool
is_library(const char *name, const char *library)
{
    size_t len = strlen(library);
    return strncmp(name, library, len) == 0 && (name[len] == '\0' || name[len] == '.');
}

bool
pp_loads_is_overlay(const char *file)
{
    /* Tried: MangoHud 0.6.8, apitrace 11.1. MangoHud takes the driver's functions out of its ELF tables. */
    static const char *const known[] = {"libMangoHud.so", "libMangoHud_dlsym.so", "glxtrace.so",
                                        "egltrace.so"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (is_library(pp_base_name(file), known[i]))
            return true;
    return false;
}

/* "file=PATH [0];  generating link map": preloads come in their order, before anything else. */
static void
note_order(struct pp_process_loads *process, const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%.*s", (int)strcspn(file, " "), file);
    const char *name = pp_base_name(path);
    if (pp_loads_is_overlay(name) && !*process->overlay)
        snprintf(process->overlay, sizeof(process->overlay), "%.63s", name);
    else if (is_library(name, PP_GL_SHIM))
        memcpy(process->ahead, process->overlay, sizeof(process->ahead));
}

void
pp_loads_line(struct pp_process_loads *process, const char *line)
{
    static const char init[] = "calling init: ";
    static const char control[] = "transferring control: ";
    const char *file = strstr(line, "file=");
    if (file && strstr(file, "generating link map")) {
        note_order(process, file + strlen("file="));
        return;
    }
    const char *at = strstr(line, control);
    if (at) {
        process->overlay[0] = '\0'; /* exec() of another image begins anew */
        snprintf(process->program, sizeof(process->program), "%s", pp_base_name(at + strlen(control)));
        return;
    }
    at = strstr(line, init);
    if (!at)
        return;
    const char *name = pp_base_name(at + strlen(init));
    process->gl |= is_library(name, "libGL.so") || is_library(name, "libOpenGL.so");
    process->egl |= is_library(name, "libEGL.so");
    process->gles |= is_library(name, "libGLESv2.so") || is_library(name, "libGLESv1_CM.so");
    process->vulkan |= is_library(name, "libvulkan.so");
    process->shim |= is_library(name, PP_GL_SHIM);
    process->layer |= is_library(name, PP_LAYER_LIBRARY);
}

static void
read_process(struct pp_loads *loads, const char *path, const char *name)
{
    char line[2 * PATH_MAX];
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (loads->len < PP_LOADS_MAX) {
        struct pp_process_loads *process = &loads->process[loads->len++];
        const char *dot = strrchr(name, '.');
        process->pid = dot ? atoi(dot + 1) : 0;
        while (fgets(line, sizeof(line), file)) {
            line[strcspn(line, "\n")] = '\0';
            pp_loads_line(process, line);
        }
    }
    fclose(file);
}

void
pp_loads_end(struct pp_loads *loads)
{
    char path[PATH_MAX];
    DIR *dir = *loads->dir ? opendir(loads->dir) : NULL;
    if (!dir)
        return;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || !pp_join(path, loads->dir, entry->d_name))
            continue;
        read_process(loads, path, entry->d_name);
        unlink(path);
    }
    closedir(dir);
    rmdir(loads->dir);
}
