/** @file
 * See driver_procs.h. The loader's dlsym is found by dlvsym(RTLD_NEXT), which no known tool intercepts: it
 * skips symbols without a version, such as other tools' dlsym. The names of the versions are glibc's. Then
 * the loader's dlsym finds the next dlsym and dlopen, which may be another tool's. */
#include "hooks/reach/driver_procs.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "core/load/load.h"
#include "counters/util/array_size.h"

extern char **environ;

_Atomic(pp_gl_proc) pp_gl_real[PP_HOOK_COUNT];

/* Sonames of libglvnd, and of drivers that are older than it. */
static const char *const gl_soname[] = {"libGL.so.1",  "libGLX.so.0",    "libOpenGL.so.0",
                                        "libEGL.so.1", "libGLESv2.so.2", "libGLESv1_CM.so.1"};
#define GL_SONAMES PP_ARRAY_SIZE(gl_soname)

static struct pp_loader loader;

const struct pp_loader *
pp_loader(void)
{
    if (PP_LIKELY(atomic_load_explicit(&loader.dlsym, memory_order_acquire)))
        return &loader;
    /* Threads that race here store the same values. */
    void *open = pp_libc_function("dlopen");
    void *sym = pp_libc_function("dlsym");
    void *(*open_fn)(const char *, int);
    void *(*sym_fn)(void *, const char *);
    memcpy(&open_fn, &open, sizeof(open));
    memcpy(&sym_fn, &sym, sizeof(sym));
    void *next_open = sym_fn(RTLD_NEXT, "dlopen");
    void *next_sym = sym_fn(RTLD_NEXT, "dlsym");
    atomic_store_explicit(&loader.dlopen, open_fn, memory_order_release);
    atomic_store_explicit(&loader.next_dlopen, next_open ? next_open : open, memory_order_release);
    atomic_store_explicit(&loader.next_dlsym, next_sym ? next_sym : sym, memory_order_release);
    atomic_store_explicit(&loader.dlsym, sym_fn, memory_order_release);
    (void)dlerror();
    return &loader;
}

static pp_gl_proc
to_proc(void *pointer)
{
    pp_gl_proc proc;
    memcpy(&proc, &pointer, sizeof(proc));
    return proc;
}

/* Open a library. It is not closed once pp_gl_real points into it. */
static void *
open_library(const char *soname, int more)
{
    return pp_loader()->dlopen(soname, RTLD_LAZY | RTLD_LOCAL | more);
}

bool
pp_gl_present(void)
{
    static atomic_bool seen;
    if (atomic_load_explicit(&seen, memory_order_relaxed))
        return true;
    for (size_t i = 0; i < GL_SONAMES; i++) {
        void *handle = open_library(gl_soname[i], RTLD_NOLOAD);
        if (handle) {
            (void)dlclose(handle);
            return true;
        }
    }
    return false;
}

static const char *
soname_of(const struct link_map *map)
{
    const char *strings = NULL;
    ElfW(Xword) offset = 0;
    bool named = false;
    for (const ElfW(Dyn) *dyn = map->l_ld; dyn && dyn->d_tag != DT_NULL; dyn++) {
        if (dyn->d_tag == DT_STRTAB) {
            ElfW(Addr) address = dyn->d_un.d_ptr;
            if (address < map->l_addr) /* not relocated: the vDSO */
                address += map->l_addr;
            memcpy(&strings, &address, sizeof(strings));
        } else if (dyn->d_tag == DT_SONAME) {
            offset = dyn->d_un.d_val;
            named = true;
        }
    }
    return named && strings ? strings + offset : "";
}

bool
pp_gl_owns(const void *address)
{
    Dl_info info;
    struct link_map *map = NULL;
    Lmid_t space = LM_ID_BASE;
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    const char *soname = soname_of(map);
    for (size_t i = 0; i < GL_SONAMES; i++)
        if (strcmp(soname, gl_soname[i]) == 0)
            return dlinfo(map, RTLD_DI_LMID, &space) == 0 && space == LM_ID_BASE;
    return false;
}

void
pp_gl_keep(const void *address)
{
    static const void *_Atomic kept[GL_SONAMES];
    Dl_info info;
    if (!dladdr(address, &info))
        return;
    for (size_t i = 0; i < GL_SONAMES; i++) {
        const void *base = atomic_load_explicit(&kept[i], memory_order_relaxed);
        if (base == info.dli_fbase)
            return;
        if (base)
            continue;
        /* Threads that race here open the library twice. */
        if (pp_loader()->dlopen(info.dli_fname, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE))
            atomic_store_explicit(&kept[i], info.dli_fbase, memory_order_relaxed);
        return;
    }
}

static pp_gl_proc
by_get_proc_address(int id, const char *name)
{
    pp_fn_glXGetProcAddressARB glx = (pp_fn_glXGetProcAddressARB)pp_gl_real[PP_HOOK_glXGetProcAddressARB];
    pp_fn_eglGetProcAddress egl = (pp_fn_eglGetProcAddress)pp_gl_real[PP_HOOK_eglGetProcAddress];
    pp_gl_proc found = NULL;
    if (id == PP_HOOK_glXGetProcAddressARB || id == PP_HOOK_eglGetProcAddress)
        return NULL;
    if (glx && strncmp(name, "egl", 3) != 0)
        found = (pp_gl_proc)glx((const GLubyte *)name);
    if (!found && egl && strncmp(name, "glX", 3) != 0)
        found = (pp_gl_proc)egl(name);
    return found;
}

/* Look for a name in the GL libraries. @param more RTLD_NOLOAD: only in those that are loaded; 0: load one.
 */
static pp_gl_proc
in_libraries(const char *name, int more)
{
    static const char *const egl_first[] = {"libEGL.so.1", "libGLESv2.so.2", "libGL.so.1"};
    const char *const *list = gl_soname;
    size_t count = GL_SONAMES;
    if (!(more & RTLD_NOLOAD)) {
        list = strncmp(name, "egl", 3) == 0 ? egl_first : &gl_soname[0];
        count = 1;
    }
    for (size_t i = 0; i < count; i++) {
        void *handle = open_library(list[i], more);
        void *found = handle ? pp_loader()->dlsym(handle, name) : NULL;
        if (found)
            return to_proc(found);
        if (handle)
            (void)dlclose(handle);
    }
    return NULL;
}

pp_gl_proc
pp_gl_resolve(int id)
{
    int saved = errno;
    const char *name = pp_gl_entry[id].name;
    pp_gl_proc found = to_proc(pp_loader()->dlsym(RTLD_NEXT, name));
    if (!found)
        found = in_libraries(name, RTLD_NOLOAD);
    if (!found && id != PP_HOOK_glXGetProcAddressARB && id != PP_HOOK_eglGetProcAddress) {
        (void)pp_gl_real_get(PP_HOOK_glXGetProcAddressARB);
        (void)pp_gl_real_get(PP_HOOK_eglGetProcAddress);
        found = by_get_proc_address(id, name);
    }
    /* The application calls the shim's export although no GL library is loaded: load the library whose
     * function it would have called. Not for the two functions of which the process may lack either. */
    if (!found && pp_gl_entry[id].hook && !pp_gl_present() && id != PP_HOOK_glXGetProcAddressARB &&
        id != PP_HOOK_eglGetProcAddress)
        found = in_libraries(name, 0);
    (void)dlerror();
    pp_gl_remember(id, found);
    errno = saved;
    return found;
}

void
pp_gl_remember(int id, pp_gl_proc real)
{
    pp_gl_proc none = NULL;
    if (real && real != pp_gl_entry[id].hook)
        (void)atomic_compare_exchange_strong_explicit(&pp_gl_real[id], &none, real, memory_order_relaxed,
                                                      memory_order_relaxed);
}

pp_gl_proc
pp_loaded_symbol(const char *soname, const char *name)
{
    void *handle = open_library(soname, RTLD_NOLOAD);
    void *found = handle ? pp_loader()->dlsym(handle, name) : NULL;
    if (handle)
        (void)dlclose(handle);
    if (!found)
        (void)dlerror();
    return to_proc(found);
}

const char *
pp_env(const char *name)
{
    size_t len = strlen(name);
    for (char **at = environ; at && *at; at++)
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
            return *at + len + 1;
    return NULL;
}
