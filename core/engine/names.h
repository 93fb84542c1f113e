/** @file
 * Interned names: render targets, texts, label paths and stacks of labels. A new entry takes a short lock, a
 * known one none. Ids stay valid for the process. This file knows no graphics API. */
#ifndef PP_CORE_ENGINE_NAMES_H
#define PP_CORE_ENGINE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/model/action_list.h"
#include "core/util/compiler.h"
#include "core/util/intern.h"

struct pp_session;

/** The tables of interned names. They lock themselves. */
struct pp_names {
    struct pp_intern render_targets;
    struct pp_intern strings;
    struct pp_intern labels;
};

/** Make the tables. The struct is zeroed. @retval 0, -ENOMEM; pp_names_finish() is due in both
 * cases. */
__attribute__((warn_unused_result)) int pp_names_init(struct pp_names *names);

/** Free the tables. A zeroed struct is fine. */
void pp_names_finish(struct pp_names *names);

/** Intern a render target. @return Id of an equal render target; 0 if the table is full. Any thread. */
PP_API pp_render_target_id pp_session_render_target(struct pp_session *session,
                                                    const struct pp_render_target *render_target);

/** Intern a text. @return Id of the text; 0 for "" or NULL, or if the table is full. Any thread. */
PP_API pp_string_id pp_session_string(struct pp_session *session, const char *text);

/** Intern the label path `parent / text`. The text is cut at 256 bytes. @return Id of the path. If the
 * table is full, the parent's id with a depth of one more, so that pp_session_label_parent() leads back
 * to the parent. Any thread. */
PP_API pp_label_id pp_session_label(struct pp_session *session, pp_label_id parent, const char *text);

/** Find the path on which a label was pushed, for pops. @return Id of the parent path; 0 at the top. */
PP_API pp_label_id pp_session_label_parent(struct pp_session *session, pp_label_id label);

/** Make the path after the application closed a region that another command buffer opened. The label of this
 * region is not known yet: pp_session_label_join() later removes the last region of the outer path.
 *
 * @param parent What this function returned for the region closed before; else the open regions of
 * annotate.h.
 * @return Id of the path. Any thread. */
PP_API pp_label_id pp_session_label_outside(struct pp_session *session, pp_label_id parent);

/**
 * Put one path inside another: "b/c" inside "a" is "a/b/c".
 *
 * @param shared Begin of @p inner that is not repeated: the part that @p outer begins with is left out; 0:
 * nothing.
 * @return Id of the joined path, without regions that do not fit into the label table. Any thread.
 */
PP_API pp_label_id pp_session_label_join(struct pp_session *session, pp_label_id outer, pp_label_id inner,
                                         pp_label_id shared);

/** Number of regions of a stack for which the time of opening is stored. Regions inside the last one count
 * as opened together with it. */
#define PP_LABEL_STACK_MAX 64

/** Nested open regions of a thread or a context. Zeroed: none. Only one thread may use a stack at a time. */
struct pp_label_stack {
    pp_label_id label;                   /**< label path of the open regions */
    uint32_t depth;                      /**< regions open */
    uint32_t changes;                    /**< pushes and pops so far: to see whether anything changed */
    uint64_t opened[PP_LABEL_STACK_MAX]; /**< by depth, outermost first: grows through the process */
};

/** Open a region inside the others. */
PP_API void pp_session_label_push(struct pp_session *session, struct pp_label_stack *stack, const char *text);

/** Close the innermost region. Does nothing if none is open. */
PP_API void pp_session_label_pop(struct pp_session *session, struct pp_label_stack *stack);

/** Merge the regions of two stacks into one path, in the order in which they were opened. @return Id of
 * the path, without regions that do not fit into the label table. Any thread that may read both stacks. */
PP_API pp_label_id pp_session_label_merged(struct pp_session *session, const struct pp_label_stack *a,
                                           const struct pp_label_stack *b);

/** Text of an interned string; "" for 0. */
const char *pp_session_text(struct pp_session *session, pp_string_id id);

/** Find a render target by its id; NULL for 0. */
const struct pp_render_target *pp_session_render_target_get(struct pp_session *session,
                                                            pp_render_target_id id);

/** Write a label path, outermost first, parts joined by '/', into @p out; always terminated. */
void pp_session_label_path(struct pp_session *session, pp_label_id id, char *out, size_t size);

#endif
