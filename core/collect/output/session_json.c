/** @file
 * See session_json.h. Field by field in docs/formats/session.md. */
#include "core/collect/output/session_json.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/config/schema.h"
#include "core/derive/user_metrics.h"
#include "core/engine/session_private.h"
#include "core/events/system_counters.h"
#include "core/session/annotate.h"
#include "core/session/timeline_private.h"
#include "core/util/heap.h"
#include "core/util/json_write.h"
#include "core/util/log.h"
#include "core/util/process.h"

static void
write_config(struct pp_json *json, const struct pp_config *config)
{
    pp_json_open(json, "options", '{');
    pp_json_text(json, "level", pp_level_name(config->level));
    pp_json_text(json, "events", config->events);
    if (config->only_set_given)
        pp_json_u64(json, "only_set", config->only_set);
    else
        pp_json_text(json, "only_set", NULL);
    pp_json_u64(json, "frames_first", config->frames_first);
    if (config->frames_last == UINT64_MAX)
        pp_json_text(json, "frames_last", NULL);
    else
        pp_json_u64(json, "frames_last", config->frames_last);
    pp_json_u64(json, "every", config->every);
    pp_json_u64(json, "delay_ns", config->delay_ns);
    pp_json_u64(json, "duration_ns", config->duration_ns);
    pp_json_text(json, "between", *config->between ? config->between : NULL);
    pp_json_u64(json, "slower_than_ns", config->slower_than_ns);
    pp_json_u64(json, "keep_slower_than_ns", config->keep_slower_than_ns);
    pp_json_u64(json, "keep_around", config->keep_around);
    pp_json_bool(json, "serialize", config->serialize);
    pp_json_bool(json, "indirect", config->indirect);
    pp_json_bool(json, "paused", config->paused);
    pp_json_text(json, "metrics_socket", *config->metrics_socket ? config->metrics_socket : NULL);
    pp_json_text(json, "call_graph", config->call_graph ? pp_call_graph_name(config->call_graph) : NULL);
    pp_json_text(json, "frame_on", pp_frame_on_name(config->frame_on));
    pp_json_u64(json, "max_size_bytes", config->max_size_bytes);
    pp_json_u64(json, "max_memory_bytes", config->max_memory_bytes);
    pp_json_close(json, '}');
}

/* What the user says about the session. */
static void
write_tags(struct pp_json *json, const struct pp_config *config)
{
    struct pp_tag tag;
    const char *list = *config->tags ? config->tags : NULL;
    pp_json_open(json, "tags", '{');
    while (pp_config_tag_next(&list, &tag) > 0)
        pp_json_text(json, tag.key, tag.value);
    pp_json_close(json, '}');
}

static void
write_clock(struct pp_json *json, struct pp_clock *clock)
{
    static const char *const method[] = {"none", "bounds", "sampled"};
    pthread_mutex_lock(&clock->lock);
    pp_json_open(json, "clock", '{');
    pp_json_text(json, "axis", "CLOCK_MONOTONIC");
    pp_json_text(json, "method", method[clock->method]);
    pp_json_u64(json, "samples", clock->samples);
    pp_json_u64(json, "uncertainty_ns", clock->uncertainty_ns);
    pp_json_u64(json, "uncertainty_max_ns", clock->uncertainty_max_ns);
    pp_json_u64(json, "anchor_ticks", clock->anchor_ticks);
    pp_json_u64(json, "anchor_ns", clock->anchor_ns);
    pp_json_double(json, "rate", clock->rate);
    pp_json_close(json, '}');
    pthread_mutex_unlock(&clock->lock);
}

static void
write_missing(struct pp_json *json, const struct pp_missing *missing)
{
    pp_json_open(json, "events_missing", '[');
    for (; missing; missing = missing->next) {
        pp_json_open(json, NULL, '{');
        pp_json_text(json, "event", missing->event);
        pp_json_text(json, "reason", missing->reason);
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
}

/* Name of an event of a counter source. */
static void
write_event(struct pp_json *json, const struct pp_event_source *counter, uint32_t number)
{
    char name[256];
    struct pp_event event;
    if (counter->ops->event(counter->self, number, &event))
        return;
    snprintf(name, sizeof(name), "%s:%s", counter->ops->name, event.name);
    pp_json_text(json, NULL, name);
}

/* The events of a source that are measured, each once, in any set. */
static void
write_got(struct pp_json *json, const struct pp_device *device, uint32_t s)
{
    const struct pp_source_set *set = device->source_set[s];
    char name[256];
    for (uint32_t i = 0; !device->counter[s].ops && i < set->set.layout->fields; i++) {
        snprintf(name, sizeof(name), "%s:%s", device->source_name[s], set->set.layout->field[i].name);
        pp_json_text(json, NULL, name);
    }
    for (uint32_t k = 0; device->counter[s].ops && k < device->source_sets[s]; k++) {
        for (uint32_t i = 0; i < set[k].set.events; i++) {
            bool seen = false;
            for (uint32_t j = 0; j < k && !seen; j++)
                for (uint32_t l = 0; l < set[j].set.events && !seen; l++)
                    seen = set[j].set.event[l] == set[k].set.event[i];
            if (!seen)
                write_event(json, &device->counter[s], set[k].set.event[i]);
        }
    }
}

/* What one set of the rotation measures. */
static void
write_set(struct pp_json *json, const struct pp_device *device, uint32_t k)
{
    pp_json_open(json, NULL, '[');
    for (uint32_t s = 0; s < device->sources; s++)
        for (uint32_t i = 0; device->counter[s].ops && i < device->source_set[s][k].set.events; i++)
            write_event(json, &device->counter[s], device->source_set[s][k].set.event[i]);
    pp_json_close(json, ']');
}

/* With --only-set: which set of how many is measured, and around what. */
static void
write_only_set(struct pp_json *json, const struct pp_only_set *only)
{
    if (!only->given)
        return;
    pp_json_open(json, "only_set", '{');
    pp_json_u64(json, "number", only->number);
    pp_json_u64(json, "of", only->of);
    pp_json_text(json, "around", only->halves ? only->actions ? "actions" : "passes" : NULL);
    pp_json_close(json, '}');
}

static void
write_device_locked(struct pp_json *json, struct pp_device *device)
{
    pp_json_open(json, NULL, '{');
    pp_json_text(json, "api", device->api);
    pp_json_text(json, "api_version", device->api_version);
    pp_json_text(json, "name", device->name);
    pp_json_text(json, "driver", device->driver);
    pp_json_u64(json, "timestamp_bits", device->timestamp_bits);
    pp_json_double(json, "timestamp_tick_ns", device->tick_ns);
    write_clock(json, &device->clock);
    pp_json_open(json, "events_got", '[');
    for (uint32_t s = 0; s < device->sources; s++)
        write_got(json, device, s);
    pp_json_close(json, ']');
    if (device->statistics.of_passes) {
        pp_json_open(json, "statistics", '{');
        pp_json_u64(json, "passes", device->statistics.passes);
        pp_json_u64(json, "of_passes", device->statistics.of_passes);
        pp_json_u64(json, "frames", device->statistics.frames);
        pp_json_u64(json, "of_frames", device->statistics.of_frames);
        pp_json_close(json, '}');
    }
    if (device->sets) {
        pp_json_open(json, "event_sets", '[');
        for (uint32_t k = 0; k < device->sets; k++)
            write_set(json, device, k);
        pp_json_close(json, ']');
    }
    write_only_set(json, &device->only_set);
    write_missing(json, device->missing);
    pp_json_open(json, "notes", '[');
    for (struct pp_missing *note = device->notes; note; note = note->next)
        pp_json_text(json, NULL, note->reason);
    pp_json_close(json, ']');
    pp_json_open(json, "bracket_bias", '[');
    for (struct pp_bias *bias = device->bias; bias; bias = bias->next) {
        pp_json_open(json, NULL, '{');
        pp_json_text(json, "scope", bias->scope);
        pp_json_u64(json, "count", bias->count);
        pp_json_u64(json, "min_ns", bias->min_ns);
        pp_json_u64(json, "median_ns", bias->median_ns);
        pp_json_u64(json, "iqr_ns", bias->iqr_ns);
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
    pp_json_close(json, '}');
}

/* Write the system counters, which frames measure in addition to the GPU's work. */
static void
write_system_counters(struct pp_json *json, const struct pp_system_counters *system_counters)
{
    char name[320];
    pp_json_open(json, "frames", '{');
    pp_json_open(json, "events_got", '[');
    for (uint32_t i = 0; pp_system_counters_got(system_counters, i, name, sizeof(name)); i++)
        pp_json_text(json, NULL, name);
    pp_json_close(json, ']');
    if (pp_system_counters_sets(system_counters) > 1) {
        pp_json_open(json, "event_sets", '[');
        for (uint32_t k = 0; k < pp_system_counters_sets(system_counters); k++) {
            pp_json_open(json, NULL, '[');
            for (uint32_t i = 0; pp_system_counters_got_in(system_counters, k, i, name, sizeof(name)); i++)
                pp_json_text(json, NULL, name);
            pp_json_close(json, ']');
        }
        pp_json_close(json, ']');
    }
    write_only_set(json, pp_system_counters_only_set(system_counters));
    write_missing(json, pp_system_counters_missing(system_counters));
    pp_json_close(json, '}');
}

static void
write_marks_locked(struct pp_json *json, struct pp_session *session)
{
    char path[2048];
    pp_json_open(json, "marks", '[');
    for (struct pp_mark *mark = session->marks.first; mark; mark = mark->next) {
        pp_session_label_path(session, mark->label, path, sizeof(path));
        pp_json_open(json, NULL, '{');
        pp_json_u64(json, "at_ns", mark->at_ns);
        if (mark->frame_end_ns)
            pp_json_u64(json, "frame", mark->frame);
        pp_json_text(json, "label", path);
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
}

/* When recording was started and stopped, and the level was changed, while the application ran. */
static void
write_recording_locked(struct pp_json *json, const struct pp_session *session)
{
    static const char *const what[] = {"start", "stop", "level"};
    const struct pp_recording *recording = &session->recording;
    pp_json_open(json, "recording", '{');
    pp_json_u64(json, "count", recording->changes);
    pp_json_open(json, "changes", '[');
    for (uint32_t i = 0; i < recording->kept; i++) {
        const struct pp_recording_change *change = &recording->change[i];
        pp_json_open(json, NULL, '{');
        pp_json_u64(json, "at_ns", change->at_ns);
        pp_json_u64(json, "next_frame", change->next_frame);
        pp_json_text(json, "what", what[change->what]);
        if (change->what == PP_RECORDING_LEVEL)
            pp_json_text(json, "level", pp_level_name(change->level));
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
    pp_json_close(json, '}');
}

/* The surfaces by their numbers, which frames.csv has. */
static void
write_surfaces_locked(struct pp_json *json, const struct pp_session *session)
{
    pp_json_open(json, "surfaces", '[');
    for (const struct pp_timeline *timeline = session->timelines; timeline; timeline = timeline->next) {
        pp_json_open(json, NULL, '{');
        pp_json_text(json, "name", timeline->surface);
        pp_json_u64(json, "device", timeline->device->number);
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
}

/* Write the columns whose frame values are not additive. The columns of a session do not change after it
 * has begun. */
static void
write_states(struct pp_json *json, const struct pp_session *session)
{
    pp_json_open(json, "states", '[');
    for (uint32_t i = 0; i < session->rows.columns; i++)
        if (session->rows.column[i].not_additive && !session->rows.column[i].hidden)
            pp_json_text(json, NULL, session->rows.column[i].name);
    pp_json_close(json, ']');
}

static void
write_counts(struct pp_json *json, const struct pp_session *session, const struct pp_session_state *state)
{
    uint64_t own = state->hooks_usual_ns + state->collector_ns;
    pp_json_open(json, "counts", '{');
    pp_json_u64(json, "frames", state->written.frames);
    pp_json_u64(json, "passes", state->written.passes);
    pp_json_u64(json, "draws", state->written.draws);
    pp_json_u64(json, "labels", state->written.labels);
    pp_json_u64(json, "brackets", state->notes.brackets);
    if (session->config.keep_slower_than_ns)
        pp_json_u64(json, "kept_frames", state->written.kept_frames);
    pp_json_u64(json, "unattributed_passes", state->written.unattributed_passes);
    pp_json_u64(json, "conditional_passes", state->written.conditional_passes);
    pp_json_u64(json, "not_recorded_frames", state->not_recorded);
    pp_json_u64(json, "late_batches", state->late_batches);
    pp_json_u64(json, "frame_marks", pp_annotate_frames());
    pp_json_close(json, '}');
    pp_json_open(json, "dropped", '{');
    pp_json_u64(json, "frames", state->dropped_frames);
    pp_json_u64(json, "frames_incomplete", state->incomplete_frames);
    if (session->config.keep_slower_than_ns)
        pp_json_u64(json, "kept_frames", state->keep_lost);
    pp_json_u64(json, "coarser_frames", atomic_load(&session->memory.coarser));
    pp_json_u64(json, "brackets", atomic_load(&session->memory.refused));
    pp_json_u64(json, "times_not_landed", state->notes.lost);
    pp_json_u64(json, "times_rejected", state->notes.rejected);
    pp_json_u64(json, "counters_lost", state->notes.counts_lost);
    pp_json_u64(json, "counters_rejected", state->notes.counts_rejected);
    pp_json_close(json, '}');
    pp_json_open(json, "own_cost", '{');
    pp_json_u64(json, "hooks_cpu_ns", state->hooks_ns);
    pp_json_u64(json, "hooks_usual_ns", state->hooks_usual_ns);
    pp_json_u64(json, "collector_cpu_ns", state->collector_ns);
    pp_json_u64(json, "frame_time_ns", state->frame_time_ns);
    if (state->frame_time_ns)
        pp_json_double(json, "percent", 100.0 * (double)own / (double)state->frame_time_ns);
    if (state->later.frames)
        pp_window_cost_write(&state->later, "without_first", json);
    pp_json_close(json, '}');
}

/* What passprobe holds in the application, as far as it is bounded. */
static void
write_memory(struct pp_json *json, const struct pp_session *session)
{
    const struct pp_memory *memory = &session->memory;
    pp_json_open(json, "memory", '{');
    pp_json_u64(json, "queries_bytes", atomic_load(&memory->bytes));
    pp_json_u64(json, "queries_most_bytes", atomic_load(&memory->most));
    pp_json_u64(json, "waiting_bytes", atomic_load(&session->transport.waiting_bytes));
    pp_json_u64(json, "waiting_most_bytes", memory->waiting_most);
    size_t heap = pp_heap_look();
    if (pp_heap_most() > 0) {
        pp_json_u64(json, "heap_bytes", heap);
        pp_json_u64(json, "heap_most_bytes", pp_heap_most());
    }
    pp_json_close(json, '}');
}

static void
write_messages(struct pp_json *json)
{
    pp_json_open(json, "messages", '[');
    for (int id = 0; id < PP_LOG_COUNT; id++) {
        if (!pp_log_count((enum pp_message)id))
            continue;
        pp_json_open(json, NULL, '{');
        pp_json_text(json, "text", pp_log_text((enum pp_message)id));
        pp_json_u64(json, "count", pp_log_count((enum pp_message)id));
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
}

/* The first and the last member are the version's number: where they differ, the file was torn. */
static void
write_all_locked(struct pp_json *json, struct pp_session *session, const struct pp_session_state *state)
{
    pp_json_open(json, NULL, '{');
    pp_json_u64(json, "revision", state->revision);
    pp_json_text(json, "passprobe", PP_VERSION);
    pp_json_u64(json, "schema", PP_SESSION_SCHEMA);
    pp_about_id_json(&state->about, json);
    pp_json_text(json, "ended", state->ended);
    pp_about_json(&state->about, json, (uint64_t)session->pid);
    write_tags(json, &session->config);
    write_config(json, &session->config);
    pp_window_cost_json(&state->window, session, json);
    pp_json_open(json, "devices", '[');
    for (struct pp_device *device = session->devices; device; device = device->next)
        write_device_locked(json, device);
    pp_json_close(json, ']');
    write_surfaces_locked(json, session);
    write_system_counters(json, session->sources.system_counters);
    write_marks_locked(json, session);
    write_recording_locked(json, session);
    write_states(json, session);
    pp_empty_json(&session->empty, json);
    pp_user_metrics_json(session->user_metrics, json);
    pp_stacks_json(session->stacks, json);
    write_counts(json, session, state);
    write_memory(json, session);
    write_messages(json);
    pp_json_u64(json, "revision_end", state->revision);
    pp_json_close(json, '}');
}

int
pp_session_json_begin_locked(struct pp_session *session, int dir_fd, struct pp_session_state *state,
                             struct pp_replaced *ret_file)
{
    struct pp_json json = {0};
    state->revision = 1;
    write_all_locked(&json, session, state);
    int rc = json.error;
    if (rc == 0)
        rc = pp_replaced_begin(ret_file, dir_fd, "session.json", "session.json.new", json.text, json.len);
    free(json.text);
    return rc;
}

int
pp_session_json_write(struct pp_session *session, struct pp_session_state *state, struct pp_replaced *file)
{
    struct pp_json json = {0};
    state->revision++;
    pthread_mutex_lock(&session->lock);
    write_all_locked(&json, session, state);
    pthread_mutex_unlock(&session->lock);
    int rc = json.error;
    if (rc == 0)
        rc = pp_replaced_write(file, json.text, json.len);
    free(json.text);
    return rc;
}

static uint64_t
clock_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/* gmtime_r() may read the time zone's file, the first time. */
static void
read_start(struct pp_about *about, uint64_t start_ns)
{
    struct tm tm;
    about->start_monotonic_ns = start_ns;
    about->start_realtime_ns = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - start_ns);
    about->start_boottime_ns = clock_ns(CLOCK_BOOTTIME) - (clock_ns(CLOCK_MONOTONIC) - start_ns);
    time_t start = (time_t)(about->start_realtime_ns / 1000000000ULL);
    gmtime_r(&start, &tm);
    snprintf(about->start, sizeof(about->start), "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* Value after "key" in a file of "key : value" or KEY="value" lines. */
static void
read_key(const char *path, const char *key, char *out, size_t size)
{
    char line[512];
    FILE *file = fopen(path, "re");
    out[0] = '\0';
    while (file && fgets(line, sizeof(line), file)) {
        size_t len = strlen(key);
        if (strncmp(line, key, len) != 0)
            continue;
        char *value = line + len + strspn(line + len, " \t:=\"");
        value[strcspn(value, "\"\n")] = '\0';
        snprintf(out, size, "%s", value);
        break;
    }
    if (file)
        fclose(file);
}

static void
read_machine(struct pp_about *about)
{
    struct utsname name;
    char text[512];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&name) == 0) {
        snprintf(about->name, sizeof(about->name), "%s", name.nodename);
        snprintf(about->kernel, sizeof(about->kernel), "%s", name.release);
        snprintf(about->machine, sizeof(about->machine), "%s", name.machine);
    }
    read_key("/etc/os-release", "PRETTY_NAME", about->os, sizeof(about->os));
    read_key("/proc/cpuinfo", "model name", about->cpu, sizeof(about->cpu));
    read_key("/proc/meminfo", "MemTotal", text, sizeof(text));
    about->cpus = cpus > 0 ? (uint64_t)cpus : 0;
    about->memory_bytes = strtoull(text, NULL, 10) * 1024;
}

void
pp_about_read(struct pp_about *ret, uint64_t start_ns)
{
    char path[PATH_MAX];
    memset(ret, 0, sizeof(*ret));
    (void)!pp_random_id(ret->session_id); /* without it, readers make an id from other members */
    ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[len > 0 ? len : 0] = '\0';
    ret->executable = strdup(path);
    ret->command = pp_command_line(&ret->command_len);
    read_start(ret, start_ns);
    read_machine(ret);
}

void
pp_about_finish(struct pp_about *about)
{
    free(about->executable);
    about->executable = NULL;
}

void
pp_about_id_json(const struct pp_about *about, struct pp_json *json)
{
    if (*about->session_id)
        pp_json_text(json, "session_id", about->session_id);
}

void
pp_about_json(const struct pp_about *about, struct pp_json *json, uint64_t pid)
{
    pp_json_open(json, "program", '{');
    pp_json_text(json, "executable", about->executable ? about->executable : "");
    pp_json_open(json, "command", '[');
    for (size_t at = 0; at < about->command_len; at += strlen(about->command + at) + 1)
        pp_json_text(json, NULL, about->command + at);
    pp_json_close(json, ']');
    pp_json_u64(json, "pid", pid);
    pp_json_text(json, "start", about->start);
    pp_json_u64(json, "start_realtime_ns", about->start_realtime_ns);
    pp_json_u64(json, "start_monotonic_ns", about->start_monotonic_ns);
    pp_json_u64(json, "start_boottime_ns", about->start_boottime_ns);
    pp_json_close(json, '}');
    pp_json_open(json, "host", '{');
    if (*about->kernel) {
        pp_json_text(json, "name", about->name);
        pp_json_text(json, "kernel", about->kernel);
        pp_json_text(json, "machine", about->machine);
    }
    pp_json_text(json, "os", about->os);
    pp_json_text(json, "cpu", about->cpu);
    pp_json_u64(json, "cpus", about->cpus);
    pp_json_u64(json, "memory_bytes", about->memory_bytes);
    pp_json_close(json, '}');
}

/* What measuring cost in some frames. */

bool
pp_window_cost_counts(const struct pp_session *session, const struct pp_frame_item *end)
{
    const struct pp_frame_bounds bounds = pp_frame_window_bounds(&session->config, &session->frames.window);
    return end->head.kind == PP_ITEM_FRAME_END && bounds.any &&
           pp_frame_bounds_hold(&bounds, end->frame, end->start_ns);
}

static struct pp_window_counts
counts_now(const struct pp_session *session, uint64_t brackets)
{
    return (struct pp_window_counts){.hooks_ns = atomic_load(&session->own.sum_ns),
                                     .collector_ns = pp_recording_collector_ns(session),
                                     .brackets = brackets};
}

void
pp_window_cost_begin(struct pp_window_cost *cost, const struct pp_session *session, uint64_t brackets)
{
    if (!cost->frames)
        cost->from = cost->to = counts_now(session, brackets);
}

void
pp_window_cost_add(struct pp_window_cost *cost, const struct pp_session *session,
                   const struct pp_frame_item *end, uint64_t hooks_ns, uint64_t brackets)
{
    cost->frames++;
    cost->frame_time_ns += end->times.present_end_ns - end->start_ns;
    pp_overhead_add(&cost->hooks[end->level], hooks_ns);
    cost->to = counts_now(session, brackets);
}

void
pp_window_cost_write(const struct pp_window_cost *cost, const char *name, struct pp_json *json)
{
    uint64_t rest = cost->to.hooks_ns - cost->from.hooks_ns;
    uint64_t hooks = rest, usual = rest, collector = cost->to.collector_ns - cost->from.collector_ns;
    for (unsigned i = 0; i <= PP_LEVEL_DRAW; i++) {
        hooks += atomic_load(&cost->hooks[i].sum_ns);
        usual += pp_overhead_median(&cost->hooks[i]);
    }
    pp_json_open(json, name, '{');
    pp_json_u64(json, "frames", cost->frames);
    pp_json_u64(json, "brackets", cost->to.brackets - cost->from.brackets);
    pp_json_u64(json, "hooks_cpu_ns", hooks);
    pp_json_u64(json, "hooks_usual_ns", usual);
    pp_json_u64(json, "collector_cpu_ns", collector);
    pp_json_u64(json, "frame_time_ns", cost->frame_time_ns);
    if (cost->frame_time_ns)
        pp_json_double(json, "percent", 100.0 * (double)(usual + collector) / (double)cost->frame_time_ns);
    pp_json_close(json, '}');
}

/* Write a bound; an open one as null. */
static void
write_bound(struct pp_json *json, const char *name, uint64_t bound, uint64_t open)
{
    if (bound == open)
        pp_json_text(json, name, NULL);
    else
        pp_json_u64(json, name, bound);
}

void
pp_window_cost_json(const struct pp_window_cost *cost, const struct pp_session *session, struct pp_json *json)
{
    char text[2048];
    const struct pp_frame_bounds bounds = pp_frame_window_bounds(&session->config, &session->frames.window);
    if (!bounds.any) {
        pp_json_text(json, "window", NULL);
        return;
    }
    pp_frame_window_text(&session->config, text, sizeof(text));
    pp_json_open(json, "window", '{');
    pp_json_text(json, "options", text);
    pp_json_bool(json, "begun", bounds.begun);
    pp_json_u64(json, "first_frame", bounds.first);
    write_bound(json, "last_frame", bounds.last, UINT64_MAX);
    write_bound(json, "from_ns", bounds.begin_ns, 0);
    write_bound(json, "to_ns", bounds.end_ns, UINT64_MAX);
    pp_window_cost_write(cost, "own_cost", json);
    pp_json_close(json, '}');
}
