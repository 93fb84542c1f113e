/** @file
 * What tests/annotate/fake_core.c exports. */
#ifndef PP_TESTS_ANNOTATE_FAKE_CORE_H
#define PP_TESTS_ANNOTATE_FAKE_CORE_H

#define FAKE_EXPORT __attribute__((visibility("default")))

FAKE_EXPORT void pp_annotate_push(const char *name);
FAKE_EXPORT void pp_annotate_pop(void);
FAKE_EXPORT void pp_annotate_mark(const char *text);
FAKE_EXPORT void pp_annotate_frame(void);
/** Everything that arrived: "+name;" "-;" "!text;" "f;" in order. */
FAKE_EXPORT const char *fake_core_journal(void);

#endif
