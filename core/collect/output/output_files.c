/** @file
 * The session directory's files; see output_files.h. */
#include "core/collect/output/output_files.h"

#include <stdio.h>
#include <string.h>

#include "core/config/session_place.h"
#include "core/session/timeline_private.h"
#include "core/util/log.h"
#include "counters/util/errno_text.h"
#include "counters/util/sandbox.h"
#include "pp_texts.h"

#define JSON_DEVICES 65536 /* session.json may grow by so much with the session's devices */
#define JSON_GROWS   1024  /* session.json's last version may be so much longer: what ended it, counts */

/* Write all rows to the files. */
static int
write_rows_out(struct pp_output_files *files)
{
    int rc = pp_writers_flush(files->writers);
    if (rc == 0)
        files->state.written = files->state.taken;
    return rc;
}

/* Frames dropped so far, on either side of the ring. */
static uint64_t
dropped(const struct pp_output_files *files)
{
    return files->state.dropped_frames + atomic_load(&files->session->frames.dropped_frames);
}

uint64_t
pp_output_files_hooks_ns(const struct pp_output_files *files)
{
    uint64_t ns = atomic_load(&files->session->own.sum_ns) + files->rest_overhead_ns;
    for (unsigned i = 0; i <= PP_LEVEL_DRAW; i++)
        ns += atomic_load(&files->frame_overhead[i].sum_ns);
    return ns;
}

static int
write_json(struct pp_output_files *files, const char *ended)
{
    struct pp_session *session = files->session;
    struct pp_session_state *state = &files->state;
    state->ended = ended;
    state->hooks_ns = pp_output_files_hooks_ns(files);
    state->hooks_usual_ns = pp_overhead_median(&session->own);
    for (unsigned i = 0; i <= PP_LEVEL_DRAW; i++)
        state->hooks_usual_ns += pp_overhead_median(&files->frame_overhead[i]);
    state->collector_ns = pp_recording_collector_ns(session);
    uint64_t counted = state->dropped_frames;
    state->dropped_frames = files->described_drops = dropped(files);
    uint32_t surfaces = atomic_load(&session->frames.surfaces);
    int rc = pp_session_json_write(session, state, &files->json);
    state->dropped_frames = counted;
    if (rc)
        return rc;
    files->described_surfaces = surfaces;
    files->described_pauses = state->not_recorded;
    pp_empty_set_reported(&session->empty);
    return rc;
}

/* session.json says why cells are empty, and how surfaces are called, before rows show it. The next regular
 * write reports a failure. */
static void
report_reasons(void *context)
{
    (void)!write_json(context, "running");
}

/* Stop profiling early: the files stay as they are, session.json gives the reason. */
static void
stop_writing(struct pp_output_files *files, enum pp_message id, const char *why)
{
    struct pp_session *session = files->session;
    if (files->discarding)
        return;
    files->discarding = true;
    atomic_store(&session->active, false);
    (void)write_rows_out(files); /* what fails is not counted */
    pp_writers_end(files->writers);
    if (id == PP_ID_MAX_SIZE)
        pp_log(PP_MSG_MAX_SIZE, why);
    else if (id == PP_ID_CONTROL_QUIT)
        pp_log(PP_MSG_CONTROL_QUIT);
    else {
        files->full = true;
        pp_log(PP_MSG_FULL, why);
    }
    if (write_json(files, why))
        files->state.ended = why; /* the disk is full: the older session.json stays */
}

void
pp_output_files_quit(struct pp_output_files *files)
{
    stop_writing(files, PP_ID_CONTROL_QUIT, PP_TEXT_ENDED_QUIT);
}

/* The session has a frame: it takes the place of an older one. With a seccomp filter it stays where it is. */
static void
replace_older(struct pp_output_files *files)
{
    char error[512];
    if (files->dir.parent_fd < 0 || !files->state.written.frames)
        return;
    bool allowed = !pp_sandbox_entered();
    if (!allowed)
        files->dir.parent_fd = -1; /* stays open: asking whether it is still passprobe's is forbidden */
    if (!allowed || pp_dir_open_replace_older(&files->dir, error))
        pp_log(PP_MSG_BUSY, files->session->config.output, (long)files->session->pid, files->dir.path);
    else
        pp_log(PP_MSG_SESSION, files->dir.path);
}

void
pp_output_files_flush(struct pp_output_files *files)
{
    int rc = write_rows_out(files);
    if (rc)
        pp_output_files_fail(files, -rc);
    replace_older(files);
}

void
pp_output_files_note_surface(struct pp_output_files *files, const struct pp_timeline *timeline)
{
    if (timeline->number >= files->described_surfaces || files->described_pauses != files->state.not_recorded)
        files->session->empty.lacks_surface = true;
}

void
pp_output_files_check_size(struct pp_output_files *files)
{
    uint64_t limit = files->session->config.max_size_bytes;
    uint64_t rows = pp_writers_size(files->writers);
    if (rows - files->rows_bytes > files->frame_bytes)
        files->frame_bytes = rows - files->rows_bytes;
    files->rows_bytes = rows;
    uint64_t next = rows + files->frame_bytes + JSON_GROWS;
    if (!files->near_limit && next + files->json.bytes + JSON_DEVICES > limit) {
        files->near_limit = true;
        (void)!write_json(files, "running"); /* the next regular write reports a failure */
    }
    if (next + files->json.bytes > limit)
        stop_writing(files, PP_ID_MAX_SIZE, PP_TEXT_ENDED_MAX_SIZE);
}

bool
pp_output_files_describe(struct pp_output_files *files, bool due)
{
    bool reported =
        files->described_drops == dropped(files) && !pp_empty_has_unreported(&files->session->empty);
    if (files->discarding || (reported && !due))
        return false;
    if (write_json(files, "running"))
        stop_writing(files, PP_ID_FULL, PP_TEXT_ENDED_JSON);
    return true;
}

/* Make the folders that lead to the session directory; in the default folder, delete old sessions. If that is
 * not possible, the session directory cannot be opened, which is reported. */
static void
prepare_folder(const struct pp_config *config)
{
    char folder[PATH_MAX];
    unsigned made = 0;
    (void)!pp_place_make_folders(config->output, &made);
    if (!config->in_default_folder)
        return;
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(config->output, '/') - config->output),
             config->output);
    size_t deleted = pp_place_prune(folder);
    if (deleted)
        pp_log(PP_MSG_PRUNED, deleted, PP_PLACE_SESSIONS, folder);
}

int
pp_output_files_open(struct pp_output_files *files)
{
    struct pp_session *session = files->session;
    char error[512];
    const struct pp_config *config = &session->config;
    if (!config->launched)
        prepare_folder(config);
    int rc = pp_dir_open(config->output, config->launched || config->in_default_folder, &files->dir, error);
    if (rc == 0 && config->in_default_folder)
        pp_dir_discard_without_frames(&files->dir);
    if (rc) {
        pp_log(PP_MSG_OUTPUT, error);
        return rc;
    }
    rc = pp_writers_create(session, files->dir.fd, &files->writers);
    files->state.ended = "running";
    rc = rc ? rc : pp_session_json_begin_locked(session, files->dir.fd, &files->state, &files->json);
    session->empty.report = rc ? NULL : report_reasons;
    session->empty.context = files;
    if (rc)
        pp_log(PP_MSG_OUTPUT_FILES, files->dir.path, pp_errno_text(-rc));
    else if (files->dir.next_to_requested)
        pp_log(PP_MSG_BUSY, session->config.output, (long)session->pid, files->dir.path);
    else if (files->dir.parent_fd < 0 || config->in_default_folder)
        pp_log(PP_MSG_SESSION, files->dir.path);
    return rc;
}

void
pp_output_files_fail(struct pp_output_files *files, int error)
{
    char why[PATH_MAX + 128];
    snprintf(why, sizeof(why), PP_FORMAT_ENDED_WRITE, files->dir.path, pp_errno_text(error));
    stop_writing(files, PP_ID_FULL, why);
}

/* Without the command, no other line says where the session is. */
static void
tell_end(const struct pp_output_files *files)
{
    struct pp_session *session = files->session;
    uint64_t frames = files->state.written.frames;
    if (session->config.launched || files->full)
        return;
    pthread_mutex_lock(&session->lock);
    bool paused = session->config.paused && !session->recording.changes;
    pthread_mutex_unlock(&session->lock);
    if (frames)
        pp_log(PP_MSG_SESSION_DONE, (unsigned long long)frames, frames == 1 ? "frame" : "frames",
               files->dir.path);
    else if (!files->discarding)
        pp_log(PP_MSG_SESSION_NONE, paused ? PP_TEXT_NONE_PAUSED : PP_TEXT_NONE_FRAME);
}

void
pp_output_files_end(struct pp_output_files *files)
{
    pp_output_files_flush(files);
    pp_writers_end(files->writers);
    if (!files->discarding) {
        const char *why = files->session->stop_reason[0] ? files->session->stop_reason : "exit";
        if (write_json(files, why))
            pp_log(PP_MSG_JSON, files->dir.path);
    }
    pp_replaced_end(&files->json);
    tell_end(files);
    if (files->dir.parent_fd >= 0 && !files->state.written.frames && !pp_sandbox_entered())
        (void)pp_dir_discard(&files->dir); /* without a frame, the older session keeps its place */
}

void
pp_output_files_refuse(struct pp_output_files *files, const char *why)
{
    struct pp_session *session = files->session;
    char error[512];
    files->state.ended = why; /* stderr has the reason already */
    pthread_mutex_lock(&session->lock);
    if (pp_dir_open(session->config.output, true, &files->dir, error) == 0)
        (void)!pp_session_json_begin_locked(session, files->dir.fd, &files->state, &files->json);
    pthread_mutex_unlock(&session->lock);
}

void
pp_output_files_init(struct pp_output_files *files, struct pp_session *session)
{
    files->session = session;
    files->state.not_recorded = atomic_load(&session->sleep.frames);
    files->dir.fd = files->dir.parent_fd = -1;
    files->json.fd = files->json.spare_fd = -1;
    pp_about_read(&files->state.about, session->start_ns);
    session->to_realtime_ns = files->state.about.start_realtime_ns - session->start_ns;
}

void
pp_output_files_close(struct pp_output_files *files)
{
    pp_writers_end(files->writers);
    pp_replaced_end(&files->json);
    pp_dir_close(&files->dir);
}

void
pp_output_files_finish(struct pp_output_files *files)
{
    files->session->empty.report = NULL;
    pp_writers_destroy(files->writers);
    pp_empty_finish(&files->session->empty);
    pp_about_finish(&files->state.about);
}

uint64_t
pp_output_files_size_at_most(const struct pp_output_files *files)
{
    return files->json.bytes + JSON_DEVICES + JSON_GROWS + pp_writers_size(files->writers);
}
