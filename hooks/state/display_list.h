/** @file
 * What a display list leaves behind when it is called: inside or outside of a glBegin. OpenGL cannot be
 * asked inside; so the glBegins, glEnds and calls of other lists are written down while a list is compiled.
 * Share groups see each other's lists: theirs have the group's lock. See also handlers.h. */
#ifndef PP_HOOKS_STATE_DISPLAY_LIST_H
#define PP_HOOKS_STATE_DISPLAY_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "hooks/reach/gl_types.h"
#include "hooks/state/map.h"

struct pp_gl_context;

/** What is so behind a list that was called. */
enum pp_gl_list_effect {
    PP_LIST_NOTHING, /**< as before it */
    PP_LIST_BEGINS,  /**< inside of a glBegin */
    PP_LIST_ENDS,    /**< outside */
    PP_LIST_PAIR, /**< as before it; but if that was inside, some drivers refuse the whole (Mesa), some end it
                   */
    PP_LIST_UNKNOWN,
};

#define PP_LIST_CALLS 6

/** Of one list, the last that matters, and what it calls behind that. */
struct pp_gl_list {
    uint8_t last; /**< enum pp_gl_list_effect of a glBegin or glEnd */
    uint8_t calls;
    bool unknown; /**< it calls more lists behind that, or by numbers that are not known yet */
    GLuint call[PP_LIST_CALLS];
};

/** The list that is being compiled has a glBegin or a glEnd; PP_LIST_PAIR: the glEnd of what was `before` it.
 */
void pp_gl_list_note(struct pp_gl_context *ctx, enum pp_gl_list_effect effect);

/** It calls another; @p name 0: some. */
void pp_gl_list_note_call(struct pp_gl_context *ctx, GLuint name);

/** It is compiled: it takes the place of the one that had its name. */
void pp_gl_list_compiled(struct pp_gl_context *ctx);

/** Lists were deleted, if the driver had no objection. */
void pp_gl_list_deleted(struct pp_gl_context *ctx, GLuint first, GLsizei count);

/** What calling it does. Lists that it calls are looked up now, as the driver does. */
enum pp_gl_list_effect pp_gl_list_effect(struct pp_gl_context *ctx, GLuint name);

#endif
