/** @file
 * Knows nothing of GL and asks whether it is there; then opens libEGL locally and asks again; then in a
 * namespace of its own. Prints what a program would conclude. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void
ask(const char *when)
{
    static const char *const name[] = {"glClear", "eglSwapBuffers", "glXSwapBuffers", "eglGetProcAddress"};
    void *self = dlopen(NULL, RTLD_NOW);
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        (void)dlerror();
        int by_default = dlsym(RTLD_DEFAULT, name[i]) != NULL;
        int error = dlerror() != NULL;
        int by_self = dlsym(self, name[i]) != NULL;
        int error_self = dlerror() != NULL;
        printf("%s %s: %d error %d, %d error %d\n", when, name[i], by_default, error, by_self, error_self);
    }
}

static void
other_namespace(void)
{
    void *handle = dlmopen(LM_ID_NEWLM, "libEGL.so.1", RTLD_NOW);
    void *found = handle ? dlsym(handle, "eglInitialize") : NULL;
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
    (void)argv;
    ask("before");
    if (argc > 1)
        other_namespace();
    return 0;
}
