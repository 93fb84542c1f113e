/** @file
 * Mark of what core exports. This file knows no graphics API. */
#ifndef PP_CORE_ENGINE_API_H
#define PP_CORE_ENGINE_API_H

/** Mark of what core exports to the shim, the layer and the public header. */
#define PP_API __attribute__((visibility("default")))

#endif
