/** @file
 * What tests/unit/annotate/fake_core.c exports. */
#ifndef PP_TESTS_UNIT_ANNOTATE_FAKE_CORE_H
#define PP_TESTS_UNIT_ANNOTATE_FAKE_CORE_H

#define FAKE_EXPORT __attribute__((visibility("default")))

FAKE_EXPORT void pp_annotate_push(const char *name);
FAKE_EXPORT void pp_annotate_pop(void);
FAKE_EXPORT void pp_annotate_mark(const char *text);
FAKE_EXPORT void pp_annotate_frame(void);
FAKE_EXPORT void pp_annotate_set(const char *name, double value);
FAKE_EXPORT void pp_annotate_add(const char *name, double delta);
/** All calls in order: "+name;" "-;" "!text;" "f;" "=name value;" "aname delta;". */
FAKE_EXPORT const char *fake_core_journal(void);
/** Calls of pp_frame_end(), after the calling threads have ended. */
FAKE_EXPORT unsigned fake_core_frames(void);

#endif
