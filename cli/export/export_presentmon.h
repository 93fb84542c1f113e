/** @file
 * Frames as PresentMon's CSV file has them. docs/formats/export.md says which column is what. */
#ifndef PP_CLI_EXPORT_EXPORT_PRESENTMON_H
#define PP_CLI_EXPORT_EXPORT_PRESENTMON_H

#include "cli/export/export_viewer.h"

/** The format; static. */
const struct pp_viewer_format *pp_export_presentmon(void);

#endif
