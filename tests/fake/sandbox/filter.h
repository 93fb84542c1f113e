/** @file
 * Seccomp filters for tests: every call that docs/sandboxes.md lists is allowed, every other one has a
 * consequence. */
#ifndef PP_TESTS_FAKE_SANDBOX_FILTER_H
#define PP_TESTS_FAKE_SANDBOX_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#define SANDBOX_CALLS 96

/** Numbers of system calls. */
struct sandbox_list {
    unsigned count;
    uint32_t call[SANDBOX_CALLS];
};

/** Read the list out of the document: names in backticks in the first cell of a table's rows, between the two
 * lines that hold "begin of the list" and "end of the list". @return false: no such document, or a name that
 * is not known here, which goes to stderr. */
bool sandbox_read_list(const char *path, struct sandbox_list *ret);

/** Add a call by its number. */
void sandbox_allow(struct sandbox_list *list, uint32_t call);

/**
 * Set a filter for all threads of the process.
 *
 * @param otherwise What happens at any other call: SECCOMP_RET_*.
 * @param flags     SECCOMP_FILTER_FLAG_* in addition to SECCOMP_FILTER_FLAG_TSYNC.
 * @return What seccomp(2) returns; -1 with errno.
 */
long sandbox_enter(const struct sandbox_list *list, uint32_t otherwise, unsigned flags);

/** Set a filter for all threads of the process by which threads get no table of descriptors of their own, as
 * in some containers: unshare(), close_range() and pidfd_getfd() fail with EPERM. @return 0; -1 with errno.
 */
int sandbox_refuse_tables(void);

/** Set a filter for all threads of the process: there is no close_range(), as in Linux before 5.9, and
 * closing a descriptor above @p most ends the process. @return 0; -1 with errno. */
int sandbox_without_close_range(unsigned most);

#endif
