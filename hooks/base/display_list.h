/** @file
 * The effect of a display list on glBegin: is the application inside a glBegin after it? OpenGL cannot be
 * asked inside a glBegin. So glBegins, glEnds and calls of other lists are recorded while a list is compiled.
 * Share groups see each other's lists, so the group's lock guards the records. See also immediate.h. */
#ifndef PP_HOOKS_BASE_DISPLAY_LIST_H
#define PP_HOOKS_BASE_DISPLAY_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "hooks/base/gl_types.h"
#include "hooks/base/map.h"

struct pp_gl_context;

/** State after a list was called. */
enum pp_gl_list_effect {
    PP_LIST_NOTHING, /**< as before the list */
    PP_LIST_BEGINS,  /**< inside a glBegin */
    PP_LIST_ENDS,    /**< outside a glBegin */
    PP_LIST_PAIR,    /**< as before the list. If the list was called inside a glBegin, Mesa refuses the list's
                          glBegin and glEnd, and other drivers end the open glBegin */
    PP_LIST_UNKNOWN,
};

#define PP_LIST_CALLS 6

/** The last glBegin or glEnd of a list, and the lists that it calls after that one. */
struct pp_gl_list {
    uint8_t last; /**< enum pp_gl_list_effect of a glBegin or glEnd */
    uint8_t calls;
    bool unknown; /**< the list calls more lists after that one, or by numbers that are not known yet */
    GLuint call[PP_LIST_CALLS];
};

/** Record a glBegin or a glEnd in the list that is being compiled. PP_LIST_PAIR: the glEnd that
 * belongs to the glBegin of `pp_gl_lists.before`. */
void pp_gl_list_note(struct pp_gl_context *ctx, enum pp_gl_list_effect effect);

/** Record that the list that is being compiled calls another one. @p name 0: not known which. */
void pp_gl_list_note_call(struct pp_gl_context *ctx, GLuint name);

/** The list is compiled: its record replaces the record of the list that had its name. */
void pp_gl_list_compiled(struct pp_gl_context *ctx);

/** Lists were deleted, if the driver accepted the call. */
void pp_gl_list_deleted(struct pp_gl_context *ctx, GLuint first, GLsizei count);

/** Effect of calling list @p name. Lists that it calls are looked up now, as the driver does. */
enum pp_gl_list_effect pp_gl_list_effect(struct pp_gl_context *ctx, GLuint name);

#endif
