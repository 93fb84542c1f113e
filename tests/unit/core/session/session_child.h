/** @file
 * What tests of whole sessions share: each case runs in a child process, because a process has one session,
 * and the test reads the session's files afterwards. */
#ifndef PP_TESTS_UNIT_CORE_SESSION_SESSION_CHILD_H
#define PP_TESTS_UNIT_CORE_SESSION_SESSION_CHILD_H

#include <stdint.h>

/** Run a case in a child process with variables, as pairs of name and value up to NULL. @return its exit
 * status, as waitpid() reports it. */
int in_child(void (*run)(void), const char *const *env);

/** The cells of a CSV file. The reader is simple: cells have no line ends. */
struct table {
    char text[1 << 20];
    char *cell[1024][64]; /**< [0]: the header */
    unsigned rows;        /**< with the header */
    unsigned columns;
};

/** The file that read_table() has read last. */
extern struct table table;

/** Read a file into `table`; fails the test if the file is missing or its last row is torn. */
void read_table(const char *path);

/** A cell of `table` by row (0: the first one after the header) and column; fails the test if there is no
 * such column. */
const char *at(unsigned row, const char *column);

/** A cell of `table` as a whole number; fails the test if the cell has none. */
uint64_t number(unsigned row, const char *column);

/** The name of the surface in a row of `table`, which must be frames.csv of session directory @p dir. Valid
 * until the next call. */
const char *surface_of(const char *dir, unsigned row);

/** Setup of a group of tests: an empty working directory, and no configuration of the user. */
int enter(void **state);

/** Teardown of a group of tests: the directory is removed. */
int leave(void **state);

#endif
