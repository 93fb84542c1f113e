/** @file
 * Reads options from the file and from the environment; see config.h. */
#include "core/config/config_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/util/fd.h"
#include "pp_texts.h"

/* The file. */

static char *
trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t len = strlen(text);
    while (len && strchr(" \t\r", text[len - 1]))
        text[--len] = '\0';
    return text;
}

static bool
is_named(const char *name, const char *const *programs)
{
    for (; programs && *programs; programs++)
        if (strcmp(*programs, name) == 0)
            return true;
    return false;
}

static int
read_line(struct pp_config *config, char *line, bool *counts, const char *const *programs, const char *place,
          char *error)
{
    line = trim(line);
    if (!*line || *line == '#' || *line == ';')
        return 0;
    if (*line == '[') {
        size_t len = strlen(line);
        if (len < 3 || line[len - 1] != ']') {
            snprintf(error, PP_CONFIG_ERROR_MAX, PP_FORMAT_CONFIG_SECTION, place);
            return -EINVAL;
        }
        line[len - 1] = '\0';
        *counts = is_named(line + 1, programs);
        return 0;
    }
    char *equals = strchr(line, '=');
    if (!equals) {
        snprintf(error, PP_CONFIG_ERROR_MAX, PP_FORMAT_CONFIG_KEY, place, line);
        return -EINVAL;
    }
    *equals = '\0';
    /* Sections of other applications are checked too, with a scratch copy, so that a typing error is
     * always reported. */
    struct pp_config *scratch = *counts ? NULL : malloc(sizeof(*scratch));
    if (scratch)
        *scratch = *config;
    int rc = *counts || scratch
                 ? pp_config_set(scratch ? scratch : config, trim(line), trim(equals + 1), place, error)
                 : 0;
    free(scratch);
    return rc;
}

static int
slurp(const char *path, char **ret_text, char *error)
{
    int fd = pp_open_regular(AT_FDCWD, path, O_RDONLY);
    if (fd < 0) {
        int rc = fd;
        if (rc == -ENOENT || rc == -ENOTDIR) {
            *ret_text = NULL;
            return 0;
        }
        snprintf(error, PP_CONFIG_ERROR_MAX, "%.300s: %s", path,
                 rc == -ENOTSUP ? PP_TEXT_NOT_REGULAR : strerror(-rc));
        return rc;
    }
    size_t cap = 65536;
    size_t len = 0;
    char *text = malloc(cap);
    ssize_t got = text ? 1 : -1;
    while (text && len < cap - 1 && (got = read(fd, text + len, cap - 1 - len)) > 0)
        len += (size_t)got;
    int rc = got < 0 ? -errno : 0;
    close(fd);
    if (got > 0)
        rc = -EFBIG;
    if (rc || !text || memchr(text, '\0', len)) {
        rc = rc ? rc : text ? -EINVAL : -ENOMEM;
        snprintf(error, PP_CONFIG_ERROR_MAX, "%.300s: %s", path,
                 rc == -EINVAL ? PP_TEXT_CONFIG_NO_TEXT : strerror(-rc));
        free(text);
        return rc;
    }
    text[len] = '\0';
    *ret_text = text;
    return 0;
}

int
pp_config_read_text(struct pp_config *config, char *text, const char *path, const char *const *programs,
                    char *error)
{
    bool counts = true;
    unsigned number = 0;
    int rc = 0;
    for (char *line = text; rc == 0 && line;) {
        char place[PATH_MAX + 16];
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        snprintf(place, sizeof(place), "%s:%u", path, ++number);
        rc = read_line(config, line, &counts, programs, place, error);
        line = next;
    }
    return rc;
}

int
pp_config_read_file(struct pp_config *config, const char *path, const char *const *programs, char *error)
{
    char *text = NULL;
    int rc = slurp(path, &text, error);
    if (rc == 0 && text)
        rc = pp_config_read_text(config, text, path, programs, error);
    free(text);
    return rc;
}

/* The environment. */

static const char *
env_value(char *const *env, const char *name)
{
    size_t len = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return NULL;
}

int
pp_config_read_env(struct pp_config *config, char *const *env, char *error)
{
    static const char prefix[] = "PASSPROBE_";
    const char *disable = env_value(env, "PASSPROBE_DISABLE");
    const char *enable = env_value(env, "PASSPROBE");
    if ((disable && *disable && strcmp(disable, "0") != 0) || (enable && strcmp(enable, "0") == 0))
        config->disabled = true;
    for (; env && *env; env++) {
        char name[64];
        char place[64 + sizeof(prefix)];
        const char *equals = strchr(*env, '=');
        /* an empty variable counts as not set: scripts and launchers clear variables in this way */
        if (!equals || !equals[1] || strncmp(*env, prefix, sizeof(prefix) - 1) != 0)
            continue;
        size_t len = (size_t)(equals - *env) - (sizeof(prefix) - 1);
        snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), *env + sizeof(prefix) - 1);
        if (strcmp(name, "LAUNCHER") == 0)
            config->launched = true;
        if (strcmp(name, "LAUNCHER") == 0 || strcmp(name, "DISABLE") == 0 ||
            strcmp(name, "KEEP_DEEPBIND") == 0 || strcmp(name, "PUSH_PASSWORD") == 0)
            continue;
        snprintf(place, sizeof(place), "%s%s", prefix, name);
        int rc = pp_config_set_variable(config, place, equals + 1, error);
        if (rc)
            return rc;
    }
    return 0;
}

int
pp_config_load(struct pp_config *config, char *const *env, const char *const *programs, char *error)
{
    char path[PATH_MAX];
    const char *home = env_value(env, "HOME");
    const char *xdg = env_value(env, "XDG_CONFIG_HOME");
    int len = 0;
    pp_config_init(config);
    if (xdg && *xdg == '/')
        len = snprintf(path, sizeof(path), "%s/passprobe/passprobe.conf", xdg);
    else if (home && *home)
        len = snprintf(path, sizeof(path), "%s/.config/passprobe/passprobe.conf", home);
    int rc = 0;
    if (len > 0 && (size_t)len < sizeof(path))
        rc = pp_config_read_file(config, path, programs, error);
    return rc ? rc : pp_config_read_env(config, env, error);
}
