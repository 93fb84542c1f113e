/** @file
 * A plug-in whose look-ups depend on who asks: $ORIGIN in its RUNPATH, RTLD_NEXT, RTLD_DEFAULT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int reach_run(void);
const char *relative_where(void);

const char *
relative_where(void)
{
    return "plug-in";
}

static const char *
ask(void *handle, const char *name)
{
    const char *(*function)(void);
    void *found = dlsym(handle, name);
    memcpy(&function, &found, sizeof(found));
    return found ? function() : "nobody";
}

int
reach_run(void)
{
    /* By name alone: only the RUNPATH of this object leads there. */
    void *again = dlopen("libreach_relative_dep.so", RTLD_NOW);
    printf("origin %s\n", again ? ask(again, "relative_name") : dlerror());
    printf("next %s\n", ask(RTLD_NEXT, "relative_where"));
    printf("default %s\n", ask(RTLD_DEFAULT, "relative_name"));
    /* Visible to all, but not after this object. */
    void *gl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    printf("gl %d next %d", gl != NULL, dlsym(RTLD_NEXT, "eglSwapBuffers") != NULL);
    printf(" default %d\n", dlsym(RTLD_DEFAULT, "eglSwapBuffers") != NULL);
    printf("nonsense %d\n", dlsym(RTLD_NEXT, "relative_nonsense") != NULL);
    const char *error = dlerror();
    printf("error %s\n", error ? strstr(error, "undefined symbol") : "none");
    printf("error after it %d\n", dlerror() != NULL);
    return 0;
}
