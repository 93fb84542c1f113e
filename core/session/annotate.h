/** @file
 * The annotate API inside the engine: entry points that the public header looks up, and what front ends read.
 * This file knows no graphics API. */
#ifndef PP_CORE_SESSION_ANNOTATE_H
#define PP_CORE_SESSION_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/action_list.h"
#include "core/util/compiler.h"

struct pp_label_stack;

PP_API void pp_annotate_push(const char *text);
PP_API void pp_annotate_pop(void);
PP_API void pp_annotate_mark(const char *text);
PP_API void pp_annotate_frame(void);
PP_API void pp_annotate_set(const char *name, double value);
PP_API void pp_annotate_add(const char *name, double delta);

struct pp_session;

/** Set a mark at this moment. @param parent Label path of the regions that it is in; 0: none.
 * @return false: it is only counted, because there are too many marks or there is no memory. Any thread. */
bool pp_marks_add(struct pp_session *session, pp_label_id parent, const char *text);

/** Note that the row of a frame is written: marks between its begin and its end are in it, unless a frame of
 * another surface that ended earlier has them. Locks the session. Collector thread. */
void pp_annotate_note_frame(struct pp_session *session, uint64_t frame, uint64_t start_ns, uint64_t end_ns);

/** Label path that the annotate API has open on this thread; 0: none. */
PP_API pp_label_id pp_annotate_label(void);

/** Label regions that the annotate API has open, for code that checks them at every draw. Valid only for
 * the calling thread, until it ends. */
PP_API const struct pp_label_stack *pp_annotate_regions(void);

/** Number of pp_annotate_frame() calls so far in the process: front ends under --frame-on marker compare it.
 * Hot. */
PP_API uint64_t pp_annotate_frames(void);

#endif
