/** @file
 * A library to preload: another tool that defines dlsym, as overlays do. Counts swaps and prints their number
 * on stderr at the end. With REACH_PLT its dlsym finds its function by name, else in a table. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static unsigned swaps;

unsigned eglSwapBuffers(void *display, void *surface);
void *dlsym(void *handle, const char *name);

static void *
real_dlsym(void *handle, const char *name)
{
    static const char *const version[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0"};
    void *found = NULL;
    for (size_t i = 0; !found && i < sizeof(version) / sizeof(version[0]); i++)
        found = dlvsym(RTLD_NEXT, "dlsym", version[i]);
    void *(*real)(void *, const char *);
    memcpy(&real, &found, sizeof(found));
    return real(handle, name);
}

static unsigned
swap(void *display, void *surface)
{
    static unsigned (*real)(void *, void *);
    if (!real) {
        void *found = real_dlsym(dlopen("libEGL.so.1", RTLD_LAZY), "eglSwapBuffers");
        memcpy(&real, &found, sizeof(found));
    }
    swaps++;
    return real(display, surface);
}

unsigned
eglSwapBuffers(void *display, void *surface)
{
    return swap(display, surface);
}

void *
dlsym(void *handle, const char *name)
{
#ifdef REACH_PLT
    unsigned (*mine)(void *, void *) = eglSwapBuffers;
#else
    unsigned (*mine)(void *, void *) = swap;
#endif
    void *found = real_dlsym(handle, name);
    if (found && handle != RTLD_NEXT && strcmp(name, "eglSwapBuffers") == 0)
        memcpy(&found, &mine, sizeof(found));
    return found;
}

__attribute__((destructor)) static void
tell(void)
{
    fprintf(stderr, "overlay: %u swaps\n", swaps);
}
