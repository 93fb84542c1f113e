/** @file
 * See frontend.h. */
#include "tests/fake/frontend.h"

#include "tests/fake/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct pp_field time_field[] = {
    {.name = "timestamp", .part = {{.bits = 64}}, .mode = PP_FIELD_WRAPS, .unit = PP_UNIT_TICKS}};
static const struct pp_layout time_layout = {.name = "time", .size = 8, .fields = 1, .field = time_field};
static const struct pp_field pipeline_field[] = {
    {.name = "input_assembly_vertices", .part = {{.bits = 64}}, .mode = PP_FIELD_WRAPS},
    {.name = "compute_shader_invocations", .part = {{.offset = 8, .bits = 64}}, .mode = PP_FIELD_WRAPS}};
static const struct pp_layout pipeline_layout = {
    .name = "pipeline", .size = 16, .fields = 2, .field = pipeline_field};
static const struct pp_device_source sources[] = {{.name = "time", .layout = &time_layout},
                                                  {.name = "pipeline", .layout = &pipeline_layout}};

/* The current counters of both sources, at one end of a bracket; @p work: of an action. */
static void
snapshot_counters(struct fake_frontend *fake, uint32_t bracket, unsigned end, bool action)
{
    struct pp_rotation rotation = pp_timeline_rotation(fake->timeline);
    for (uint32_t c = 0; c < 2; c++) {
        const struct pp_device_set *set = pp_device_set(fake->device, c, rotation.set);
        uint32_t s = pp_device_counter(fake->device, c);
        if (!set->events)
            continue;
        uint8_t *status = pp_batch_status(fake->batch, bracket, s);
        uint8_t *row = pp_batch_row(fake->batch, bracket, end) + pp_device_offset(fake->device, s);
        *pp_batch_set(fake->batch, bracket, s) = rotation.set;
        *status = PP_OK;
        if (c == 1)
            fake_counters_raw(row, fake->now.vertices, fake->draws);
        else if (action != rotation.actions && fake->tracker.level == PP_LEVEL_DRAW)
            *status = PP_CELL_ELSEWHERE;
        else if (end == 0) {
            fake->misuse += fake->query.bracket != UINT32_MAX;
            fake->query.bracket = bracket;
            fake->query.vertices = fake->now.vertices;
            fake->query.draws = fake->draws;
        } else {
            fake->query.bracket = UINT32_MAX;
            fake_counters_result(set->event, set->events, row, fake->now.vertices - fake->query.vertices,
                                 fake->draws - fake->query.draws);
        }
    }
}

static void
snapshot(struct fake_frontend *fake, uint32_t bracket, unsigned end, enum pp_pass_kind kind)
{
    if (pp_batch_reserve(fake->batch, bracket + 1))
        return;
    if (fake->counts)
        snapshot_counters(fake, bracket, end, kind == PP_PASS_NONE);
    memcpy(pp_batch_row(fake->batch, bracket, end), &fake->now, sizeof(fake->now));
    for (unsigned s = 0; s < 2; s++)
        *pp_batch_status(fake->batch, bracket, s) = (uint8_t)fake->status;
}

static void
bracket_begin(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct fake_frontend *fake = user;
    fake->begins++;
    snapshot(fake, bracket, 0, kind);
}

static void
bracket_end(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct fake_frontend *fake = user;
    fake->ends++;
    snapshot(fake, bracket, 1, kind);
}

static pp_render_target_id
render_target(void *user)
{
    return ((struct fake_frontend *)user)->render_target;
}

static void
put(struct fake_frontend *fake)
{
    if (!fake->batch)
        return;
    fake->batch->cpu_available_ns = fake->now.ticks > pp_now_ns() ? fake->now.ticks : pp_now_ns();
    pp_batch_note_work(fake->batch);
    pp_batch_put(fake->batch);
    fake->batch = NULL;
    fake->tracker.action_list = NULL;
}

static int
action_list_full(void *user, struct pp_tracker *tracker)
{
    struct fake_frontend *fake = user;
    put(fake);
    fake->batch = pp_batch_get(fake->timeline);
    if (!fake->batch)
        return -ENOMEM;
    int rc = pp_action_list_reserve(&fake->batch->action_list, fake->room, 2 * fake->room);
    fake->batch->action_list.bracket_cap = 4 * fake->room;
    fake->batch->cpu_issued_ns = fake->frame_start_ns;
    fake->batch->queue = pp_session_string(fake->session, "fake 0");
    tracker->action_list = &fake->batch->action_list;
    return rc;
}

const struct pp_frontend_ops fake_frontend_ops = {
    .api = "fake",
    .bracket_begin = bracket_begin,
    .bracket_end = bracket_end,
    .render_target = render_target,
    .action_list_full = action_list_full,
};

static int
init(struct fake_frontend *fake, struct pp_session *session, const char *surface, bool counts)
{
    struct pp_device_info info = {
        .api = "fake",
        .api_version = "1.0",
        .name = "Fake \"GPU\", rev. 1",
        .driver = "none",
        .tick_ns = 1.0,
        .timestamp_bits = 64,
        .source = sources,
        .sources = 2,
        .counter = fake_counters,
        .counters = counts ? 3 : 0,
        .absent = &(struct pp_source_absent){.source = "amd", .reason = "the fake device has no such thing"},
        .absents = 1,
    };
    struct pp_render_target render_target;
    memset(fake, 0, sizeof(*fake));
    fake->session = session;
    fake->room = 64;
    fake->counts = counts;
    fake->query.bracket = UINT32_MAX;
    int rc = pp_device_create(session, &info, &fake->device);
    if (rc)
        return rc;
    fake->frame_start_ns = pp_now_ns();
    fake->now.ticks = fake->frame_start_ns;
    pp_clock_sample(pp_device_clock(fake->device), fake->frame_start_ns, fake->frame_start_ns,
                    fake->frame_start_ns);
    fake->timeline = pp_timeline_create(
        session, &(struct pp_timeline_info){
                     .device = fake->device, .surface = surface, .start_ns = fake->frame_start_ns});
    memset(&render_target, 0, sizeof(render_target));
    render_target.width = 640;
    render_target.height = 480;
    render_target.layers = render_target.samples = 1;
    render_target.attachments = 1;
    strcpy(render_target.attachment[0].role, "color0");
    strcpy(render_target.attachment[0].format, "RGBA8");
    fake->render_target = pp_session_render_target(session, &render_target);
    if (!fake->timeline)
        return -ENOMEM;
    pp_track_init(&fake->tracker, &fake_frontend_ops, fake, NULL, pp_timeline_level(fake->timeline));
    return 0;
}

int
fake_frontend_init(struct fake_frontend *fake, struct pp_session *session, const char *surface)
{
    return init(fake, session, surface, false);
}

struct pp_session *
fake_frontend_start(struct fake_frontend *fake)
{
    struct pp_session *session = pp_session_get();
    if (!session || fake_frontend_init(fake, session, "window 1"))
        exit(3);
    return session;
}

int
fake_frontend_init_counters(struct fake_frontend *fake, struct pp_session *session, const char *surface)
{
    return init(fake, session, surface, true);
}

void
fake_frontend_draw(struct fake_frontend *fake, uint64_t target, uint32_t draws, uint64_t vertices,
                   uint64_t ticks)
{
    struct pp_action_info info = {
        .call = pp_session_string(fake->session, "fakeDraw"), .vertices = vertices, .instances = 1};
    pp_track_target(&fake->tracker, target);
    for (uint32_t i = 0; i < draws; i++) {
        pp_track_action_begin(&fake->tracker, PP_ACTION_DRAW, &info);
        fake->now.vertices += vertices;
        fake->draws++;
        fake->now.ticks += ticks;
        pp_track_action_end(&fake->tracker);
    }
}

void
fake_frontend_dispatch(struct fake_frontend *fake, uint32_t dispatches, uint64_t invocations, uint64_t ticks)
{
    pp_track_action(&fake->tracker, PP_ACTION_DISPATCH, dispatches);
    fake->now.invocations += invocations * dispatches;
    fake->now.ticks += ticks;
}

void
fake_frontend_flush(struct fake_frontend *fake)
{
    pp_track_end(&fake->tracker);
    put(fake);
}

void
fake_frontend_swap(struct fake_frontend *fake)
{
    fake_frontend_flush(fake);
    uint64_t now = fake->now.ticks;
    pp_timeline_end_frame(fake->timeline,
                          &(struct pp_frame_times){.present_begin_ns = now, .present_end_ns = now + 10});
    fake->frame_start_ns = now + 10;
    fake->now.ticks = now + 10;
    fake->tracker.level = (uint8_t)pp_timeline_level(fake->timeline);
}
