/** @file
 * Version of the library, for messages and for readers of a core dump. All other code is in the folders of
 * core/. */
#include "core/engine/session.h"

PP_API extern const char pp_core_version[];

const char pp_core_version[] = PP_VERSION;
