/** @file
 * See ld_debug.h. Source of the lines' look: glibc elf/dl-init.c ("calling init: PATH"), elf/dl-load.c
 * ("file=NAME [0];  generating link map"), elf/rtld.c ("transferring control: NAME"); glibc 2.36. */
#include "cli/launch/ld_debug.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch/install_paths.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"

#define LOG_NAME "loader" /* the loader adds ".PID" */

int
pp_ld_debug_begin(struct pp_ld_debug *loads, struct pp_environ *env)
{
    char output[PATH_MAX];
    memset(loads, 0, sizeof(*loads));
    snprintf(loads->dir, sizeof(loads->dir), "/tmp/passprobe-XXXXXX");
    if (!mkdtemp(loads->dir)) {
        loads->dir[0] = '\0';
        return -errno;
    }
    loads->dir_fd = open(loads->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (loads->dir_fd < 0) {
        int rc = -errno;
        (void)rmdir(loads->dir);
        loads->dir[0] = '\0';
        return rc;
    }
    if (!pp_join(output, loads->dir, LOG_NAME))
        return -ENAMETOOLONG;
    int rc = pp_environ_set(env, "LD_DEBUG", "files");
    return rc ? rc : pp_environ_set(env, "LD_DEBUG_OUTPUT", output);
}

/* Is @p name this library ("libX.so"), with or without a version after it? */
static bool
is_library(const char *name, const char *library)
{
    size_t len = strlen(library);
    return strncmp(name, library, len) == 0 && (name[len] == '\0' || name[len] == '.');
}

bool
pp_ld_debug_is_overlay(const char *file)
{
    /* Tried: MangoHud 0.6.8, apitrace 11.1. MangoHud takes the driver's functions out of its ELF tables. */
    static const char *const known[] = {"libMangoHud.so", "libMangoHud_dlsym.so", "glxtrace.so",
                                        "egltrace.so"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++)
        if (is_library(pp_base_name(file), known[i]))
            return true;
    return false;
}

/* Read "file=PATH [0];  generating link map". Such lines name the preloaded libraries in their order, before
 * all others. */
static void
note_order(struct pp_ld_process *process, const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%.*s", (int)strcspn(file, " "), file);
    const char *name = pp_base_name(path);
    if (pp_ld_debug_is_overlay(name) && !*process->overlay)
        snprintf(process->overlay, sizeof(process->overlay), "%.63s", name);
    else if (is_library(name, PP_GL_SHIM))
        memcpy(process->ahead, process->overlay, sizeof(process->ahead));
}

void
pp_ld_debug_line(struct pp_ld_process *process, const char *line)
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
        process->overlay[0] = '\0'; /* exec() has loaded another image: begin anew */
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
read_process(struct pp_ld_debug *loads, const char *name)
{
    char line[2 * PATH_MAX];
    int fd = pp_open_regular(loads->dir_fd, name, O_RDONLY | O_NOFOLLOW);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (!file) {
        if (fd >= 0)
            close(fd);
        return;
    }
    if (loads->len < PP_LOADS_MAX) {
        struct pp_ld_process *process = &loads->process[loads->len++];
        const char *dot = strrchr(name, '.');
        process->pid = dot ? atoi(dot + 1) : 0;
        while (fgets(line, sizeof(line), file)) {
            line[strcspn(line, "\n")] = '\0';
            pp_ld_debug_line(process, line);
        }
    }
    fclose(file);
}

/* Files that the loader wrote; others are not touched. */
static bool
is_log(const char *name)
{
    const size_t len = sizeof(LOG_NAME) - 1;
    return strncmp(name, LOG_NAME, len) == 0 && name[len] == '.';
}

void
pp_ld_debug_end(struct pp_ld_debug *loads)
{
    int list = *loads->dir ? openat(loads->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *dir = list < 0 ? NULL : fdopendir(list);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (!is_log(entry->d_name))
            continue;
        read_process(loads, entry->d_name);
        (void)unlinkat(loads->dir_fd, entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
    else if (list >= 0)
        close(list);
    if (*loads->dir) {
        close(loads->dir_fd);
        (void)rmdir(loads->dir); /* removes the directory only if it is empty */
    }
}
