/** @file
 * Which calls of a driver last longer, by FAKE_WAITS; see README.md. */
#ifndef PP_TESTS_FAKE_WAITS_H
#define PP_TESTS_FAKE_WAITS_H

/** Sleep if FAKE_WAITS says so for this call. @param call A name of README.md. @param calls How often this
 * function was called before with @p call; it counts up. */
void fake_wait(const char *call, unsigned *calls);

#endif
