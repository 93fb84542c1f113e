/** @file
 * The root: made once a process, found by pp_session_get(); names and devices. See session.h. */
#include "core/engine/session.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/collect/collector.h"
#include "core/collect/user_metrics.h"
#include "core/engine/event_selection.h"
#include "core/engine/session_private.h"
#include "core/engine/system_counters.h"
#include "core/util/environ.h"
#include "core/util/log.h"
#include "counters/sources/kernel_sources.h"
#include "counters/util/errno_text.h"
#include "counters/util/privileged.h"
#include "counters/util/sandbox.h"

#define RENDER_TARGETS_MAX 16384U
#define STRINGS_MAX        65536U
#define LABELS_MAX         65536U
#define LABEL_TEXT         256U
/* One region more than the label table can store, and the maximum depth of such regions. */
#define LABEL_DEEPER  (UINT32_C(1) << PP_LABEL_DEEPER_BIT)
#define LABEL_DEEPEST (UINT32_MAX - LABEL_DEEPER)
#define NO_NAME       "(no name)" /* of a region that has none, in a path */
#define PATH_PARTS    64U         /* number of labels of a path that are shown, the innermost ones */
#define RING_ITEMS    32768U

extern char **environ;

/* One global pointer is needed, because hooks are plain functions without a context argument. */
static struct {
    pthread_once_t once;
    struct pp_session *session;
    atomic_bool ready;
    atomic_bool forked;
} pp_process = {.once = PTHREAD_ONCE_INIT};

/* One interned label: where it was pushed and its text. */
struct label {
    pp_label_id parent;
    char text[LABEL_TEXT];
};

static void
on_fork_child(void)
{
    atomic_store(&pp_process.forked, true);
    if (pp_process.session)
        atomic_store(&pp_process.session->active, false);
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
        if (pp_session_column_locked(session, name, &like) == UINT16_MAX)
            return -ENOMEM;
    }
    return 0;
}

static int
init_tables(struct pp_session *session)
{
    int rc = pp_intern_init(&session->render_targets, RENDER_TARGETS_MAX);
    rc = rc ? rc : pp_intern_init(&session->strings, STRINGS_MAX);
    rc = rc ? rc : pp_intern_init(&session->labels, LABELS_MAX);
    rc = rc ? rc : pp_user_counters_init(&session->user_counters);
    rc = rc ? rc : pp_ring_init(&session->ring, RING_ITEMS);
    session->column = calloc(PP_MAX_COLUMNS, sizeof(*session->column));
    if (!session->column)
        return -ENOMEM;
    return rc ? rc : add_columns(session);
}

/* Filters from now on are the application's. */
__attribute__((constructor)) static void
on_load(void)
{
    if (!pp_is_privileged())
        pp_sandbox_note_start();
}

/* Has the application confined itself before its session? The variables alone tell whether that is worth a
 * message: the configuration file stays closed. */
static bool
is_confined(void)
{
    char error[PP_CONFIG_ERROR_MAX] = "";
    if (!pp_sandbox_since_start())
        return false;
    struct pp_config *config = malloc(sizeof(*config));
    if (config) {
        pp_config_init(config);
        if (pp_config_read_env(config, environ, error) == 0)
            pp_log_set_verbosity(config->verbosity);
        if (!config->disabled)
            pp_log(PP_MSG_CONFINED);
    }
    free(config);
    return true;
}

/* Boot. On failure the process stays unprofiled; tables that exist stay allocated, unreachable and small. A
 * process with privileges that its caller lacks is never profiled, and nothing is read or printed there. */
static void
boot(void)
{
    char error[PP_CONFIG_ERROR_MAX] = "";
    char executable[NAME_MAX + 1];
    if (pp_is_privileged() || is_confined())
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
    free(env);
    if (session->config.disabled || rc) {
        if (rc && !session->config.disabled)
            pp_log(PP_MSG_CONFIG, error);
        free(session);
        return;
    }
    pp_log_set_verbosity(session->config.verbosity);
    pthread_mutex_init(&session->lock, NULL);
    session->pid = getpid();
    session->start_ns = pp_now_ns();
    pp_memory_init(session);
    if (init_tables(session)) {
        pp_log(PP_MSG_MEMORY);
        return;
    }
    if (pthread_atfork(NULL, NULL, on_fork_child))
        return;
    atomic_store(&session->active, true);
    pp_process.session = session;
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

void
pp_session_overhead(struct pp_session *session, uint64_t ns)
{
    pp_overhead_add(&session->own, ns);
}

/* Names. */

pp_render_target_id
pp_session_render_target(struct pp_session *session, const struct pp_render_target *render_target)
{
    return pp_intern(&session->render_targets, render_target, sizeof(*render_target));
}

const struct pp_render_target *
pp_session_render_target_get(struct pp_session *session, pp_render_target_id id)
{
    const struct pp_intern_entry *entry = pp_intern_get(&session->render_targets, id);
    return entry ? (const struct pp_render_target *)(const void *)entry->bytes : NULL;
}

pp_string_id
pp_session_string(struct pp_session *session, const char *text)
{
    return text && *text ? pp_intern(&session->strings, text, strlen(text) + 1) : 0;
}

const char *
pp_session_text(struct pp_session *session, pp_string_id id)
{
    const struct pp_intern_entry *entry = pp_intern_get(&session->strings, id);
    return entry ? (const char *)entry->bytes : "";
}

pp_label_id
pp_session_label(struct pp_session *session, pp_label_id parent, const char *text)
{
    struct label label = {.parent = pp_label_kept(parent)};
    size_t len = strnlen(text, LABEL_TEXT - 1);
    /* Do not cut a UTF-8 sequence in the middle. */
    if (len == LABEL_TEXT - 1)
        while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
            len--;
    memcpy(label.text, text, len);
    pp_label_id id = pp_intern(&session->labels, &label, offsetof(struct label, text) + len + 1);
    if (id)
        return id;
    if (pp_intern_is_full(&session->labels))
        pp_log(PP_MSG_LABELS, LABELS_MAX);
    else
        pp_log(PP_MSG_NAME_MEMORY, text);
    return parent < LABEL_DEEPEST ? parent + LABEL_DEEPER : parent;
}

static const struct label *
label_get(struct pp_session *session, pp_label_id id)
{
    const struct pp_intern_entry *entry = pp_intern_get(&session->labels, pp_label_kept(id));
    return entry ? (const struct label *)(const void *)entry->bytes : NULL;
}

pp_label_id
pp_session_label_parent(struct pp_session *session, pp_label_id id)
{
    if (id >= LABEL_DEEPER)
        return id - LABEL_DEEPER;
    const struct label *label = label_get(session, id);
    return label ? label->parent : 0;
}

/* Does a path begin with another? */
static bool
label_begins(struct pp_session *session, pp_label_id path, pp_label_id begin)
{
    while (path && path != begin)
        path = pp_session_label_parent(session, path);
    return path == begin;
}

/* Text of what pp_session_label_up() makes; no program's. */
static const char up[] = "\001up";

pp_label_id
pp_session_label_up(struct pp_session *session, pp_label_id parent)
{
    return pp_session_label(session, parent, up);
}

static bool
is_up(const struct label *label)
{
    return strcmp(label->text, up) == 0;
}

pp_label_id
pp_session_label_inside(struct pp_session *session, pp_label_id outer, pp_label_id inner, pp_label_id shared)
{
    const struct label *part[PATH_PARTS];
    const struct label *label;
    size_t parts = 0;
    outer = pp_label_kept(outer);
    shared = pp_label_kept(shared);
    for (label = label_get(session, inner); label; label = label_get(session, label->parent))
        if (is_up(label))
            outer = pp_session_label_parent(session, outer);
    while (shared && !(label_begins(session, outer, shared) && label_begins(session, inner, shared)))
        shared = pp_session_label_parent(session, shared);
    inner = pp_label_kept(inner);
    for (label = label_get(session, inner); label && inner != shared && parts < PATH_PARTS;
         label = label_get(session, inner)) {
        if (!is_up(label))
            part[parts++] = label;
        inner = label->parent;
    }
    while (parts > 0)
        outer = pp_label_kept(pp_session_label(session, outer, part[--parts]->text));
    return outer;
}

void
pp_session_label_push(struct pp_session *session, struct pp_label_stack *stack, const char *text)
{
    static _Atomic uint64_t opened;
    stack->label = pp_session_label(session, stack->label, text);
    if (stack->depth < PP_LABEL_STACK_MAX)
        stack->opened[stack->depth] = atomic_fetch_add_explicit(&opened, 1, memory_order_relaxed) + 1;
    stack->depth++;
    stack->changes++;
}

void
pp_session_label_pop(struct pp_session *session, struct pp_label_stack *stack)
{
    if (stack->depth == 0)
        return;
    stack->label = pp_session_label_parent(session, stack->label);
    stack->depth--;
    stack->changes++;
}

/* When the innermost of the outermost `depth` regions was opened. */
static uint64_t
opened_at(const struct pp_label_stack *stack, uint32_t depth)
{
    uint32_t kept = depth < PP_LABEL_STACK_MAX ? depth : PP_LABEL_STACK_MAX;
    return kept ? stack->opened[kept - 1] : 0;
}

pp_label_id
pp_session_label_merged(struct pp_session *session, const struct pp_label_stack *a,
                        const struct pp_label_stack *b)
{
    const struct label *part[PATH_PARTS];
    size_t parts = 0;
    pp_label_id left[2] = {a->label, b->label};
    uint32_t depth[2] = {a->depth, b->depth};
    /* from the innermost out, until one of them is used up: what is left is a path already */
    while (left[0] && left[1]) {
        int from = opened_at(a, depth[0]) < opened_at(b, depth[1]);
        const struct label *label = left[from] < LABEL_DEEPER ? label_get(session, left[from]) : NULL;
        if (label && parts < PATH_PARTS)
            part[parts++] = label;
        left[from] = pp_session_label_parent(session, left[from]);
        depth[from] -= depth[from] > 0;
    }
    pp_label_id path = pp_label_kept(left[0] ? left[0] : left[1]);
    while (parts > 0)
        path = pp_label_kept(pp_session_label(session, path, part[--parts]->text));
    return path;
}

/* A region's name in a path: what would be taken for the end of it is marked. @return Bytes, as snprintf().
 */
static size_t
put_name(char *out, size_t size, const char *name)
{
    size_t used = 0;
    for (; *name; name++) {
        if ((*name == '/' || *name == '\\') && used++ < size)
            out[used - 1] = '\\';
        if (used++ < size)
            out[used - 1] = *name;
    }
    return used;
}

void
pp_session_label_path(struct pp_session *session, pp_label_id id, char *out, size_t size)
{
    const char *part[PATH_PARTS];
    size_t parts = 0;
    size_t used = 0;
    const struct label *label = label_get(session, id);
    for (; label && parts < PATH_PARTS; label = label_get(session, label->parent))
        part[parts++] = label->text;
    for (bool inner = false; parts > 0 && used < size; inner = true) {
        const char *name = part[--parts];
        if (inner)
            out[used++] = '/';
        /* One that is named so, really. */
        if (strcmp(name, NO_NAME) == 0 && used < size)
            out[used++] = '\\';
        used += put_name(out + used, size - used, *name ? name : NO_NAME);
    }
    out[used < size ? used : size - 1] = '\0';
}

/* Devices. */

static void
free_missing(struct pp_missing *missing)
{
    while (missing) {
        struct pp_missing *next = missing->next;
        free(missing->event);
        free(missing->reason);
        free(missing);
        missing = next;
    }
}

static void
device_free(struct pp_device *device)
{
    pp_counter_finish(device);
    free_missing(device->missing);
    free_missing(device->notes);
    free(device->api);
    free(device->api_version);
    free(device->name);
    free(device->driver);
    free(device);
}

static struct pp_device *
device_new(struct pp_session *session, const struct pp_device_info *info)
{
    struct pp_device *device = calloc(1, sizeof(*device));
    if (!device)
        return NULL;
    device->session = session;
    device->api = strdup(info->api);
    device->api_version = strdup(info->api_version ? info->api_version : "");
    device->name = strdup(info->name ? info->name : "");
    device->driver = strdup(info->driver ? info->driver : "");
    device->tick_ns = info->tick_ns;
    device->timestamp_bits = info->timestamp_bits;
    device->brackets_submissions = info->brackets_submissions;
    if (!device->api || !device->api_version || !device->name || !device->driver) {
        device_free(device);
        return NULL;
    }
    pp_clock_init(&device->clock, info->tick_ns > 0 ? info->tick_ns : 1.0,
                  info->timestamp_bits ? info->timestamp_bits : 64);
    return device;
}

/* Nothing of this session can be profiled; session.json shall say so too. */
static void
refuse_locked(struct pp_session *session, const char *why)
{
    snprintf(session->stop_reason, sizeof(session->stop_reason), "%.255s", why);
    pp_log(PP_MSG_CONFIG, why);
}

/* Lay out its rows. A list that cannot be measured stops the session if this is its first device. */
static int
plan_locked(struct pp_session *session, struct pp_device *device, const struct pp_device_info *info)
{
    char error[PP_COUNTER_ERROR_MAX] = "";
    int rc = pp_counter_plan(device, info, error);
    if (rc == -EINVAL && session->collector) {
        pp_device_missing_locked(device, "events", error);
        return 0;
    }
    if (rc == -EINVAL)
        refuse_locked(session, error);
    return rc;
}

/* The first device starts the collector. */
static int
start_locked(struct pp_session *session, const char *gpu)
{
    struct pp_metrics_error error;
    if (session->collector)
        return 0;
    if (session->failed)
        return -EIO;
    int rc = pp_user_metrics_create(session, gpu ? gpu : "", &session->user_metrics, &error);
    session->metric = pp_user_metrics_columns(session->user_metrics, &session->metrics);
    if (rc)
        refuse_locked(session, *error.text ? error.text : pp_errno_text(-rc));
    else
        rc = pp_collector_create(session, &session->collector);
    session->failed = rc != 0;
    return rc;
}

/* May a session begin? Not where the application has confined itself since it was started. */
static bool
may_begin_locked(struct pp_session *session)
{
    if (session->failed || !pp_sandbox_since_start())
        return !session->failed;
    pp_log(PP_MSG_CONFINED);
    session->failed = true;
    return false;
}

/* Kernel sources, for the first device only: their columns come before everybody's. */
static int
host_locked(struct pp_session *session)
{
    const struct pp_source_row *row;
    char error[PP_COUNTER_ERROR_MAX] = "";
    bool wanted = false;
    if (session->collector || session->kernels)
        return 0;
    if (!may_begin_locked(session))
        return -EIO;
    for (size_t i = 0; (row = pp_source_row(i)); i++)
        wanted |= row->origin == PP_SOURCE_KERNEL && pp_config_wants(&session->config, row->name, false);
    if (!wanted)
        return 0;
    session->kernels = (uint32_t)pp_kernel_sources_open(NULL, session->kernel, PP_MAX_SOURCES);
    int rc = pp_system_counters_create(session, session->kernel, session->kernels, &session->system_counters,
                                       error);
    if (rc == -EINVAL)
        refuse_locked(session, error);
    return rc;
}

uint8_t *
pp_session_base(struct pp_session *session)
{
    pthread_mutex_lock(&session->lock);
    int rc = pp_session_active(session) ? host_locked(session) : -ESHUTDOWN;
    session->failed |= rc == -EINVAL; /* said; no device is taken */
    size_t bytes = rc ? 0 : pp_system_counters_bytes(session->system_counters);
    pthread_mutex_unlock(&session->lock);
    uint8_t *base = bytes ? calloc(1, bytes) : NULL;
    if (base)
        pp_system_counters_read(session->system_counters, base);
    return base;
}

int
pp_device_create(struct pp_session *session, const struct pp_device_info *info, struct pp_device **ret_device)
{
    pthread_mutex_lock(&session->lock);
    struct pp_device *device = device_new(session, info);
    int rc = !device ? -ENOMEM : pp_session_active(session) ? 0 : -ESHUTDOWN;
    rc = rc ? rc : session->failed ? -EIO : host_locked(session);
    rc = rc ? rc : plan_locked(session, device, info);
    rc = rc ? rc : start_locked(session, info->name);
    if (rc == 0) {
        struct pp_device **at = &session->devices;
        while (*at)
            at = &(*at)->next;
        device->number = session->device_count++;
        if (device->streams)
            atomic_store(&session->streams, true);
        *at = device;
        *ret_device = device;
    } else if (device) {
        device_free(device);
    }
    bool refused = rc && session->stop_reason[0] && !session->collector && session->config.launched;
    bool active = rc == 0 || atomic_exchange(&session->active, false);
    pthread_mutex_unlock(&session->lock);
    if (refused && active)
        pp_collector_refuse(session, session->stop_reason);
    return rc;
}

struct pp_clock *
pp_device_clock(struct pp_device *device)
{
    return &device->clock;
}

struct pp_session *
pp_device_session(const struct pp_device *device)
{
    return device->session;
}

uint32_t
pp_device_offset(const struct pp_device *device, uint32_t source)
{
    return device->offset[source];
}

/* Append to a list unless it is there: the same event, and with @p all the same reason. */
static void
append_locked(struct pp_missing **list, const char *event, const char *reason, bool all)
{
    struct pp_missing **at = list;
    while (*at && (strcmp((*at)->event, event) != 0 || (all && strcmp((*at)->reason, reason) != 0)))
        at = &(*at)->next;
    struct pp_missing *missing = *at ? NULL : calloc(1, sizeof(*missing));
    if (!missing)
        return;
    missing->event = strdup(event);
    missing->reason = strdup(reason);
    if (missing->event && missing->reason) {
        *at = missing;
        return;
    }
    free(missing->event);
    free(missing->reason);
    free(missing);
}

void
pp_device_missing_locked(struct pp_device *device, const char *event, const char *reason)
{
    append_locked(&device->missing, event, reason, false);
}

void
pp_device_note_locked(struct pp_device *device, const char *text)
{
    append_locked(&device->notes, "note", text, true);
}

void
pp_device_note(struct pp_device *device, const char *text)
{
    struct pp_session *session = device->session;
    pthread_mutex_lock(&session->lock);
    pp_device_note_locked(device, text);
    pthread_mutex_unlock(&session->lock);
}

void
pp_note_once(struct pp_device *device, enum pp_message id, const char *format, ...)
{
    char text[PP_NOTE_BYTES];
    va_list args;
    if (!pp_once(&device->noted, id))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    pp_device_note(device, text);
}

void
pp_device_missing(struct pp_device *device, const char *event, const char *reason)
{
    struct pp_session *session = device->session;
    pthread_mutex_lock(&session->lock);
    pp_device_missing_locked(device, event, reason);
    pthread_mutex_unlock(&session->lock);
}

static int
compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void
pp_device_bias(struct pp_device *device, const char *scope, const uint64_t *length_ns, uint32_t count)
{
    struct pp_session *session = device->session;
    uint64_t *sorted = count ? malloc(count * sizeof(*sorted)) : NULL;
    struct pp_bias *bias = sorted ? calloc(1, sizeof(*bias)) : NULL;
    char *name = bias ? strdup(scope) : NULL;
    if (!name) {
        free(bias);
        free(sorted);
        return;
    }
    memcpy(sorted, length_ns, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_u64);
    bias->scope = name;
    bias->count = count;
    bias->min_ns = sorted[0];
    bias->median_ns = sorted[count / 2];
    bias->iqr_ns = sorted[count - 1 - count / 4] - sorted[count / 4];
    free(sorted);
    pthread_mutex_lock(&session->lock);
    bias->next = device->bias;
    device->bias = bias;
    pthread_mutex_unlock(&session->lock);
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
    if (session->collector)
        pp_collector_finish(session->collector);
}
