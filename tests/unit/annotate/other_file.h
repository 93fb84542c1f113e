/** @file
 * What tests/unit/annotate/other_file.c exports. */
#ifndef PP_TESTS_UNIT_ANNOTATE_OTHER_FILE_H
#define PP_TESTS_UNIT_ANNOTATE_OTHER_FILE_H

/** The result of pp_profiled() in another file of the application. */
int other_file_profiled(void);

#endif
