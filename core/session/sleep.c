/** @file
 * See sleep.h. */
#include "core/session/sleep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/engine/session_private.h"
#include "core/session/parts.h"
#include "core/session/session.h"
#include "core/util/log.h"
#include "core/util/process.h"
#include "counters/util/sandbox.h"

extern char **environ;

/* Make the page and its file, in the folder where the control socket will be. */
static int
make_page(struct pp_session *session, struct pp_sleep *sleep)
{
    struct pp_sleep_page page = {.pid = session->pid};
    /* the application may have removed the variables with which it was started */
    char **env = pp_environ_with_started(environ);
    int folder_fd = pp_control_place_find(env, sleep->folder);
    int rc = folder_fd < 0 ? folder_fd : 0;
    free(env);
    pp_command_line_name(page.application, sizeof(page.application));
    snprintf(page.level, sizeof(page.level), "%s", pp_level_name(pp_session_level(session)));
    if (rc == 0)
        rc = pp_sleep_make(folder_fd, &page, &sleep->file);
    if (folder_fd >= 0)
        (void)close(folder_fd);
    return rc;
}

bool
pp_sleep_begin_locked(struct pp_session *session)
{
    struct pp_sleep *sleep = &session->sleep;
    struct pp_size_signal held;
    /* a metrics socket has clients from the start */
    if (!pp_session_paused(session) || *session->config.metrics_socket)
        return false;
    pp_size_signal_hold(&held);
    int rc = make_page(session, sleep);
    pp_size_signal_drop(&held);
    if (rc)
        return false;
    pp_sandbox_watch();
    atomic_store_explicit(&sleep->page, sleep->file.page, memory_order_release);
    return true;
}

/* Remove the file; the page stays, because other threads may just load it. */
static void
remove_file(struct pp_session *session)
{
    int folder_fd = open(session->sleep.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder_fd < 0)
        return;
    pp_sleep_remove(folder_fd, session->pid, &session->sleep.file);
    (void)close(folder_fd);
}

/* Begin the collector. @return false: it could not begin; a line on stderr says why. */
static bool
wake_locked(struct pp_session *session)
{
    /* The collector opens files: a filter that the application has set since may end the process for that. */
    bool allowed = !pp_sandbox_entered();
    if (!allowed)
        pp_log(PP_MSG_CONFINED);
    bool begun =
        allowed && pp_session_parts.begin(session, atomic_load(&session->streams), &session->collector) == 0;
    if (!begun) {
        session->failed = true;
        atomic_store(&session->active, false);
    }
    if (allowed)
        remove_file(session);
    return begun;
}

/* Do what was ordered, once. */
static void
obey(struct pp_session *session, struct pp_sleep_page *page, unsigned order)
{
    int saved = errno;
    pthread_mutex_lock(&session->lock);
    bool first = pp_session_active(session) && pp_sleep_lasts(&session->sleep);
    bool begun = first && wake_locked(session);
    if (first)
        atomic_store_explicit(&session->sleep.page, NULL, memory_order_release);
    pthread_mutex_unlock(&session->lock);
    if (first)
        atomic_store(&page->state, begun ? PP_SLEEP_AWAKE : PP_SLEEP_REFUSED);
    if (begun && order == PP_SLEEP_START)
        (void)pp_recording_set_paused(session, false);
    errno = saved;
}

bool
pp_sleep_goes_on(struct pp_session *session)
{
    struct pp_sleep_page *page = atomic_load_explicit(&session->sleep.page, memory_order_acquire);
    unsigned order = page ? atomic_load_explicit(&page->order, memory_order_relaxed) : PP_SLEEP_ON;
    if (!page)
        return false;
    if (order == PP_SLEEP_ON)
        return true;
    obey(session, page, order);
    return false;
}

bool
pp_sleep_end(struct pp_session *session)
{
    bool lasted = atomic_exchange(&session->sleep.page, NULL) != NULL;
    if (lasted && !pp_sandbox_entered())
        remove_file(session);
    return lasted;
}

void
pp_sleep_forked(struct pp_session *session)
{
    struct pp_sleep_page *page = atomic_exchange(&session->sleep.page, NULL);
    if (page && !pp_sandbox_entered()) /* a filter may forbid shmdt() */
        pp_sleep_close(&session->sleep.file);
}
