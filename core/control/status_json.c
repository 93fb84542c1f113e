/** @file
 * See status_json.h. */
#include "core/control/status_json.h"

#include "core/engine/session_private.h"
#include "core/session/timeline_private.h"
#include "core/util/command_line.h"

#define LONG_NS 10000000000ULL /* "ten_seconds" */

static void
write_spread(struct pp_json *json, const char *name, const struct pp_recent_spread *spread)
{
    if (spread->frames == 0) {
        pp_json_text(json, name, NULL);
        return;
    }
    pp_json_open(json, name, '{');
    pp_json_u64(json, "mean", (uint64_t)(spread->mean_ns + 0.5));
    pp_json_u64(json, "p50", (uint64_t)(spread->p50_ns + 0.5));
    pp_json_u64(json, "p95", (uint64_t)(spread->p95_ns + 0.5));
    pp_json_u64(json, "p99", (uint64_t)(spread->p99_ns + 0.5));
    pp_json_u64(json, "max", (uint64_t)spread->max_ns);
    pp_json_close(json, '}');
}

static void
write_figures(struct pp_json *json, const char *name, const struct pp_recent *recent, uint64_t seen,
              uint64_t from_ns)
{
    static const char *const time[] = {"frame_time_ns", "cpu_busy_ns", "gpu_time_ns", "gpu_busy_ns"};
    struct pp_recent_figures figures = {.frames = 0};
    if (pp_recent_figures(recent, seen, from_ns, &figures) || figures.frames == 0) {
        pp_json_text(json, name, NULL);
        return;
    }
    pp_json_open(json, name, '{');
    pp_json_text(json, "surface", figures.timeline ? figures.timeline->surface : NULL);
    pp_json_u64(json, "frames", figures.frames);
    pp_json_u64(json, "from_ns", figures.from_ns);
    pp_json_u64(json, "to_ns", figures.to_ns);
    pp_json_double(json, "fps", figures.fps);
    for (size_t i = 0; i < PP_RECENT_TIMES; i++)
        write_spread(json, time[i], &figures.time[i]);
    pp_json_open(json, "bound_by", '{');
    for (enum pp_recent_verdict v = PP_RECENT_CPU; v < PP_RECENT_VERDICTS; v++)
        pp_json_u64(json, pp_recent_verdict_name(v), figures.verdicts[v]);
    pp_json_close(json, '}');
    pp_json_close(json, '}');
}

static void
write_state(struct pp_json *json, struct pp_session *session, const struct pp_control_facts *facts)
{
    const char *running = pp_session_paused(session) ? "paused" : "recording";
    char application[256];
    pp_command_line_name(application, sizeof(application));
    pp_json_text(json, "passprobe", PP_VERSION);
    pp_json_u64(json, "pid", (uint64_t)session->pid);
    pp_json_text(json, "application", application);
    pp_json_text(json, "session", *facts->path ? facts->path : NULL);
    pp_json_text(json, "state", facts->ended ? "ended" : running);
    pp_json_text(json, "ended", facts->ended);
    pp_json_text(json, "level", pp_level_name(pp_session_level(session)));
}

void
pp_status_json(struct pp_json *json, struct pp_session *session, const struct pp_control_facts *facts,
               const struct pp_recent *recent, const struct pp_status_span *span)
{
    json->one_line = 1;
    pp_json_open(json, NULL, '{');
    pp_json_bool(json, "ok", true);
    pp_json_u64(json, "protocol", PP_CONTROL_PROTOCOL);
    write_state(json, session, facts);
    pp_json_u64(json, "now_ns", span->now_ns);
    pp_json_u64(json, "start_ns", session->start_ns);
    pp_json_u64(json, "frames", facts->frames);
    pp_json_u64(json, "dropped_frames", facts->dropped_frames);
    pp_json_u64(json, "next_frame", pp_session_frames(session));
    pthread_mutex_lock(&session->lock);
    uint64_t marks = session->marks.count;
    pthread_mutex_unlock(&session->lock);
    pp_json_u64(json, "marks", marks);
    pp_json_u64(json, "session_bytes", facts->bytes);
    write_figures(json, "interval", recent, span->seen, span->from_ns);
    write_figures(json, "ten_seconds", recent, 0, span->now_ns > LONG_NS ? span->now_ns - LONG_NS : 0);
    pp_json_close(json, '}');
}

void
pp_status_json_error(struct pp_json *json, enum pp_order_error error, const char *text)
{
    json->one_line = 1;
    pp_json_open(json, NULL, '{');
    pp_json_bool(json, "ok", false);
    pp_json_text(json, "error", pp_order_error_name(error));
    pp_json_text(json, "text", text ? text : pp_order_error_text(error));
    pp_json_close(json, '}');
}
