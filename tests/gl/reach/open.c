/** @file
 * Everything by dlopen and dlsym. open MODE EGL-LIBRARY GLES-LIBRARY: `handle` asks the libraries, opened
 * RTLD_LOCAL; `default` opens them RTLD_GLOBAL and asks RTLD_DEFAULT; `self` the same and asks the
 * application's own handle; `proc` takes GL functions from an eglGetProcAddress that dlsym found, as SDL and
 * GLFW do; `again` looks everything up, closes the libraries, sees to it that they cannot come back to the
 * same place, and begins anew. With REACH_OWN the application has a dlsym of its own, as some engines do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include "pointers.h"

#ifdef REACH_OWN
void *dlsym(void *handle, const char *name);

void *
dlsym(void *handle, const char *name)
{
    static const char *const version[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0"};
    static void *(*real)(void *, const char *);
    for (size_t i = 0; !real && i < sizeof(version) / sizeof(version[0]); i++) {
        void *found = dlvsym(RTLD_NEXT, "dlsym", version[i]);
        memcpy(&real, &found, sizeof(found));
    }
    return real(handle, name);
}
#endif

static void *library[2];
static void *(*get_proc)(const char *name);

static void *
by_handle(const char *name, int egl)
{
    return dlsym(library[egl], name);
}

static void *
by_default(const char *name, int egl)
{
    (void)egl;
    return dlsym(RTLD_DEFAULT, name);
}

static void *
by_proc(const char *name, int egl)
{
    return egl ? dlsym(library[1], name) : get_proc(name);
}

/* Look up functions of a library and close it. */
static void
close_again(int egl)
{
    struct link_map *map = NULL;
    if (dlinfo(library[egl], RTLD_DI_LINKMAP, &map) || !map)
        return;
    void *base = (void *)map->l_addr;
#define LOOK(name) (void)dlsym(library[egl], #name);
    REACH_EGL(LOOK)
    REACH_GL(LOOK)
    dlclose(library[egl]);
    (void)mmap(base, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

int
main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int global = strcmp(argv[1], "default") == 0 || strcmp(argv[1], "self") == 0;
    library[1] = dlopen(argv[2], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    library[0] = dlopen(argv[3], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library[0] || !library[1])
        return fprintf(stderr, "%s\n", dlerror()), 77;
    reach_find = global ? by_default : by_handle;
    for (int egl = 1; strcmp(argv[1], "again") == 0 && egl >= 0; egl--) {
        close_again(egl);
        library[egl] = dlopen(argv[3 - egl], RTLD_NOW | RTLD_LOCAL);
    }
    if (strcmp(argv[1], "self") == 0) {
        library[0] = library[1] = dlopen(NULL, RTLD_NOW);
        reach_find = by_handle;
    }
    if (strcmp(argv[1], "proc") == 0) {
        void *found = dlsym(library[1], "eglGetProcAddress");
        memcpy(&get_proc, &found, sizeof(found));
        reach_find = by_proc;
    }
    return reach_by_pointers();
}
