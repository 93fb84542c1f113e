/** @file
 * Common part of the vector programs: every JSON file of a directory is a case; it passes if all its values
 * do. One line a case, one more for every value missed, a total at the end. */
#ifndef PP_TESTS_VECTORS_H
#define PP_TESTS_VECTORS_H

#include <jansson.h>
#include <stdbool.h>

/** Where a run stands. */
struct vec {
    unsigned cases, missed_cases;
    unsigned values, missed; /**< of the case at hand */
    const char *file;        /**< its name without the directory */
};

/** Check of one file's content; calls the functions below. */
typedef void vec_check(struct vec *vec, json_t *root);

/**
 * Check all *.json of argv[1], or of @p standard, in the order of their names.
 *
 * @return The exit status: 0 if there was a case and none was missed.
 */
int vec_main(int argc, char **argv, const char *standard, vec_check *check);

/** Is a value right: equal, or within @p tolerance of it, relative to the larger of 1 and the value? */
void vec_close(struct vec *vec, const char *what, double got, double want, double tolerance);

/** Count a value as right or missed, with a line that says what was got and wanted. */
__attribute__((format(printf, 3, 4))) void vec_true(struct vec *vec, bool right, const char *format, ...);

#endif
