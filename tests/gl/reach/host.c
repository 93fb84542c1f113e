/** @file
 * host local|deepbind PLUGIN: opens a plug-in and runs it. Knows nothing of GL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
    int (*run)(void);
    if (argc != 3)
        return 2;
    int deep = strcmp(argv[1], "deepbind") == 0 ? RTLD_DEEPBIND : 0;
    void *plugin = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL | deep);
    void *found = plugin ? dlsym(plugin, "reach_run") : NULL;
    if (!found)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    memcpy(&run, &found, sizeof(found));
    return run();
}
