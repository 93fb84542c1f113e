/** @file
 * See control_open.h. */
#include "core/control/control_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/config/control_place.h"
#include "core/config/session_place.h"
#include "core/engine/session_private.h"
#include "core/util/command_line.h"
#include "core/util/environ.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"

extern char **environ;

static void
open_commands(struct pp_control *control)
{
    char name[PP_CONTROL_NAME_MAX], folder[PATH_MAX];
    /* the application may have removed the variables with which it was started */
    char **env = pp_environ_with_started(environ);
    int fd = pp_fd_keep(pp_control_place_find(env, folder));
    pp_control_name(name, control->session->pid, PP_CONTROL_SOCKET);
    int rc = fd < 0 ? fd : pp_listener_open(&control->commands, fd, name);
    if (rc && fd >= 0)
        (void)close(fd);
    if (rc && pp_session_paused(control->session))
        pp_log(PP_MSG_CONTROL_PAUSED, folder, pp_errno_text(-rc));
    else if (rc == -EPERM || rc == -EINVAL)
        pp_log(PP_MSG_CONTROL_FOLDER, folder);
    else if (rc)
        pp_log(PP_MSG_CONTROL_NOT_OPEN, folder, name, pp_errno_text(-rc));
    free(env);
}

/* Open the socket of --metrics-socket in its folder, whose length does not matter then. */
static int
open_metrics_at(struct pp_control *control, const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + (slash == path)) : 1,
             slash ? path : ".");
    int fd = pp_fd_keep(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0)
        return -errno;
    int rc = *name ? pp_listener_open(&control->metrics, fd, name) : -EISDIR;
    if (rc)
        (void)close(fd);
    return rc;
}

static void
open_metrics(struct pp_control *control)
{
    char path[PATH_MAX], application[256];
    const char *given = control->session->config.metrics_socket;
    if (!*given)
        return;
    pp_command_line_name(application, sizeof(application));
    int rc = pp_place_expand(given, application, (long)control->session->pid, time(NULL), path);
    rc = rc ? rc : open_metrics_at(control, path);
    if (rc)
        pp_log(PP_MSG_METRICS_SOCKET, given, pp_errno_text(-rc));
}

void
pp_control_open(struct pp_control *control)
{
    open_commands(control);
    open_metrics(control);
}
