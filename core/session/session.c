/** @file
 * The session: made once in a process, found by pp_session_get(). See session.h. */
#include "core/session/session.h"
#include "core/config/config_read.h"
#include "core/config/session_place.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/engine/session_private.h"
#include "core/events/event_columns.h"
#include "core/session/parts.h"
#include "core/session/sleep.h"
#include "core/util/log.h"
#include "core/util/process.h"
#include "counters/util/errno_text.h"
#include "counters/util/sandbox.h"
#include "pp_texts.h"

#define RING_ITEMS 32768U

extern char **environ;

/* One global pointer is needed, because hooks are plain functions without a context argument. */
static struct {
    pthread_once_t once;
    struct pp_session *session;
    atomic_bool ready;
    atomic_bool forked;
} pp_process = {.once = PTHREAD_ONCE_INIT};

static void
on_fork_child(void)
{
    atomic_store(&pp_process.forked, true);
    if (!pp_process.session)
        return;
    atomic_store(&pp_process.session->active, false);
    pp_sleep_forked(pp_process.session);
    struct pp_control *control = atomic_load(&pp_process.session->control);
    if (control)
        pp_session_parts.forked(control);
}

bool
pp_session_forked(void)
{
    return atomic_load(&pp_process.forked);
}

static void
program_name(char *out, size_t size)
{
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[len > 0 ? len : 0] = '\0';
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(out, size, "%.*s", NAME_MAX, name);
}

static int
add_columns(struct pp_session *session)
{
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        char name[96];
        const struct pp_column like = {.unit = PP_UNIT_COUNT, .number = PP_NUMBER_U64};
        if (!(session->config.pipeline_mask & (1U << i)))
            continue;
        snprintf(name, sizeof(name), "pipeline:%s", pp_pipeline_statistic_name(i));
        if (pp_event_columns_get_locked(session, name, &like) == UINT16_MAX)
            return -ENOMEM;
    }
    return 0;
}

static int
init_tables(struct pp_session *session)
{
    int rc = pp_names_init(&session->names);
    rc = rc ? rc : pp_user_counters_init(&session->user_counters);
    rc = rc ? rc : pp_ring_init(&session->transport.ring, RING_ITEMS);
    session->rows.column = calloc(PP_MAX_COLUMNS, sizeof(*session->rows.column));
    if (!session->rows.column)
        return -ENOMEM;
    return rc ? rc : add_columns(session);
}

/* With --call-graph: get ready to find stacks. Without them the session goes on. */
static void
init_stacks(struct pp_session *session)
{
    enum pp_call_graph method = session->config.call_graph;
    int rc = method == PP_CALL_GRAPH_OFF ? 0 : pp_stacks_create(method, &session->stacks);
    if (rc)
        pp_log(PP_MSG_STACKS, rc == -ENOTSUP ? PP_TEXT_STACKS_UNSUPPORTED : pp_errno_text(-rc));
}

static void
finish_tables(struct pp_session *session)
{
    pp_stacks_destroy(session->stacks);
    pp_recording_finish(&session->recording);
    pp_names_finish(&session->names);
    pp_user_counters_finish(&session->user_counters);
    pp_ring_finish(&session->transport.ring);
    for (uint32_t i = 0; i < session->rows.columns; i++)
        free(session->rows.column[i].name);
    free(session->rows.column);
}

/* Seccomp filters set after this point are the application's; pp_core_open() has seen those set before. */
__attribute__((constructor)) static void
on_load(void)
{
    if (!pp_is_privileged())
        pp_sandbox_note_start();
}

void
pp_session_take_start(const struct pp_start *start)
{
    *pp_start() = *start;
}

/* Find the path of the session directory. Without the command, and if no option names one, each session has a
 * directory of its own in the user's data folder. */
static int
choose_place(struct pp_config *config, char *const *env, const char *executable, char *error)
{
    char folder[PATH_MAX];
    char path[PATH_MAX];
    size_t len = 0;
    const char *command = pp_command_line(&len);
    if (!config->launched && !config->output_given && pp_place_default(env, folder)) {
        config->in_default_folder = true;
        snprintf(config->output, sizeof(config->output), "%%e-%%t"); /* a % of the folder is no template */
    }
    int rc = pp_place_expand(config->output, len && *command ? command : executable, (long)getpid(),
                             time(NULL), path);
    if (rc)
        snprintf(error, PP_CONFIG_ERROR_MAX, "%.300s: %s", config->output, pp_errno_text(-rc));
    else if (config->in_default_folder)
        snprintf(config->output, sizeof(config->output), "%.3800s/%.255s", folder, path);
    else
        memcpy(config->output, path, sizeof(config->output));
    return rc;
}

/* Boot. On failure the process stays unprofiled. A process with privileges that its caller lacks is never
 * profiled, and nothing is read or printed there. */
static void
boot(void)
{
    char error[PP_CONFIG_ERROR_MAX] = "";
    char executable[NAME_MAX + 1];
    if (pp_is_privileged())
        return;
    /* The rings inside ask for cache lines of their own, which calloc() does not promise. */
    struct pp_session *session = aligned_alloc(_Alignof(struct pp_session), sizeof(*session));
    if (!session)
        return;
    memset(session, 0, sizeof(*session));
    program_name(executable, sizeof(executable));
    /* Debian's glxgears is a symbolic link: a user who writes [glxgears] does not know the link's target. */
    const char *programs[] = {executable, program_invocation_short_name, NULL};
    char **env = pp_environ_with_started(environ);
    int rc = pp_config_load(&session->config, env ? env : environ, programs, error);
    if (rc == 0 && !session->config.disabled)
        rc = choose_place(&session->config, env ? env : environ, executable, error);
    free(env);
    if (session->config.disabled)
        goto refused;
    if (rc) {
        pp_log(PP_MSG_CONFIG, error);
        goto refused;
    }
    pp_log_set_verbosity(session->config.verbosity);
    pthread_mutex_init(&session->lock, NULL);
    session->pid = getpid();
    session->start_ns = pp_now_ns();
    pp_memory_init(session);
    pp_recording_init(&session->recording, &session->config);
    if (init_tables(session)) {
        pp_log(PP_MSG_MEMORY);
        goto no_tables;
    }
    init_stacks(session);
    if (pthread_atfork(NULL, NULL, on_fork_child))
        goto no_tables;
    atomic_store(&session->active, true);
    pp_process.session = session;
    return;

no_tables:
    finish_tables(session);
    pthread_mutex_destroy(&session->lock);
refused:
    free(session);
}

struct pp_session *
pp_session_get(void)
{
    if (!atomic_load_explicit(&pp_process.ready, memory_order_acquire)) {
        int saved = errno;
        pthread_once(&pp_process.once, boot);
        atomic_store_explicit(&pp_process.ready, true, memory_order_release);
        errno = saved;
    }
    struct pp_session *session = pp_process.session;
    return session && atomic_load_explicit(&session->active, memory_order_relaxed) ? session : NULL;
}

bool
pp_session_active(const struct pp_session *session)
{
    return session && atomic_load_explicit(&session->active, memory_order_relaxed);
}

const struct pp_config *
pp_session_config(const struct pp_session *session)
{
    return &session->config;
}

uint32_t
pp_session_event_stack(struct pp_session *session)
{
    pp_stacks_look(session->stacks);
    return pp_stacks_here(session->stacks);
}

void
pp_session_overhead(struct pp_session *session, uint64_t ns)
{
    if (!pp_session_paused(session))
        pp_overhead_add(&session->own, ns);
}

/* The process ends: by exit() or a return from main(). Not for _exit() or a signal, which is why the
 * collector writes all the time. */
__attribute__((destructor)) static void
on_exit_process(void)
{
    struct pp_session *session = pp_process.session;
    if (!session || pp_session_forked())
        return;
    atomic_store(&session->active, false);
    /* Another thread may be waking the process, and begins the collector: its files are not written here,
     * too. */
    bool alone = pthread_mutex_trylock(&session->lock) == 0;
    if (alone)
        pthread_mutex_unlock(&session->lock);
    bool slept = pp_sleep_end(session);
    if (session->collector)
        pp_session_parts.finish(session->collector);
    else if (slept && alone && session->config.launched && !pp_sandbox_entered())
        pp_session_parts.write_empty(session);
    else if (!session->config.launched && !session->failed)
        pp_log(PP_MSG_SESSION_NONE, slept ? PP_TEXT_NONE_PAUSED : PP_TEXT_NONE_DEVICE);
}
