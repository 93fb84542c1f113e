/** @file
 * Words for an errno, in English whatever the locale. */
#ifndef PP_COUNTERS_UTIL_ERRNO_TEXT_H
#define PP_COUNTERS_UTIL_ERRNO_TEXT_H

/** What strerror() says in the C locale. strerror() itself may open a catalogue of translations, which a
 * sandbox of the application can forbid. @return A constant. Any thread. */
const char *pp_errno_text(int error);

#endif
