/** @file
 * Reads CSV by libcsv alone, to compare with cli/session/csv_read.h. For a unit test and a fuzz target. */
#ifndef PP_TESTS_LIB_CSV_REFERENCE_H
#define PP_TESTS_LIB_CSV_REFERENCE_H

#include <stddef.h>

/** Read a text by pp_csv_read_text() and by libcsv, and compare all rows, cells, counts and results. The text
 * has less than 1 MiB. @return NULL: they are equal; else what differs. */
const char *pp_csv_reference_differs(const char *text, size_t len);

#endif
