/** @file
 * Knows nothing of OpenGL and asks whether it is there. `namespace` opens libEGL in another namespace,
 * `local` and `global` open it for this object and for all, `plugin FILE` lets a plug-in ask that is linked
 * with OpenGL; then it asks again. Prints what an application would conclude. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The address of the symbol as an application would print it; the name of the asking object is before it.
 */
static const char *
reason(void)
{
    const char *text = dlerror();
    const char *named = text ? strstr(text, "undefined symbol") : NULL;
    return named ? named : text ? text : "no error";
}

static void
ask(const char *when)
{
    static const char *const name[] = {"glClear", "eglSwapBuffers", "glXSwapBuffers", "eglGetProcAddress",
                                       "glDrawMeshTasksNV"};
    void *self = dlopen(NULL, RTLD_NOW);
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        (void)dlerror();
        printf("%s %s: %d", when, name[i], dlsym(RTLD_DEFAULT, name[i]) != NULL);
        printf(" (%s),", reason());
        printf(" %d", dlsym(self, name[i]) != NULL);
        printf(" (%s),", reason());
        printf(" %d", dlsym(RTLD_NEXT, name[i]) != NULL);
        printf(" (%s)\n", reason());
    }
}

static void
other_namespace(void)
{
    void *handle = dlmopen(LM_ID_NEWLM, "libEGL.so.1", RTLD_NOW);
    void *found = handle ? dlsym(handle, "eglSwapBuffers") : NULL;
    Dl_info info = {0};
    Lmid_t space = LM_ID_BASE;
    if (handle)
        (void)dlinfo(handle, RTLD_DI_LMID, &space);
    int known = found && dladdr(found, &info);
    const char *slash = known && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    printf("namespace other %d owner %s\n", space != LM_ID_BASE, slash ? slash : "nobody");
}

int
main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int global = strcmp(way, "global") == 0;
    ask("before");
    if (strcmp(way, "namespace") == 0)
        other_namespace();
    if (strcmp(way, "local") == 0 || global) {
        void *library = dlopen("libEGL.so.1", RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
        printf("%s %d\n", way, library && dlsym(library, "eglSwapBuffers"));
    }
    if (argc > 2) {
        void *plugin = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
        void *found = plugin ? dlsym(plugin, "reach_ask") : NULL;
        void (*ask_there)(void);
        memcpy(&ask_there, &found, sizeof(found));
        if (found)
            ask_there();
    }
    ask("after");
    return 0;
}
