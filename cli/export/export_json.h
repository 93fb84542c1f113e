/** @file
 * The tables that are not in a CSV file: `session`, `devices`, `surfaces`, `marks`, `first_frames`. */
#ifndef PP_CLI_EXPORT_EXPORT_JSON_H
#define PP_CLI_EXPORT_EXPORT_JSON_H

#include "cli/export/export_session.h"

/** Write these tables. A session without session.json has no rows of the first four. @retval 0, -ENOMEM,
 * e->error. */
__attribute__((warn_unused_result)) int pp_export_json_tables(struct pp_export *e);

#endif
