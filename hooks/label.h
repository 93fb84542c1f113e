/** @file
 * Room: names that the program gives: debug groups, programs. Next room: annotate's and core's label paths.
 */
#ifndef PP_HOOKS_LABEL_H
#define PP_HOOKS_LABEL_H

#include "hooks/context.h"
#include "hooks/work.h"

/** What is known of a shader or a program. Value of pp_gl_share.sources. */
struct pp_gl_source {
    uint64_t hash;     /**< of a shader's text; of a program: its shaders', in any order */
    uint64_t attached; /**< of the shaders attached now */
    uint32_t epoch;    /**< of the share group when `name` was found */
    pp_string_id name;
};

/** Interned name of an entry point. Any thread. */
pp_string_id pp_gl_call_name(int id);

/** Name of the program in use: its object label, else "program-" and a hash of its shaders' texts, which is
 * the same in the next run; 0: fixed function. */
pp_string_id pp_gl_program_name(struct pp_gl_context *ctx);

#endif
