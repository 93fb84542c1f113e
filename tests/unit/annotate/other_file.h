/** @file
 * What tests/unit/annotate/other_file.c has. */
#ifndef PP_TESTS_UNIT_ANNOTATE_OTHER_FILE_H
#define PP_TESTS_UNIT_ANNOTATE_OTHER_FILE_H

/** pp_profiled(), asked in another file of the application. */
int other_file_profiled(void);

#endif
