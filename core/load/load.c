/** @file
 * See load.h. Linked into the shim and the layer; not a part of the core. */
#include "core/load/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/session/session.h"
#include "core/util/compiler.h"
#include "core/util/heap.h"
#include "core/util/log_line.h"
#include "core/util/start.h"
#include "counters/util/array_size.h"
#include "counters/util/errno_text.h"
#include "counters/util/fd.h"
#include "counters/util/sandbox.h"

#include "core_interface.h" /* generated */

#define CORE "libpassprobe-core.so.0"

/* A slot for each function of PP_CORE_INTERFACE, in its order; stub.S has them. */
extern __attribute__((visibility("hidden"))) _Atomic(void *) pp_core_slot[];

atomic_size_t pp_heap_own;

#define NAME(name) #name,
static const char *const function_name[] = {PP_CORE_INTERFACE(NAME)};
#define FUNCTIONS PP_ARRAY_SIZE(function_name)

/* The folder of this library, without links; "": not known. Written once, before main() or in dlopen(). */
static char folder[PATH_MAX];

/* The path may be relative, and the application may change its folder. */
static void
note_folder(void)
{
    char path[PATH_MAX];
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(folder, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !realpath(map->l_name, path))
        return;
    size_t len = (size_t)(strrchr(path, '/') - path);
    memcpy(folder, path, len);
    folder[len] = '\0';
}

__attribute__((constructor)) static void
on_load(void)
{
    static atomic_bool done;
    if (pp_is_privileged() || atomic_exchange(&done, true))
        return;
    int saved = errno;
    pp_sandbox_note_start();
    note_folder();
    errno = saved;
}

void *
pp_libc_function(const char *name)
{
    static const char *const version[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.1",
                                          "GLIBC_2.0"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(version); i++) {
        void *found = dlvsym(RTLD_NEXT, name, version[i]);
        if (found)
            return found;
    }
    return NULL;
}

/* Say once why there is no core, if the user asked for profiling. */
static void
explain(bool asked, enum pp_message id, const char *text)
{
    static atomic_bool said;
    if (asked && !atomic_exchange(&said, true))
        pp_log_line(id, text);
}

/* Does the file have all bytes that its headers promise? The loader does not ask, and a page that is not
 * there ends the process by SIGBUS. @return 0, or -errno: -ENODATA if not. */
static int
check_file(const char *path)
{
    union {
        ElfW(Ehdr) elf;
        unsigned char bytes[4096];
    } head;
    struct stat about;
    int fd = pp_open_regular(AT_FDCWD, path, O_RDONLY);
    if (fd < 0)
        return fd;
    ssize_t got = pp_read_at(fd, head.bytes, sizeof(head.bytes), 0);
    int rc = got < 0 ? (int)got : fstat(fd, &about) ? -errno : 0;
    (void)close(fd);
    size_t end = rc ? 0 : (size_t)got;
    if (rc == 0 &&
        (end < sizeof(head.elf) || head.elf.e_phoff > end || head.elf.e_phentsize != sizeof(ElfW(Phdr)) ||
         head.elf.e_phnum > (end - head.elf.e_phoff) / sizeof(ElfW(Phdr))))
        rc = -ENODATA;
    for (unsigned i = 0; rc == 0 && i < head.elf.e_phnum; i++) {
        ElfW(Phdr) part;
        memcpy(&part, head.bytes + head.elf.e_phoff + i * sizeof(part), sizeof(part));
        uint64_t part_end = (uint64_t)part.p_offset + part.p_filesz;
        if (part_end < part.p_offset || part_end > (uint64_t)about.st_size)
            rc = -ENODATA;
    }
    return rc;
}

/* Open the core of this installation. @param why Set if it cannot be opened. */
static void *
open_core(void *(*open_library)(const char *, int), char *why, size_t size)
{
    static const char *const below[] = {"/passprobe", ""};
    char path[PATH_MAX + sizeof("/passprobe/" CORE)];
    int rc = -ENOENT;
    for (size_t i = 0; i < PP_ARRAY_SIZE(below) && *folder && rc == -ENOENT; i++) {
        snprintf(path, sizeof(path), "%s%s/" CORE, folder, below[i]);
        rc = check_file(path);
    }
    void *core = rc == 0 ? open_library(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    const char *error = rc == 0 ? dlerror() : NULL;
    if (rc)
        snprintf(why, size, "%s/" CORE ": %s", folder, pp_errno_text(-rc));
    else if (!core)
        snprintf(why, size, "%s", error ? error : path);
    return core;
}

/* Find the core: the one that the process has, or else the one of this installation. */
static void *
find_core(char *why, size_t size)
{
    void *libc_dlopen = pp_libc_function("dlopen");
    void *(*open_library)(const char *, int);
    memcpy(&open_library, &libc_dlopen, sizeof(open_library));
    void *core = open_library ? open_library(CORE, RTLD_NOW | RTLD_NOLOAD) : NULL;
    return core || !open_library ? core : open_core(open_library, why, size);
}

/* Fill the slots. @return false: the core has another build's interface. */
static bool
bind(void *core)
{
    void *function[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (!(function[i] = dlvsym(core, function_name[i], PP_CORE_VERSION)))
            return false;
    for (size_t i = 0; i < FUNCTIONS; i++)
        atomic_store_explicit(&pp_core_slot[i], function[i], memory_order_relaxed);
    return true;
}

/* The shim's answer, if a shim is preloaded and this is the layer. @return false: the shim refused. */
static bool
shim_agrees(void)
{
    bool (*shim_open)(void);
    void *found = dlsym(RTLD_DEFAULT, "passprobe_core_open");
    memcpy(&shim_open, &found, sizeof(shim_open));
    return !shim_open || shim_open == passprobe_core_open || shim_open();
}

/* Is a variable set, and not to 0? */
static bool
is_on(const char *name)
{
    const char *value = pp_start_variable(name);
    return value && *value && strcmp(value, "0") != 0;
}

/* Do the variables say that passprobe is off? As core/config/config_read.c. */
static bool
is_disabled(void)
{
    const char *enable = pp_start_variable("PASSPROBE");
    return is_on("PASSPROBE_DISABLE") || (enable && strcmp(enable, "0") == 0);
}

static bool
try_open(void)
{
    on_load();
    if (pp_is_privileged() || is_disabled() || !shim_agrees())
        return false;
    bool asked = is_on("PASSPROBE") || is_on("PASSPROBE_LAUNCHER");
    if (pp_sandbox_since_start()) {
        explain(true, PP_ID_CONFINED, PP_TEXT_CONFINED);
        return false;
    }
    char why[PATH_MAX + 256] = CORE;
    char text[sizeof(why) + 256];
    void *core = find_core(why, sizeof(why));
    if (!core) {
        snprintf(text, sizeof(text), PP_FORMAT_CORE_MISSING, why);
        explain(asked, PP_ID_CORE_MISSING, text);
    } else if (!bind(core)) {
        struct link_map *map = NULL;
        (void)dlinfo(core, RTLD_DI_LINKMAP, &map);
        snprintf(text, sizeof(text), PP_FORMAT_CORE_BUILD, map ? map->l_name : CORE);
        explain(asked, PP_ID_CORE_BUILD, text);
        core = NULL;
    } else {
        pp_heap_join(&pp_heap_own);
        pp_session_take_start(pp_start());
        (void)pp_session_get();
    }
    (void)dlerror();
    return core != NULL;
}

/* Threads that come here at the same time open the same core and store the same values: a lock might be taken
 * in another order than the dynamic loader's. */
bool
pp_core_open(void)
{
    enum { UNTRIED, OPEN, REFUSED };
    static atomic_int state;
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (PP_LIKELY(now != UNTRIED))
        return now == OPEN;
    int saved = errno;
    now = try_open() ? OPEN : REFUSED;
    atomic_store_explicit(&state, now, memory_order_release);
    errno = saved;
    return now == OPEN;
}

__attribute__((visibility("default"))) bool
passprobe_core_open(void)
{
    return pp_core_open();
}
