/** @file
 * See control_files.h. */
#include "core/collect/control_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/collect/output/output_files.h"
#include "core/session/session.h"
#include "counters/util/own_fd.h"
#include "pp_texts.h"

/* Where the session directory is now: it may get its name only with the first frame. */
static void
read_path(const struct pp_output_files *files, char *path)
{
    char link[64];
    snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", files->dir.fd);
    ssize_t len = pp_fd_is_own(files->dir.fd) ? readlink(link, path, PATH_MAX - 1) : 0;
    path[len > 0 ? len : 0] = '\0';
}

static void
facts(void *self, struct pp_control_facts *ret)
{
    struct pp_output_files *files = self;
    const struct pp_session *session = files->session;
    const struct pp_session_state *state = &files->state;
    const char *ended = files->discarding ? state->ended : "exit";
    ret->frames = state->taken.frames;
    ret->dropped_frames = state->dropped_frames + atomic_load(&session->frames.dropped_frames);
    ret->bytes = files->discarding ? files->rows_bytes : pp_writers_size(files->writers);
    ret->hooks_ns = pp_output_files_hooks_ns(files);
    ret->collector_ns = pp_recording_collector_ns(session);
    ret->ended = pp_session_active(session) ? NULL : ended;
    read_path(files, ret->path);
}

static int
prepare_level(void *self, enum pp_level level)
{
    struct pp_output_files *files = self;
    if (!pp_fd_is_own(files->dir.fd))
        return -EBADF;
    return files->discarding ? 0 : pp_writers_begin_level(files->writers, level);
}

static void
quit(void *self)
{
    pp_output_files_quit(self);
}

const struct pp_control_ops pp_control_files = {facts, prepare_level, quit};
