/** @file
 * Reads numbers of a session.json for tests of C. */
#ifndef PP_TESTS_LIB_SESSION_JSON_H
#define PP_TESTS_LIB_SESSION_JSON_H

/**
 * A number in one of the file's objects, such as "frames" in "dropped".
 * @param object  A member of the file that is an object of numbers.
 * @return the number; -1 if the file, the object or the name is missing. */
long session_json_number(const char *path, const char *object, const char *name);

#endif
