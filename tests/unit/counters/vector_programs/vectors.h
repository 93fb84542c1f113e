/** @file
 * Common part of the vector programs: every JSON file of a directory is a case, which passes if all its
 * values are right. The program prints a line for each case, one for each wrong value, and a total at the
 * end. */
#ifndef PP_TESTS_VECTORS_H
#define PP_TESTS_VECTORS_H

#include <jansson.h>
#include <stdbool.h>

/** State of a run. */
struct vec {
    unsigned cases, missed_cases;
    unsigned values, missed; /**< values of the current case */
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

/** Is a value right: equal to the expected one, or within @p tolerance of it, relative to the larger of 1 and
 * the value? */
void vec_close(struct vec *vec, const char *what, double got, double want, double tolerance);

/** Count a value as right or wrong, with a line that has both values. */
__attribute__((format(printf, 3, 4))) void vec_true(struct vec *vec, bool right, const char *format, ...);

#endif
