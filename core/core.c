/** @file
 * The library's version, for messages and for readers of a core dump; everything else comes from core's
 * files. */
#include "core/engine/session.h"

PP_API extern const char pp_core_version[];

const char pp_core_version[] = PP_VERSION;
