/** @file
 * What the control socket learns of the session's files, and does with them: core/control/control_facts.h.
 * Collector thread only. */
#ifndef PP_CORE_COLLECT_CONTROL_FILES_H
#define PP_CORE_COLLECT_CONTROL_FILES_H

#include "core/control/control_facts.h"

/** The interface for struct pp_output_files as `self`. */
extern const struct pp_control_ops pp_control_files;

#endif
