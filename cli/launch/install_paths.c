/** @file
 * See install_paths.h. */
#include "cli/launch/install_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
pp_join(char ret[PATH_MAX], const char *dir, const char *name)
{
    int n = snprintf(ret, PATH_MAX, "%s/%s", dir, name);
    return n >= 0 && n < PATH_MAX;
}

/* Find the first of the directories, relative to @p base, that holds @p file. */
static void
find_dir(char ret[PATH_MAX], const char *base, const char *const *dirs, const char *file)
{
    char dir[PATH_MAX];
    char path[PATH_MAX];
    char real[PATH_MAX];
    *ret = '\0';
    for (; *dirs; dirs++) {
        if (pp_join(dir, base, *dirs) && pp_join(path, dir, file) && access(path, R_OK) == 0 &&
            realpath(dir, real)) {
            snprintf(ret, PATH_MAX, "%s", real);
            return;
        }
    }
}

int
pp_install_paths_find(struct pp_install_paths *ret_places)
{
    /* relative to the binary; the first of each is from CMake: see cli/CMakeLists.txt */
    static const char *const libs[] = {PP_LIBDIR_FROM_BIN, "../lib", NULL};
    static const char *const shares[] = {PP_DATADIR_FROM_BIN, "../share", NULL};
    struct pp_install_paths places = {.bin = ""};
    ssize_t len = readlink("/proc/self/exe", places.bin, sizeof(places.bin) - 1);
    if (len < 0)
        return -errno;
    places.bin[len] = '\0';
    char *slash = strrchr(places.bin, '/');
    if (!slash)
        return -ENOENT;
    *slash = '\0';
    find_dir(places.lib, places.bin, libs, PP_GL_SHIM);
    find_dir(places.share, places.bin, shares, PP_LAYER_DIR "/" PP_LAYER_MANIFEST);
    *ret_places = places;
    return 0;
}

/* Is @p share one of the directories of a colon-separated list? */
static bool
list_has(const char *list, const char *share)
{
    char dir[PATH_MAX];
    char real[PATH_MAX];
    while (*list) {
        size_t len = strcspn(list, ":");
        if (len && len < sizeof(dir)) {
            memcpy(dir, list, len);
            dir[len] = '\0';
            if (realpath(dir, real) && strcmp(real, share) == 0)
                return true;
        }
        list += len + (list[len] == ':');
    }
    return false;
}

bool
pp_install_paths_share_is_searched(const char *share)
{
    char home_dir[PATH_MAX] = "";
    const char *home = getenv("HOME");
    const char *config_home = getenv("XDG_CONFIG_HOME");
    const char *config_dirs = getenv("XDG_CONFIG_DIRS");
    const char *data_home = getenv("XDG_DATA_HOME");
    const char *data_dirs = getenv("XDG_DATA_DIRS");
    if (home && *home && !(data_home && *data_home) && !pp_join(home_dir, home, ".local/share"))
        *home_dir = '\0';
    return list_has(config_home ? config_home : "", share) ||
           list_has(config_dirs && *config_dirs ? config_dirs : "/etc/xdg", share) ||
           list_has("/etc", share) || list_has(data_home && *data_home ? data_home : home_dir, share) ||
           list_has(data_dirs && *data_dirs ? data_dirs : "/usr/local/share:/usr/share", share);
}
