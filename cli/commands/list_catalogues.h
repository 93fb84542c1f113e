/** @file
 * Metrics that `passprobe list` prints: those of the compiled-in catalogues, and those of --metrics. */
#ifndef PP_CLI_COMMANDS_LIST_CATALOGUES_H
#define PP_CLI_COMMANDS_LIST_CATALOGUES_H

#include <jansson.h>

/** Print the metrics of the catalogues that match; without a pattern a line for each catalogue. @return
 * Number of metrics shown. */
unsigned pp_list_catalogues(const char *pattern);

/** Print the metrics that match, of passprobe's own file and of the file @p path (NULL: none). @return Number
 * of metrics shown; negative: the file has a mistake, and a message was printed. */
int pp_list_metrics(const char *path, const char *pattern);

/** As pp_list_catalogues(), but add the entries to what `list --json` writes. */
unsigned pp_list_catalogues_json(json_t *list, const char *pattern);

/** As pp_list_metrics(), but add the metrics to what `list --json` writes. */
int pp_list_metrics_json(json_t *list, const char *path, const char *pattern);

#endif
