/** @file
 * Reads numbers and names of a session.json for tests of C. */
#ifndef PP_TESTS_LIB_SESSION_JSON_H
#define PP_TESTS_LIB_SESSION_JSON_H

#include <stdint.h>

/**
 * A number in one of the file's objects, such as "frames" in "dropped".
 * @param object  A member of the file that is an object of numbers.
 * @return the number; -1 if the file, the object or the name is missing. */
long session_json_number(const char *path, const char *object, const char *name);

/**
 * A member that is a text, wherever it is: the first one of this name. As it is written there: with escapes.
 * @return the text, valid until the next call; "" if there is none. */
const char *session_json_text(const char *path, const char *member);

/**
 * The member "name" of an object in one of the file's arrays, as it is written there: with escapes.
 * @param array  "devices" or "surfaces".
 * @param place  Place in the array, from 0.
 * @return the name, valid until the next call; "" if there is none. */
const char *session_json_name(const char *path, const char *array, uint64_t place);

#endif
