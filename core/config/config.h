/** @file
 * What the user asked for. One table of options serves the command line, the environment and the file, so
 * that each name, default and error text exists once. This file knows no graphics API and no thread. See also
 * session.h.
 *
 * The value of the option --tag: what the user says about a session, such as its build and its scene. This
 * file knows no graphics API and no thread. */
#ifndef PP_CORE_CONFIG_CONFIG_H
#define PP_CORE_CONFIG_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/option.h"
#include "counters/sources/builtin.h"
#include "pp_config_options.h"

/** Bytes of a list of tags, the NUL included. */
#define PP_TAGS_MAX 1024

/** Bytes of the key of a tag, the NUL included. */
#define PP_TAG_KEY_MAX 64

/** Bytes of the value of a tag, the NUL included. */
#define PP_TAG_VALUE_MAX 256

/** One tag. */
struct pp_tag {
    char key[PP_TAG_KEY_MAX];     /**< ASCII letters, digits, '_', '-' and '.'; the first is a letter */
    char value[PP_TAG_VALUE_MAX]; /**< UTF-8 without commas and control characters; not "" */
};

/**
 * Take the next tag of a list "KEY=VALUE,KEY=VALUE".
 *
 * @param list Where the list goes on; moved after the tag and its comma. NULL after the last one.
 * @param ret  Written where there is a tag.
 * @retval 1       There was one.
 * @retval 0       The list has ended.
 * @retval -EINVAL What follows is no tag.
 */
__attribute__((warn_unused_result)) int pp_config_tag_next(const char **list, struct pp_tag *ret);

/** Is this a list of tags, each key once? "" is none. */
bool pp_config_tags_are_valid(const char *list);

/** How fine the brackets are; a finer level includes the coarser ones. */
enum pp_level { PP_LEVEL_FRAME, PP_LEVEL_PASS, PP_LEVEL_DRAW };

/** What ends a frame. AUTO: present; if a surface or device cannot present, its markers, else submit. */
enum pp_frame_on {
    PP_FRAME_ON_AUTO,
    PP_FRAME_ON_PRESENT,
    PP_FRAME_ON_SUBMIT,
    PP_FRAME_ON_FINISH,
    PP_FRAME_ON_MARKER
};

/** How call stacks are found. */
enum pp_call_graph { PP_CALL_GRAPH_OFF, PP_CALL_GRAPH_UNWIND, PP_CALL_GRAPH_FP };

/** Size of the buffer for one error message, including the place of the error. */
#define PP_CONFIG_ERROR_MAX 512

/** What the user asked for, with defaults filled in. Plain data; the struct belongs to the code that
 * declares it. */
struct pp_config {
    bool disabled; /**< PASSPROBE_DISABLE=1: loaded, but off */
    bool launched; /**< PASSPROBE_LAUNCHER is set: `passprobe` has prepared the session directory and reads
                      the result */
    char output[PATH_MAX];         /**< session directory, as given (may be relative, may hold %e, %p, %t) */
    bool output_given;             /**< false: output is the default of `record` */
    bool in_default_folder;        /**< output is in the folder for sessions that no option names */
    char events[4096];             /**< the list as given */
    char metrics[PATH_MAX];        /**< file of user metrics, "generic", or "" */
    bool events_given;             /**< false: events is the default, and devices add their own sets */
    bool events_change;            /**< the list changes the default events by '+' and '-' */
    uint32_t pipeline_mask;        /**< bit i: pp_pipeline_statistic_name(i) was asked for */
    uint64_t frames_first;         /**< window, inclusive, in frame numbers */
    uint64_t frames_last;          /**< inclusive; UINT64_MAX: open */
    char between[1024];            /**< "MARK,MARK": the window is between these marks; "": not given */
    char tags[PP_TAGS_MAX];        /**< "KEY=VALUE,KEY=VALUE": what the user says about the session */
    char metrics_socket[PATH_MAX]; /**< path of a socket with metrics, as given; "": none */
    uint64_t keep_slower_than_ns;  /**< fine rows only of frames slower than this and around; 0: of all */
    uint64_t keep_around;          /**< frames before and after each of them */
    enum pp_frame_on frame_on;     /**< what ends a frame */
    enum pp_call_graph call_graph; /**< how call stacks are found */
    int verbosity;                 /**< -1 quiet, 0 normal, 1 verbose */
    /* options whose value is a number, a flag or a word: level, every, delay_ns, duration_ns, stop, ... */
    PP_CONFIG_OPTIONS
};

/** The table; immutable, static. @param ret_count elements. */
const struct pp_option *pp_options(size_t *ret_count);

/** Fill in the defaults. */
void pp_config_init(struct pp_config *config);

/**
 * Set one option by its long name.
 *
 * @param config    Changed only on success.
 * @param name      "level", "frames", ...; '_' and '-' are the same.
 * @param value     Text of the value; flags take "1" or "0".
 * @param place     Where it is, for the message ("--level", "PASSPROBE_LEVEL", "FILE:12").
 * @param error     PP_CONFIG_ERROR_MAX bytes; one line without newline, written only on failure.
 * @retval 0        Set.
 * @retval -EINVAL  Unknown name (the nearest known one is suggested) or bad value.
 */
__attribute__((warn_unused_result)) int pp_config_set(struct pp_config *config, const char *name,
                                                      const char *value, const char *place, char *error);

/**
 * Set one option by its environment variable.
 *
 * @param config    Changed only on success.
 * @param variable  Name of the variable; it begins with "PASSPROBE_".
 * @param value     As for pp_config_set().
 * @param error     As for pp_config_set().
 * @retval 0        Set.
 * @retval -EINVAL  Unknown name (the nearest known one is suggested) or bad value.
 */
__attribute__((warn_unused_result)) int pp_config_set_variable(struct pp_config *config, const char *variable,
                                                               const char *value, char *error);

/** Are default events measured? Yes without a list, and with one that changes them. */
static inline bool
pp_config_has_defaults(const struct pp_config *config)
{
    return !config->events_given || config->events_change;
}

/** Did the user ask for an event of this source by name, or (with @p preset) by giving no event list? */
bool pp_config_wants(const struct pp_config *config, const char *source, bool preset);

/** "frame", "pass", "draw". */
const char *pp_level_name(enum pp_level level);

/** "unwind", "fp"; "off" for PP_CALL_GRAPH_OFF. */
const char *pp_call_graph_name(enum pp_call_graph method);

/** "auto", "present", "submit", "finish", "marker". */
const char *pp_frame_on_name(enum pp_frame_on frame_on);

#endif
