/** @file
 * See environ.h. */
#include "cli/launch/environ.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
pp_environ_init(struct pp_environ *e)
{
    memset(e, 0, sizeof(*e));
    size_t count = 0;
    while (environ && environ[count])
        count++;
    e->cap = count + 32;
    e->env = calloc(e->cap, sizeof(*e->env));
    if (!e->env)
        return -ENOMEM;
    for (; e->len < count; e->len++) {
        e->env[e->len] = strdup(environ[e->len]);
        if (!e->env[e->len]) {
            pp_environ_finish(e);
            return -ENOMEM;
        }
    }
    return 0;
}

void
pp_environ_finish(struct pp_environ *e)
{
    for (size_t i = 0; i < e->len; i++)
        free(e->env[i]);
    free(e->env);
    if (*e->alias) {
        char path[PATH_MAX];
        if (pp_join(path, e->alias, "lib"))
            unlink(path);
        if (pp_join(path, e->alias, "share"))
            unlink(path);
        rmdir(e->alias);
    }
    memset(e, 0, sizeof(*e));
}

/* Index of the variable, or len. */
static size_t
find(const struct pp_environ *e, const char *name)
{
    size_t n = strlen(name);
    size_t i = 0;
    while (i < e->len && !(strncmp(e->env[i], name, n) == 0 && e->env[i][n] == '='))
        i++;
    return i;
}

const char *
pp_environ_get(const struct pp_environ *e, const char *name)
{
    size_t i = find(e, name);
    return i < e->len ? e->env[i] + strlen(name) + 1 : NULL;
}

int
pp_environ_set(struct pp_environ *e, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *entry = malloc(size);
    if (!entry)
        return -ENOMEM;
    snprintf(entry, size, "%s=%s", name, value);
    size_t i = find(e, name);
    if (i < e->len) {
        free(e->env[i]);
        e->env[i] = entry;
        return 0;
    }
    if (e->len + 1 >= e->cap) {
        char **more = realloc(e->env, 2 * e->cap * sizeof(*more));
        if (!more) {
            free(entry);
            return -ENOMEM;
        }
        e->env = more;
        e->cap *= 2;
    }
    e->env[e->len++] = entry;
    e->env[e->len] = NULL;
    return 0;
}

void
pp_environ_unset(struct pp_environ *e, const char *name)
{
    size_t i = find(e, name);
    if (i == e->len)
        return;
    free(e->env[i]);
    memmove(e->env + i, e->env + i + 1, (e->len - i) * sizeof(*e->env));
    e->len--;
}

/* Set @p ret to a directory, or to a symbolic link to it whose name has no separators. */
static int
plain_path(struct pp_environ *e, const char *dir, const char *link_name, const char *separators,
           char ret[PATH_MAX])
{
    if (!strpbrk(dir, separators)) {
        snprintf(ret, PATH_MAX, "%s", dir);
        return 0;
    }
    if (!*e->alias) {
        char alias[] = "/tmp/passprobe-XXXXXX";
        if (!mkdtemp(alias))
            return -errno;
        snprintf(e->alias, sizeof(e->alias), "%s", alias);
    }
    if (!pp_join(ret, e->alias, link_name))
        return -ENAMETOOLONG;
    return symlink(dir, ret) ? -errno : 0;
}

/* Set LD_PRELOAD to the shim, followed by the earlier value without other copies of the shim. */
static int
set_preload(struct pp_environ *e, const char *lib)
{
    const char *old = pp_environ_get(e, "LD_PRELOAD");
    size_t size = strlen(lib) + sizeof("/" PP_GL_SHIM) + (old ? strlen(old) : 0) + 2;
    char *value = malloc(size);
    if (!value)
        return -ENOMEM;
    size_t used = (size_t)snprintf(value, size, "%s/" PP_GL_SHIM, lib);
    for (const char *p = old ? old : ""; *p;) {
        size_t len = strcspn(p, ": ");
        const char *name = memrchr(p, '/', len);
        name = name ? name + 1 : p;
        size_t name_len = (size_t)(p + len - name);
        bool ours = name_len == sizeof(PP_GL_SHIM) - 1 && memcmp(name, PP_GL_SHIM, name_len) == 0;
        if (len && !ours)
            used += (size_t)snprintf(value + used, size - used, ":%.*s", (int)len, p);
        p += len + (p[len] != '\0');
    }
    int rc = pp_environ_set(e, "LD_PRELOAD", value);
    free(value);
    return rc;
}

static int
set_data_dirs(struct pp_environ *e, const char *share)
{
    const char *old = pp_environ_get(e, "XDG_DATA_DIRS");
    if (!old || !*old)
        old =
            "/usr/local/share:/usr/share"; /* the loader's own default, which setting the variable replaces */
    size_t size = strlen(share) + strlen(old) + 2;
    char *value = malloc(size);
    if (!value)
        return -ENOMEM;
    snprintf(value, size, "%s:%s", share, old);
    int rc = pp_environ_set(e, "XDG_DATA_DIRS", value);
    free(value);
    return rc;
}

int
pp_environ_add_profiling(struct pp_environ *e, const struct pp_install_paths *places)
{
    char path[PATH_MAX];
    int rc = pp_environ_set(e, "PASSPROBE", "1");
    if (rc == 0 && *places->lib) {
        rc = plain_path(e, places->lib, "lib", ": ", path);
        if (rc == 0)
            rc = set_preload(e, path);
    }
    if (rc == 0 && *places->share && !pp_install_paths_share_is_searched(places->share)) {
        rc = plain_path(e, places->share, "share", ":", path);
        if (rc == 0)
            rc = set_data_dirs(e, path);
    }
    return rc;
}

/* "slower-than" -> "PASSPROBE_SLOWER_THAN" */
static void
variable_name(char *ret, size_t size, const char *option)
{
    snprintf(ret, size, "PASSPROBE_%s", option);
    for (char *p = ret; *p; p++) {
        if (*p >= 'a' && *p <= 'z')
            *p = (char)(*p - 'a' + 'A');
        else if (*p == '-')
            *p = '_';
    }
}

void
pp_environ_escape(const char *path, char *ret)
{
    size_t len = 0;
    for (; *path && len + 2 < PP_ENVIRON_ESCAPED; path++) {
        ret[len++] = *path;
        if (*path == '%')
            ret[len++] = '%';
    }
    ret[len] = '\0';
}

int
pp_environ_options(struct pp_environ *e, const struct pp_command_line *line, const char *output)
{
    int rc = 0;
    char escaped[PP_ENVIRON_ESCAPED];
    for (size_t i = 0; rc == 0 && i < line->givens; i++) {
        const char *name = line->given[i].option->name;
        char variable[64];
        variable_name(variable, sizeof(variable), name);
        /* quiet and verbose are opposites: the last option holds, whatever the environment says */
        if (strcmp(name, "quiet") == 0)
            pp_environ_unset(e, "PASSPROBE_VERBOSE");
        else if (strcmp(name, "verbose") == 0)
            pp_environ_unset(e, "PASSPROBE_QUIET");
        /* the application may look for the file from another directory */
        char real[PATH_MAX];
        const char *value = line->given[i].value;
        if (strcmp(name, "metrics") == 0 && strcmp(value, "generic") != 0 && realpath(value, real))
            value = real;
        rc = pp_environ_set(e, variable, value);
    }
    rc = rc ? rc : pp_environ_set(e, "PASSPROBE_LAUNCHER", "1");
    pp_environ_escape(output, escaped);
    return rc ? rc : pp_environ_set(e, "PASSPROBE_OUTPUT", escaped);
}
