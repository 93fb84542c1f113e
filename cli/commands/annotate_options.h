/** @file
 * The options of `passprobe annotate`, read from its command line. See also annotate.c. */
#ifndef PP_CLI_COMMANDS_ANNOTATE_OPTIONS_H
#define PP_CLI_COMMANDS_ANNOTATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/analysis/annotation.h"
#include "cli/session/frame_window.h"

/** Most values of an option that can be repeated. */
#define PP_ANNOTATE_REPEATED 16U

/** Values of an option that can be repeated. Borrowed from the command line. */
struct pp_repeated {
    const char *value[PP_ANNOTATE_REPEATED];
    size_t len;
};

/** What an annotation shows. Texts are borrowed from the command line. */
struct pp_annotate_options {
    bool help, json, callers, callees, debuginfod;
    bool by_given;
    enum pp_annotate_by by;
    enum pp_annotate_sort sort;
    const char *counter; /**< of --sort; NULL: none */
    size_t entries;
    struct pp_repeated skip, skip_function, folder, map;
    struct pp_window_given window;
    const char *word[2]; /**< session and target, or one of them; NULL: not given */
};

/** Read the command line of `annotate`. @return 0; PP_EXIT_FAILED: a message was printed. */
__attribute__((warn_unused_result)) int pp_annotate_options_read(int argc, char **argv,
                                                                 struct pp_annotate_options *ret);

#endif
