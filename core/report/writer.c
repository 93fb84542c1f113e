/** @file
 * The writers of a session; see writer.h. */
#include "core/report/writer.h"
#include "core/report/csv_write.h"

#include <errno.h>
#include <stdlib.h>

#include "core/engine/session_private.h"
#include "core/report/csv_file.h"
#include "counters/util/array_size.h"

static const struct pp_writer_ops *const known[] = {
#define PP_WRITER(name, file) &pp_writer_##name,
#include "pp_writers.h"
#undef PP_WRITER
};

#define KNOWN PP_ARRAY_SIZE(known)

struct pp_writers {
    struct pp_writer_place place;
    struct pp_csv_files files;
    const struct pp_writer_ops *ops[KNOWN];
    void *self[KNOWN];
    unsigned count;
    bool drafting; /**< rows are a draft until pp_writers_draft_drop() */
};

int
pp_writers_create(struct pp_session *session, int dir_fd, struct pp_writers **ret_writers)
{
    struct pp_writers *writers = calloc(1, sizeof(*writers));
    if (!writers)
        return -ENOMEM;
    writers->place = (struct pp_writer_place){session, dir_fd, &writers->files};
    for (unsigned i = 0; i < KNOWN; i++) {
        if (known[i]->wanted && !known[i]->wanted(&session->config))
            continue;
        int rc = known[i]->begin(&writers->place, &writers->self[writers->count]);
        if (rc) {
            pp_writers_destroy(writers);
            return rc;
        }
        writers->ops[writers->count++] = known[i];
    }
    *ret_writers = writers;
    return 0;
}

/* Insert a writer that has begun in the order of PP_WRITERS. */
static void
insert(struct pp_writers *writers, unsigned at, const struct pp_writer_ops *ops, void *self)
{
    for (unsigned i = writers->count; i > at; i--) {
        writers->ops[i] = writers->ops[i - 1];
        writers->self[i] = writers->self[i - 1];
    }
    writers->ops[at] = ops;
    writers->self[at] = self;
    writers->count++;
}

int
pp_writers_begin_level(struct pp_writers *writers, enum pp_level level)
{
    struct pp_config *config = malloc(sizeof(*config));
    int rc = config ? 0 : -ENOMEM;
    if (config) {
        *config = writers->place.session->config;
        config->level = level;
    }
    for (unsigned i = 0, at = 0; i < KNOWN && rc == 0; i++) {
        void *self = NULL;
        bool begun = at < writers->count && writers->ops[at] == known[i];
        bool wanted = !begun && (!known[i]->wanted || known[i]->wanted(config));
        rc = wanted ? known[i]->begin(&writers->place, &self) : 0;
        if (wanted && rc == 0)
            insert(writers, at, known[i], self);
        at += begun || (wanted && rc == 0);
    }
    free(config);
    return rc;
}

/* Does a writer take rows of this frame? */
static bool
takes(const struct pp_writers *writers, const struct pp_writer_ops *ops, const struct pp_frame_row *frame)
{
    if (writers->drafting && !ops->takes_drafts)
        return false;
    return frame->choice == PP_ROWS_ALL || ops->of_frames == (frame->choice == PP_ROWS_FRAME);
}

int
pp_writers_frame(struct pp_writers *writers, const struct pp_frame_row *frame)
{
    int rc = 0;
    for (unsigned i = 0; i < writers->count && rc == 0; i++)
        if (takes(writers, writers->ops[i], frame))
            rc = writers->ops[i]->frame(writers->self[i], frame);
    return rc;
}

/* frames.csv is last, because a frame must not name rows that are not written. */
int
pp_writers_flush(struct pp_writers *writers)
{
    int rc = 0;
    for (unsigned i = 0; i < writers->count && rc == 0; i++)
        rc = writers->ops[i]->flush(writers->self[i]);
    return rc;
}

uint64_t
pp_writers_size(const struct pp_writers *writers)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < writers->count; i++)
        bytes += writers->ops[i]->size(writers->self[i]);
    return bytes;
}

void
pp_writers_draft_begin(struct pp_writers *writers)
{
    writers->drafting = true;
    pp_csv_tail_begin(&writers->files.tail);
}

void
pp_writers_draft_drop(struct pp_writers *writers)
{
    if (!writers)
        return;
    writers->drafting = false;
    pp_csv_tail_drop(&writers->files.tail);
}

void
pp_writers_end(struct pp_writers *writers)
{
    /* frames.csv first: it writes the others before itself */
    while (writers && writers->count > 0) {
        unsigned i = --writers->count;
        writers->ops[i]->end(writers->self[i]);
    }
}

void
pp_writers_destroy(struct pp_writers *writers)
{
    pp_writers_end(writers);
    free(writers);
}
