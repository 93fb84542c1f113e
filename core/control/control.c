/** @file
 * See control.h. */
#include "core/control/control.h"

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
#include "core/control/client.h"
#include "core/engine/session_private.h"
#include "core/session/session.h"
#include "core/util/process.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"

#define ASK_NS 200000000ULL /* between two looks for new clients without a connection */

/* A free connection, or NULL. */
static struct pp_connection *
free_client(struct pp_control *control)
{
    for (unsigned i = 0; i < PP_CONTROL_CLIENTS; i++)
        if (!pp_connection_is_open(&control->client[i]))
            return &control->client[i];
    return NULL;
}

static struct pp_scraper *
free_scraper(struct pp_control *control)
{
    for (unsigned i = 0; i < PP_CONTROL_SCRAPERS; i++)
        if (!pp_connection_is_open(&control->scraper[i].connection))
            return &control->scraper[i];
    return NULL;
}

/* Accept clients of both sockets, as many as waited at once. */
static void
accept_all(struct pp_control *control, uint64_t now_ns)
{
    int fd = -1;
    for (unsigned i = 0;
         i < PP_CONTROL_CLIENTS && (fd = pp_listener_accept(&control->commands, true)) != -EAGAIN; i++) {
        struct pp_connection *client = free_client(control);
        if (fd == -EBADF)
            pp_listener_close(&control->commands);
        if (fd < 0 && fd != -EPERM)
            break;
        if (fd >= 0 && client)
            pp_connection_open(client, fd, now_ns);
        else if (fd >= 0)
            pp_client_refuse(fd, now_ns);
    }
    for (unsigned i = 0; i < PP_CONTROL_SCRAPERS; i++) {
        struct pp_scraper *scraper = free_scraper(control);
        fd = scraper ? pp_listener_accept(&control->metrics, false) : -EAGAIN;
        if (fd == -EBADF)
            pp_listener_close(&control->metrics);
        if (fd < 0)
            break;
        pp_connection_open(&scraper->connection, fd, now_ns);
        scraper->request = (struct pp_http_request){0};
    }
}

/* End where the process may make few system calls, or has lost its descriptors: close all by close() alone.
 */
static void
end_confined(struct pp_control *control)
{
    control->ended = true;
    for (unsigned i = 0; i < PP_CONTROL_CLIENTS; i++)
        pp_connection_close(&control->client[i]);
    for (unsigned i = 0; i < PP_CONTROL_SCRAPERS; i++)
        pp_connection_close(&control->scraper[i].connection);
    pp_listener_drop(&control->commands);
    pp_listener_drop(&control->metrics);
}

static bool
listens(const struct pp_control *control)
{
    return atomic_load(&control->commands.fd) >= 0 || atomic_load(&control->metrics.fd) >= 0;
}

void
pp_control_poll(struct pp_control *control, uint64_t now_ns)
{
    if (!control)
        return;
    control->now_ns = now_ns;
    if (control->ended || (!control->connected && now_ns - control->asked_ns < ASK_NS))
        return;
    control->asked_ns = now_ns;
    if (pp_sandbox_entered()) {
        end_confined(control);
        if (pp_sandbox_lost())
            pp_log(PP_MSG_CONTROL_LOST);
        else
            pp_log(PP_MSG_CONTROL_CONFINED);
        return;
    }
    if (!pp_session_active(control->session)) {
        pp_control_end(control);
        return;
    }
    control->round_ns = pp_now_ns();
    accept_all(control, now_ns);
    control->connected = false;
    for (unsigned i = 0; i < PP_CONTROL_CLIENTS; i++) {
        if (pp_connection_is_open(&control->client[i]))
            pp_client_serve(control, &control->client[i], now_ns);
        control->connected |= pp_connection_is_open(&control->client[i]);
    }
    for (unsigned i = 0; i < PP_CONTROL_SCRAPERS; i++) {
        if (pp_connection_is_open(&control->scraper[i].connection))
            pp_scraper_serve(control, &control->scraper[i], now_ns);
        control->connected |= pp_connection_is_open(&control->scraper[i].connection);
    }
    if (control->quit || !listens(control)) /* the application has closed the sockets */
        pp_control_end(control);
}

void
pp_control_note_frame(struct pp_control *control, const struct pp_frame_row *row)
{
    if (!control)
        return;
    pp_recent_note(&control->recent, row, control->now_ns);
    if (atomic_load_explicit(&control->metrics.fd, memory_order_relaxed) >= 0)
        pp_recent_sum(&control->recent, row);
}

/* Send the last status to the clients that sent `quit`, or to all others, and close their connections. */
static void
finish_clients(struct pp_control *control, bool quits, uint64_t now_ns)
{
    for (unsigned i = 0; i < PP_CONTROL_CLIENTS; i++) {
        struct pp_connection *client = &control->client[i];
        if (client->quits != quits)
            continue;
        if (pp_connection_is_open(client))
            pp_client_finish(control, client, now_ns);
        pp_connection_close(client);
    }
}

void
pp_control_end(struct pp_control *control)
{
    if (!control || control->ended)
        return;
    if (pp_sandbox_entered()) {
        end_confined(control);
        return;
    }
    control->ended = true;
    uint64_t now_ns = pp_now_ns();
    /* First: a client that sees the end of its connection finds no socket any more. */
    pp_listener_close(&control->commands);
    pp_listener_close(&control->metrics);
    for (unsigned i = 0; i < PP_CONTROL_SCRAPERS; i++)
        pp_connection_close(&control->scraper[i].connection);
    /* `quit` is answered last: a client that has the answer may end the process. */
    finish_clients(control, false, now_ns);
    finish_clients(control, true, now_ns);
}

void
pp_control_destroy(struct pp_control *control)
{
    if (control)
        pp_recent_finish(&control->recent);
    free(control);
}

void
pp_control_forked(struct pp_control *control)
{
    if (pp_fd_table_taken()) /* the child has none of them */
        return;
    for (unsigned i = 0; i < PP_CONTROL_CLIENTS; i++)
        pp_connection_forked(&control->client[i]);
    for (unsigned i = 0; i < PP_CONTROL_SCRAPERS; i++)
        pp_connection_forked(&control->scraper[i].connection);
    pp_listener_drop(&control->commands);
    pp_listener_drop(&control->metrics);
}

struct pp_control *
pp_control_create(struct pp_session *session, const struct pp_control_ops *ops, void *self)
{
    struct pp_control *control = calloc(1, sizeof(*control));
    if (!control)
        return NULL;
    control->session = session;
    control->ops = ops;
    control->self = self;
    control->now_ns = pp_now_ns();
    pp_listener_init(&control->commands);
    pp_listener_init(&control->metrics);
    for (unsigned i = 0; i < PP_CONTROL_CLIENTS; i++)
        pp_connection_init(&control->client[i]);
    for (unsigned i = 0; i < PP_CONTROL_SCRAPERS; i++)
        pp_connection_init(&control->scraper[i].connection);
    pp_control_open(control);
    if (listens(control) && pp_recent_init(&control->recent) == 0)
        return control;
    pp_control_end(control);
    pp_control_destroy(control);
    return NULL;
}

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
