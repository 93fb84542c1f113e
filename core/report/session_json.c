/** @file
 * session.json; see session_json.h. Field by field in docs/session-files.md. */
#include "core/report/session_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/derive.h"
#include "core/host.h"
#include "core/log.h"
#include "core/report/json.h"
#include "counters/own_fd.h"

static void
write_program(struct pp_json *json, struct pp_session *session, const struct pp_session_state *state)
{
    char text[PATH_MAX];
    struct tm tm;
    time_t seconds = (time_t)(state->start_realtime_ns / 1000000000U);
    ssize_t len = readlink("/proc/self/exe", text, sizeof(text) - 1);
    text[len > 0 ? len : 0] = '\0';
    pp_json_open(json, "program", '{');
    pp_json_text(json, "executable", text);
    pp_json_open(json, "command", '[');
    for (size_t at = 0; at < state->command_len; at += strlen(state->command + at) + 1)
        pp_json_text(json, NULL, state->command + at);
    pp_json_close(json, ']');
    pp_json_u64(json, "pid", (uint64_t)session->pid);
    gmtime_r(&seconds, &tm);
    snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
             tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    pp_json_text(json, "start", text);
    pp_json_u64(json, "start_monotonic_ns", session->start_ns);
    pp_json_close(json, '}');
}

/* Value behind "key" in a file of "key : value" or KEY="value" lines. */
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
write_host(struct pp_json *json)
{
    struct utsname name;
    char text[512];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pp_json_open(json, "host", '{');
    if (uname(&name) == 0) {
        pp_json_text(json, "name", name.nodename);
        pp_json_text(json, "kernel", name.release);
        pp_json_text(json, "machine", name.machine);
    }
    read_key("/etc/os-release", "PRETTY_NAME", text, sizeof(text));
    pp_json_text(json, "os", text);
    read_key("/proc/cpuinfo", "model name", text, sizeof(text));
    pp_json_text(json, "cpu", text);
    pp_json_u64(json, "cpus", cores > 0 ? (uint64_t)cores : 0);
    read_key("/proc/meminfo", "MemTotal", text, sizeof(text));
    pp_json_u64(json, "memory_bytes", strtoull(text, NULL, 10) * 1024);
    pp_json_close(json, '}');
}

static void
write_config(struct pp_json *json, const struct pp_config *config)
{
    pp_json_open(json, "options", '{');
    pp_json_text(json, "level", pp_level_name(config->level));
    pp_json_text(json, "events", config->events);
    pp_json_u64(json, "frames_first", config->frames_first);
    if (config->frames_last == UINT64_MAX)
        pp_json_text(json, "frames_last", NULL);
    else
        pp_json_u64(json, "frames_last", config->frames_last);
    pp_json_u64(json, "every", config->every);
    pp_json_u64(json, "delay_ns", config->delay_ns);
    pp_json_u64(json, "duration_ns", config->duration_ns);
    pp_json_u64(json, "slower_than_ns", config->slower_than_ns);
    pp_json_bool(json, "serialize", config->serialize);
    pp_json_bool(json, "indirect", config->indirect);
    pp_json_text(json, "frame_on", pp_frame_on_name(config->frame_on));
    pp_json_u64(json, "max_size_bytes", config->max_size_bytes);
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
    if (device->sets) {
        pp_json_open(json, "event_sets", '[');
        for (uint32_t k = 0; k < device->sets; k++)
            write_set(json, device, k);
        pp_json_close(json, ']');
    }
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

/* What frames measure beside the GPU's work. */
static void
write_host_events(struct pp_json *json, const struct pp_host *host)
{
    char name[320];
    pp_json_open(json, "frames", '{');
    pp_json_open(json, "events_got", '[');
    for (uint32_t i = 0; pp_host_got(host, i, name, sizeof(name)); i++)
        pp_json_text(json, NULL, name);
    pp_json_close(json, ']');
    if (pp_host_sets(host) > 1) {
        pp_json_open(json, "event_sets", '[');
        for (uint32_t k = 0; k < pp_host_sets(host); k++) {
            pp_json_open(json, NULL, '[');
            for (uint32_t i = 0; pp_host_got_in(host, k, i, name, sizeof(name)); i++)
                pp_json_text(json, NULL, name);
            pp_json_close(json, ']');
        }
        pp_json_close(json, ']');
    }
    write_missing(json, pp_host_missing(host));
    pp_json_close(json, '}');
}

static void
write_marks_locked(struct pp_json *json, struct pp_session *session)
{
    char path[2048];
    pp_json_open(json, "marks", '[');
    for (struct pp_mark *mark = session->marks; mark; mark = mark->next) {
        pp_session_label_path(session, mark->label, path, sizeof(path));
        pp_json_open(json, NULL, '{');
        pp_json_u64(json, "at_ns", mark->at_ns);
        pp_json_text(json, "label", path);
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
}

/* Columns whose frames do not add up. Those of a session do not change once it has begun. */
static void
write_states(struct pp_json *json, const struct pp_session *session)
{
    pp_json_open(json, "states", '[');
    for (uint32_t i = 0; i < session->columns; i++)
        if (session->column[i].alone && !session->column[i].hidden)
            pp_json_text(json, NULL, session->column[i].name);
    pp_json_close(json, ']');
}

static void
write_counts(struct pp_json *json, const struct pp_session_state *state)
{
    uint64_t own = state->hooks_usual_ns + state->collector_ns;
    pp_json_open(json, "counts", '{');
    pp_json_u64(json, "frames", state->frames);
    pp_json_u64(json, "passes", state->passes);
    pp_json_u64(json, "draws", state->draws);
    pp_json_u64(json, "brackets", state->notes.brackets);
    pp_json_u64(json, "unattributed_passes", state->unattributed_passes);
    pp_json_u64(json, "conditional_passes", state->notes.conditional);
    pp_json_u64(json, "late_batches", state->late_batches);
    pp_json_u64(json, "frame_marks", pp_annotate_frames());
    pp_json_close(json, '}');
    pp_json_open(json, "dropped", '{');
    pp_json_u64(json, "frames", state->dropped_frames);
    pp_json_u64(json, "frames_incomplete", state->incomplete_frames);
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
    pp_json_close(json, '}');
}

static void
write_messages(struct pp_json *json)
{
    pp_json_open(json, "messages", '[');
    for (int id = 0; id < PP_MESSAGE_COUNT; id++) {
        if (!pp_log_count((enum pp_message)id))
            continue;
        pp_json_open(json, NULL, '{');
        pp_json_text(json, "text", pp_log_text((enum pp_message)id));
        pp_json_u64(json, "count", pp_log_count((enum pp_message)id));
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
}

static void
write_all(struct pp_json *json, struct pp_session *session, const struct pp_session_state *state)
{
    pp_json_open(json, NULL, '{');
    pp_json_text(json, "passprobe", PP_VERSION);
    pp_json_u64(json, "schema", 1);
    pp_json_text(json, "ended", state->ended);
    write_program(json, session, state);
    write_host(json);
    write_config(json, &session->config);
    pthread_mutex_lock(&session->lock);
    pp_json_open(json, "devices", '[');
    for (struct pp_device *device = session->devices; device; device = device->next)
        write_device_locked(json, device);
    pp_json_close(json, ']');
    write_host_events(json, session->host);
    write_marks_locked(json, session);
    pthread_mutex_unlock(&session->lock);
    write_states(json, session);
    pp_empty_json(session, json);
    pp_derive_json(session->derive, json);
    write_counts(json, state);
    write_messages(json);
    pp_json_close(json, '}');
}

static int
write_file(int dir_fd, const char *name, const char *text, size_t len)
{
    int fd = pp_own_fd(openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (fd < 0)
        return -errno;
    int rc = 0;
    for (size_t done = 0; done < len && rc == 0;) {
        ssize_t got = write(fd, text + done, len - done);
        if (got < 0 && errno != EINTR)
            rc = -errno;
        else if (got > 0)
            done += (size_t)got;
    }
    if (close(fd) && rc == 0)
        rc = -errno;
    return rc;
}

int
pp_session_json_write(struct pp_session *session, int dir_fd, const struct pp_session_state *state,
                      uint64_t *ret_bytes)
{
    struct pp_json json = {0};
    write_all(&json, session, state);
    int rc = json.error;
    if (rc == 0)
        rc = write_file(dir_fd, "session.json.new", json.text, json.len);
    if (rc == 0 && renameat(dir_fd, "session.json.new", dir_fd, "session.json"))
        rc = -errno;
    if (rc)
        (void)unlinkat(dir_fd, "session.json.new", 0);
    else
        *ret_bytes = json.len;
    free(json.text);
    return rc;
}
